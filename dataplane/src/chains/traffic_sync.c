#include "chains/traffic_sync.h"

#define APPLY_TIMEOUT_NS 5000000000ULL
#define DRAIN_TIMEOUT_NS 1000000000ULL
#define STUCK_NS 100000000ULL
#define POLL_INTERVAL_NS 1000000ULL

static int wait_applied(struct runner *runner, _Atomic uint32_t *word, uint32_t value, struct error *err)
{
	uint64_t until = now_ns() + APPLY_TIMEOUT_NS;

	eventcount_signal(&runner->shared->traffic_events);
	for (;;) {
		uint32_t seen = eventcount_read(&runner->shared->control_events);

		if (atomic_load_explicit(word, memory_order_acquire) == value)
			return 0;
		if (now_ns() >= until)
			return fail(err, E_INTERNAL, "", "the traffic process did not respond within 5 s; restart the runner");
		eventcount_wait(&runner->shared->control_events, seen, 20 * POLL_INTERVAL_NS);
	}
}

int traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err)
{
	return wait_applied(runner, &slot->applied_state, state, err);
}

int traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	return wait_applied(runner, &slot->applied_paused, atomic_load(&slot->paused), err);
}

int traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	return wait_applied(runner, &slot->applied_source, atomic_load(&slot->requested_source), err);
}

static uint32_t queued_packets(const struct chain *chain, bool *crashed)
{
	uint32_t packets = ring_count(&chain->slot->sink);

	for (uint32_t i = 0; i < chain->nf_count; i++) {
		packets += ring_count(&chain->nfs[i]->slot->in);
		*crashed |= chain->nfs[i]->group->pid == 0;
	}
	return packets;
}

/* No process signals that a ring ran empty, so it is polled. Meanwhile the runner answers queries. */
static void poll_or_sleep(struct runner *runner)
{
	if (runner->poll_events == NULL) {
		eventcount_wait(&runner->shared->control_events, eventcount_read(&runner->shared->control_events), POLL_INTERVAL_NS);
		return;
	}
	runner->queries_only = true;
	runner->poll_events(1);
	runner->queries_only = false;
}

void chain_wait_drained(struct runner *runner, const struct chain *chain)
{
	uint64_t started = now_ns(), changed = started, now = started;
	uint32_t before = UINT32_MAX;

	while (now - started < DRAIN_TIMEOUT_NS && !runner->shutting_down) {
		bool crashed = false;
		uint32_t packets = queued_packets(chain, &crashed);

		if (packets == 0 || (crashed && now - changed > STUCK_NS))
			return;
		if (packets != before)
			changed = now;
		before = packets;
		poll_or_sleep(runner);
		now = now_ns();
	}
}
