#include "groups/group_work.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "groups/group_step.h"

#define ROOM_WAIT_NS 1000000000ULL /* after this the next stage counts as stuck, and the burst is dropped */
#define OUTLIER 4U                 /* a burst this many times dearer than usual was pre-empted */
#define OUTLIERS_MAX 8U            /* in a row: then it is the new usual */

enum room { ROOM, NO_ROOM, ORDERED }; /* ORDERED: an order came while waiting */

/*
 * Cycles of a burst for the `cycles` counter. On a shared core a burst can be pre-empted in the middle, and the clock
 * runs on; such a burst is counted at the usual cost.
 */
static uint64_t clean_cycles(struct cost *cost, uint64_t cycles, uint32_t packets)
{
	uint64_t each;

	if (cost->usual != 0 && cycles * 16 > OUTLIER * cost->usual * packets && ++cost->outliers <= OUTLIERS_MAX)
		return cost->usual * packets / 16;
	each = packets == BURST ? cycles * 16 / BURST : cycles * 16 / packets; /* the first is a shift */
	cost->outliers = 0;
	cost->usual = cost->usual == 0 ? each : (cost->usual * 15 + each) / 16;
	return cycles;
}

/* Sleeps until `ring` has `room` free places; NO_ROOM when the next stage took nothing for ROOM_WAIT_NS. */
static enum room wait_room(struct group_slot *slot, struct ring *ring, uint32_t room)
{
	uint64_t until = 0;

	while (ring_free(ring) < room) {
		uint32_t seen = bell_read(&slot->bell);
		uint64_t now = now_ns();

		if (group_is_ordered(slot))
			return ORDERED;
		if (until == 0)
			until = now + ROOM_WAIT_NS;
		if (now >= until)
			return NO_ROOM;
		ring_signal_data(ring);
		ring_want_room(ring);
		if (ring_free(ring) < room)
			group_sleep(slot, seen, until - now);
	}
	return ROOM;
}

/*
 * Room for a whole burst on both ways out, before any NF works on it: so a step once begun never waits, and a process
 * holds between two steps at once. The way back is emptied by the traffic process, which ends only with the runner.
 */
static enum room wait_ways_out(struct group_slot *slot, uint32_t count)
{
	enum room out = wait_room(slot, slot->out, count), back = NO_ROOM;

	while (out != ORDERED && back == NO_ROOM)
		back = wait_room(slot, &slot->nfs[0]->returned, count);
	return back == ORDERED ? ORDERED : out;
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

/* Closes the gaps that filtered packets leave. */
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

/* One NF of the group works on what is left of the burst; answers the cycle at which the next one begins. */
static uint64_t work(struct worker *worker, uint32_t number, struct burst *burst, uint64_t started)
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
	nf->next.cycles = counter_read(&nf->cycles) + clean_cycles(&worker->costs[number], now - started, count);
	if (kept == count)
		return now;
	compact(burst, keep);
	return rte_rdtsc();
}

/* What the stuck next stage cannot take goes back to the pool, and counts as the last NF's drops. */
static void drop(struct burst *burst, struct nf_slot *nf)
{
	nf->next.tx -= burst->live_count;
	nf->next.drops += burst->live_count;
	compact(burst, 0);
}

void group_signal(struct worker *worker)
{
	uint64_t began = rte_rdtsc();

	if (ring_signal_data(worker->slot->out))
		counter_add(&worker->slot->busy, clean_cycles(&worker->wake_cost, rte_rdtsc() - began, 1));
	worker->unsignalled = 0;
}

/* One burst from the ring of NF `entry`; returns how many packets it took. */
uint32_t group_work(struct worker *worker, uint32_t entry)
{
	struct group_slot *slot = worker->slot;
	struct ring *in = &slot->nfs[entry]->in;
	uint32_t used = ring_used(in), number = entry;
	struct burst burst = {.count = used < BURST ? used : BURST};
	enum room room;
	uint64_t began, cycle;

	if (used == 0)
		return 0;
	peak_note(&slot->nfs[entry]->depth, atomic_load_explicit(worker->run->peak_round, memory_order_relaxed), used);
	room = wait_ways_out(slot, burst.count);
	if (room == ORDERED)
		return 0;
	began = cycle = rte_rdtsc();
	take_burst(in, &burst);
	step_begin(slot, entry, burst.count);
	while (number < slot->nf_count && burst.live_count > 0)
		cycle = work(worker, number++, &burst, cycle);
	if (room == NO_ROOM && burst.live_count > 0)
		drop(&burst, slot->nfs[number - 1]);
	step_plan(slot, &burst, number);
	step_apply(slot);
	ring_signal_room(in);
	if (ring_used(&slot->nfs[0]->returned) > RING_SIZE / 2) /* a few may wait for the traffic process's next round */
		ring_signal_data(&slot->nfs[0]->returned);
	counter_add(&slot->busy, clean_cycles(&worker->burst_cost, rte_rdtsc() - began, burst.count));
	return burst.count;
}
