#include "traffic/traffic.h"

#include <rte_cycles.h>

#include "base/process.h"
#include "traffic/traffic_sink.h"
#include "traffic/traffic_source.h"

#define IDLE_WAIT_NS 1000000000ULL

/* Follows the state that the control process has set; says so when that is done. */
static void follow_state(struct traffic *traffic, struct flow_state *chain)
{
	struct chain_slot *slot = chain->slot;
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

	if (state == CHAIN_FREE) /* `state_seen` stays CHAIN_FLUSHING until the control process has read it */
		return;
	source_control(traffic, chain, state);
	if (state == CHAIN_FLUSHING) {
		sink_flush(traffic, chain);
		chain->live = false;
		atomic_store_explicit(&slot->state, CHAIN_FREE, memory_order_release);
	}
	if (atomic_load_explicit(&slot->state_seen, memory_order_relaxed) == state)
		return;
	atomic_store_explicit(&slot->state_seen, state, memory_order_release);
	bell_ring(&traffic->shared->control_bell);
}

static bool poll_chains(struct traffic *traffic)
{
	bool more = false;

	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		struct flow_state *chain = &traffic->chains[i];

		follow_state(traffic, chain);
		if (!chain->live)
			continue;
		sink_take_back(traffic, chain);
		more |= sink_poll(traffic, chain);
	}
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (traffic->chains[i].sending)
			source_poll(traffic, &traffic->chains[i]);
	return more;
}

/* Tells the chain's rings what would end our sleep; true when something of it is there already. */
static bool announce(struct flow_state *chain)
{
	struct chain_slot *slot = chain->slot;
	bool work;

	for (uint32_t i = 0; i < slot->nf_count; i++)
		ring_want_data(&slot->nfs[i]->returned);
	ring_want_data(&slot->sink);
	work = ring_used(&slot->sink) > 0;
	if (chain->sending && chain->pacer.backlog > 0) {
		ring_want_room(&slot->nfs[0]->in);
		work |= ring_used(&slot->nfs[0]->in) < RING_SIZE / 2;
	}
	for (uint32_t i = 0; i < slot->nf_count; i++)
		work |= ring_used(&slot->nfs[i]->returned) > RING_SIZE / 2;
	return work;
}

/* Time until the next tick of any source. */
static uint64_t sleep_ns(struct traffic *traffic)
{
	uint64_t now = rte_rdtsc(), next = now + traffic->tsc_hz;

	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		const struct flow_state *chain = &traffic->chains[i];

		if (chain->sending && !source_is_paused(chain) && pacer_next(&chain->pacer) < next)
			next = pacer_next(&chain->pacer);
	}
	return next <= now ? 0 : (uint64_t)((double)(next - now) * traffic->ns_per_cycle);
}

static void wait_work(struct traffic *traffic, uint32_t seen)
{
	bool work = false;
	uint64_t timeout;

	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (traffic->chains[i].live)
			work |= announce(&traffic->chains[i]);
	timeout = sleep_ns(traffic);
	if (!work && timeout > 0)
		bell_wait(&traffic->shared->traffic_bell, seen, timeout < IDLE_WAIT_NS ? timeout : IDLE_WAIT_NS);
}

void traffic_main(void *argument)
{
	struct traffic *traffic = argument;

	process_take_short_turns();
	traffic->tsc_hz = rte_get_tsc_hz();
	traffic->ns_per_cycle = 1e9 / (double)traffic->tsc_hz;
	payload_pool_fill();
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		traffic->chains[i].slot = &traffic->shared->chains[i];
	atomic_store_explicit(&traffic->shared->traffic_ready, 1, memory_order_release);
	bell_ring(&traffic->shared->control_bell);
	for (;;) {
		/* Read before the look at the chains: what changes after it ends the sleep at once. */
		uint32_t seen = bell_read(&traffic->shared->traffic_bell);

		if (!poll_chains(traffic))
			wait_work(traffic, seen);
	}
}
