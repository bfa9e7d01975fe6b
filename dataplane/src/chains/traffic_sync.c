#include "chains/traffic_sync.h"

#define FOLLOW_WAIT_NS 5000000000ULL
#define DRAIN_WAIT_NS 1000000000ULL
#define STUCK_NS 100000000ULL
#define LOOK_EACH_NS 1000000ULL

static int wait_value(struct runner *runner, _Atomic uint32_t *word, uint32_t value, struct error *err)
{
	uint64_t until = now_ns() + FOLLOW_WAIT_NS;

	bell_ring(&runner->shared->traffic_bell);
	for (;;) {
		uint32_t seen = bell_read(&runner->shared->control_bell);

		if (atomic_load_explicit(word, memory_order_acquire) == value)
			return 0;
		if (now_ns() >= until)
			return fail(err, E_INTERNAL, "", "the traffic process does not follow; restart the runner");
		bell_wait(&runner->shared->control_bell, seen, 20 * LOOK_EACH_NS);
	}
}

int traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err)
{
	return wait_value(runner, &slot->state_seen, state, err);
}

int traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	return wait_value(runner, &slot->seen_paused, atomic_load(&slot->paused), err);
}

int traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	return wait_value(runner, &slot->seen_source, atomic_load(&slot->wanted_source), err);
}

static uint32_t waiting(const struct chain *chain, bool *crashed)
{
	uint32_t packets = ring_used(&chain->slot->sink);

	for (uint32_t i = 0; i < chain->nf_count; i++) {
		packets += ring_used(&chain->nfs[i]->slot->in);
		*crashed |= chain->nfs[i]->group->pid == 0;
	}
	return packets;
}

/* Nobody rings for a ring that ran empty: the timeout is the pace of looking. Meanwhile the runner is asked. */
static void look_later(struct runner *runner)
{
	if (runner->meanwhile == NULL) {
		bell_wait(&runner->shared->control_bell, bell_read(&runner->shared->control_bell), LOOK_EACH_NS);
		return;
	}
	runner->changing = true;
	runner->meanwhile(1);
	runner->changing = false;
}

void drain_wait(struct runner *runner, const struct chain *chain)
{
	uint64_t started = now_ns(), changed = started, now = started;
	uint32_t before = UINT32_MAX;

	while (now - started < DRAIN_WAIT_NS && !runner->ending) {
		bool crashed = false;
		uint32_t packets = waiting(chain, &crashed);

		if (packets == 0 || (crashed && now - changed > STUCK_NS))
			return;
		if (packets != before)
			changed = now;
		before = packets;
		look_later(runner);
		now = now_ns();
	}
}
