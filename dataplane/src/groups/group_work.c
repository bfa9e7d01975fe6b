#include "groups/group_work.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "groups/group_step.h"

#define SPACE_TIMEOUT_NS 1000000000ULL /* after this the next stage counts as stuck, and the burst is dropped */

enum space { SPACE, NO_SPACE, COMMANDED }; /* COMMANDED: a command came while waiting */

/* Sleeps until `ring` has `space` free entries; NO_SPACE when the next stage took nothing for SPACE_TIMEOUT_NS. */
static enum space wait_space(struct group_slot *slot, struct ring *ring, uint32_t space)
{
	uint64_t until = 0;

	while (ring_free_count(ring) < space) {
		uint32_t seen = eventcount_read(&slot->events);
		uint64_t now = now_ns();

		if (group_has_command(slot))
			return COMMANDED;
		if (until == 0)
			until = now + SPACE_TIMEOUT_NS;
		if (now >= until)
			return NO_SPACE;
		ring_signal_data(ring);
		ring_arm_space(ring);
		if (ring_free_count(ring) < space)
			group_sleep(slot, seen, until - now);
	}
	return SPACE;
}

/*
 * Waits for space for a whole burst in both output rings before any NF processes it: a step never waits, so a process can
 * hold between two steps at once. The traffic process empties the ring to the pool, and ends only with the runner.
 */
static enum space wait_output_space(struct group_slot *slot, uint32_t count)
{
	enum space out = wait_space(slot, slot->out, count), back = NO_SPACE;

	while (out != COMMANDED && back == NO_SPACE)
		back = wait_space(slot, &slot->nfs[0]->returned, count);
	return back == COMMANDED ? COMMANDED : out;
}

static void take_burst(struct ring *in, struct burst *burst)
{
	for (uint32_t i = 0; i < burst->count; i++) {
		burst->live[i] = ring_peek(in, i);
		rte_prefetch0(burst->live[i]);
	}
	for (uint32_t i = 0; i < burst->count; i++)
		rte_prefetch0(rte_pktmbuf_mtod(burst->live[i], void *));
	burst->live_count = burst->count;
	burst->back_count = 0;
}

/* Moves filtered packets to `back` and closes the gaps that they leave. */
static void compact(struct burst *burst, uint32_t keep)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < burst->live_count; i++) {
		struct rte_mbuf *packet = burst->live[i];

		if ((keep >> i & 1) != 0)
			burst->live[kept++] = packet;
		else
			burst->back[burst->back_count++] = packet;
	}
	burst->live_count = kept;
}

/* One NF of the group processes what is left of the burst; returns the cycle at which the next one begins. */
static uint64_t run_nf(struct worker *worker, uint32_t number, struct burst *burst, uint64_t started)
{
	struct nf_slot *nf = worker->slot->nfs[number];
	uint32_t count = burst->live_count, keep, kept;
	uint64_t now;

	keep = worker->run->nfs[number].type->process(worker->run->nfs[number].state, burst->live, count);
	now = rte_rdtsc();
	kept = (uint32_t)__builtin_popcount(keep);
	nf->next.rx = counter_read(&nf->rx) + count;
	nf->next.tx = counter_read(&nf->tx) + kept;
	nf->next.drops = counter_read(&nf->drops);
	nf->next.filtered = counter_read(&nf->filtered) + (count - kept);
	nf->next.cycles = counter_read(&nf->cycles) +
		part_without_preemption(&worker->clock, &worker->costs[number], now - started, count);
	if (kept == count)
		return now;
	compact(burst, keep);
	return rte_rdtsc();
}

/* What a stuck next stage does not take returns to the pool, and counts as drops of the last NF. */
static void drop_burst(struct burst *burst, struct nf_slot *nf)
{
	nf->next.tx -= burst->live_count;
	nf->next.drops += burst->live_count;
	compact(burst, 0);
}

void group_wake_next(struct worker *worker)
{
	uint64_t began = rte_rdtsc();

	worker->clock.cpu = false;
	if (ring_signal_data(worker->slot->out))
		counter_add(&worker->slot->busy, without_preemption(&worker->clock, &worker->wake_cost, rte_rdtsc() - began, 1));
	worker->unsignalled = 0;
}

/*
 * Of a ring that is full all the time its consumer sees the last place taken only while it works on a burst: with each step it
 * frees as many places as the burst had.
 */
static void record_depth(const struct worker *worker, struct nf_slot *nf)
{
	uint32_t round = atomic_load_explicit(worker->run->peak_round, memory_order_relaxed);

	peak_record(&nf->depth, round, ring_count(&nf->in));
}

uint32_t group_process_burst(struct worker *worker, uint32_t entry)
{
	struct group_slot *slot = worker->slot;
	struct ring *in = &slot->nfs[entry]->in;
	uint32_t used = ring_count(in), number = entry;
	struct burst burst = {.count = used < BURST ? used : BURST};
	enum space space;
	uint64_t began, cycle;

	if (used == 0)
		return 0;
	space = wait_output_space(slot, burst.count);
	if (space == COMMANDED)
		return 0;
	began = cycle = burst_start(&worker->clock, &worker->burst_cost, burst.count);
	take_burst(in, &burst);
	step_begin(slot, entry, burst.count);
	while (number < slot->nf_count && burst.live_count > 0)
		cycle = run_nf(worker, number++, &burst, cycle);
	if (space == NO_SPACE && burst.live_count > 0)
		drop_burst(&burst, slot->nfs[number - 1]);
	record_depth(worker, slot->nfs[entry]);
	step_record(slot, &burst, number);
	step_apply(slot);
	ring_signal_space(in);
	if (ring_count(&slot->nfs[0]->returned) > RING_SIZE / 2) /* a few may wait for the traffic process's next round */
		ring_signal_data(&slot->nfs[0]->returned);
	counter_add(&slot->busy, without_preemption(&worker->clock, &worker->burst_cost, rte_rdtsc() - began, burst.count));
	return burst.count;
}
