#include "traffic/traffic.h"

#include <rte_cycles.h>

#include "base/process.h"
#include "traffic/traffic_sink.h"
#include "traffic/traffic_source.h"

#define IDLE_WAIT_NS 1000000000ULL

/* Applies the state that the control process has set, and confirms it. */
static void apply_state(struct traffic *traffic, struct traffic_chain *chain)
{
	struct chain_slot *slot = chain->slot;
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

	if (state == CHAIN_FREE) /* `applied_state` stays CHAIN_FLUSHING until the control process has read it */
		return;
	traffic_source_update(traffic, chain, state);
	if (state == CHAIN_FLUSHING) {
		traffic_sink_flush(traffic, chain);
		chain->live = false;
		atomic_store_explicit(&slot->state, CHAIN_FREE, memory_order_release);
	}
	if (atomic_load_explicit(&slot->applied_state, memory_order_relaxed) == state)
		return;
	atomic_store_explicit(&slot->applied_state, state, memory_order_release);
	eventcount_signal(&traffic->shared->control_events);
}

static bool poll_chains(struct traffic *traffic)
{
	bool more = false;

	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		struct traffic_chain *chain = &traffic->chains[i];

		apply_state(traffic, chain);
		if (!chain->live)
			continue;
		traffic_sink_reclaim(traffic, chain);
		more |= traffic_sink_poll(traffic, chain);
	}
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (traffic->chains[i].sending)
			traffic_source_poll(traffic, &traffic->chains[i]);
	return more;
}

/* Arms the rings that shall end our sleep; true when there is work already. */
static bool arm_wakeups(struct traffic_chain *chain)
{
	struct chain_slot *slot = chain->slot;
	bool work;

	for (uint32_t i = 0; i < slot->nf_count; i++)
		ring_arm_data(&slot->nfs[i]->returned);
	ring_arm_data(&slot->sink);
	work = ring_count(&slot->sink) > 0;
	if (chain->sending && chain->pacer.backlog > 0) {
		ring_arm_space(&slot->nfs[0]->in);
		work |= ring_count(&slot->nfs[0]->in) < RING_SIZE / 2;
	}
	for (uint32_t i = 0; i < slot->nf_count; i++)
		work |= ring_count(&slot->nfs[i]->returned) > RING_SIZE / 2;
	return work;
}

/* Time until the next tick of any source. */
static uint64_t sleep_ns(struct traffic *traffic)
{
	uint64_t now = rte_rdtsc(), next = now + traffic->tsc_hz;

	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		const struct traffic_chain *chain = &traffic->chains[i];

		if (chain->sending && !traffic_source_is_paused(chain) && pacer_next(&chain->pacer) < next)
			next = pacer_next(&chain->pacer);
	}
	return next <= now ? 0 : (uint64_t)((double)(next - now) * traffic->ns_per_cycle);
}

static void wait_for_work(struct traffic *traffic, uint32_t seen)
{
	bool work = false;
	uint64_t timeout;

	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (traffic->chains[i].live)
			work |= arm_wakeups(&traffic->chains[i]);
	timeout = sleep_ns(traffic);
	if (!work && timeout > 0)
		eventcount_wait(&traffic->shared->traffic_events, seen, timeout < IDLE_WAIT_NS ? timeout : IDLE_WAIT_NS);
}

void traffic_main(void *argument)
{
	struct traffic *traffic = argument;

	process_set_short_slice();
	traffic->tsc_hz = rte_get_tsc_hz();
	traffic->ns_per_cycle = 1e9 / (double)traffic->tsc_hz;
	payload_pool_fill();
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		traffic->chains[i].slot = &traffic->shared->chains[i];
	atomic_store_explicit(&traffic->shared->traffic_ready, 1, memory_order_release);
	eventcount_signal(&traffic->shared->control_events);
	for (;;) {
		/* Read before the chains are polled: a change after that ends the sleep at once. */
		uint32_t seen = eventcount_read(&traffic->shared->traffic_events);

		if (!poll_chains(traffic))
			wait_for_work(traffic, seen);
	}
}
