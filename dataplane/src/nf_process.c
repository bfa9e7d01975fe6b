#include "nf_process.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

#define ROOM_WAIT_NS 1000000000ULL /* after this the next stage counts as stuck, and the burst is dropped */
#define IDLE_WAIT_NS 1000000000ULL
#define SIGNAL_AFTER 256U /* packets passed on before a sleeping next stage is woken, unless our ring empties first */
#define OUTLIER 4U        /* a burst this many times dearer than usual was pre-empted */
#define OUTLIERS_MAX 8U   /* in a row: then it is the new usual */

struct cost {
	uint64_t usual; /* cycles a packet, times 16 */
	uint32_t outliers;
};

struct burst {
	struct rte_mbuf *packets[BURST];
	uint32_t count, keep, kept;
};

/* The stores of a step, all absolute: doing them again changes nothing. */
static void apply_step(struct nf_slot *slot)
{
	struct nf_step *step = &slot->step;

	atomic_store_explicit(&slot->out->tail, step->out_tail, memory_order_release);
	atomic_store_explicit(&slot->returned.tail, step->returned_tail, memory_order_release);
	atomic_store_explicit(&slot->in.head, step->in_head, memory_order_release);
	atomic_store_explicit(&slot->rx, step->rx, memory_order_relaxed);
	atomic_store_explicit(&slot->tx, step->tx, memory_order_relaxed);
	atomic_store_explicit(&slot->drops, step->drops, memory_order_relaxed);
	atomic_store_explicit(&slot->filtered, step->filtered, memory_order_relaxed);
	atomic_store_explicit(&slot->cycles, step->cycles, memory_order_relaxed);
	atomic_store_explicit(&step->valid, 0, memory_order_release);
}

void nf_recover(struct nf_slot *slot)
{
	if (atomic_load_explicit(&slot->step.valid, memory_order_acquire) != 0)
		apply_step(slot);
	/* It may have died before it woke its neighbours. */
	bell_ring(slot->out->consumer);
	bell_ring(slot->returned.consumer);
	bell_ring(slot->in.producer);
}

/*
 * Cycles of a burst for the `cycles` counter. On a shared core a burst can be pre-empted in the middle, and the clock
 * runs on; such a burst is counted at the usual cost.
 */
static uint64_t clean_cycles(struct cost *cost, uint64_t cycles, uint32_t packets)
{
	uint64_t each = cycles * 16 / packets;

	if (cost->usual != 0 && each > OUTLIER * cost->usual && ++cost->outliers <= OUTLIERS_MAX)
		return cost->usual * packets / 16;
	cost->outliers = 0;
	cost->usual = cost->usual == 0 ? each : (cost->usual * 15 + each) / 16;
	return cycles;
}

/* Sleeps until `ring` has `room` free places; false when the next stage took nothing for ROOM_WAIT_NS. */
static bool wait_room(struct nf_slot *slot, struct ring *ring, uint32_t room)
{
	uint64_t until = 0;

	while (ring_free(ring) < room) {
		uint32_t seen = bell_read(&slot->bell);
		uint64_t now = now_ns();

		if (until == 0)
			until = now + ROOM_WAIT_NS;
		if (now >= until)
			return false;
		ring_signal_data(ring);
		ring_want_room(ring);
		if (ring_free(ring) < room)
			bell_wait(&slot->bell, seen, until - now);
	}
	return true;
}

/* The filtered packets' way back is emptied by the traffic process, which ends only with the runner: wait for it. */
static void wait_returned(struct nf_slot *slot, uint32_t room)
{
	while (!wait_room(slot, &slot->returned, room))
		;
}

/* Lays the burst behind the two tails and writes the step down; nothing is visible to others before apply_step. */
static void plan_step(struct nf_slot *slot, const struct burst *burst, bool room, uint64_t cycles)
{
	uint32_t tx = 0, back = 0;
	struct nf_step *step = &slot->step;

	for (uint32_t i = 0; i < burst->count; i++) {
		if (room && (burst->keep >> i & 1) != 0)
			ring_put(slot->out, tx++, burst->packets[i]);
		else
			ring_put(&slot->returned, back++, burst->packets[i]);
	}
	step->out_tail = atomic_load_explicit(&slot->out->tail, memory_order_relaxed) + tx;
	step->returned_tail = atomic_load_explicit(&slot->returned.tail, memory_order_relaxed) + back;
	step->in_head = atomic_load_explicit(&slot->in.head, memory_order_relaxed) + burst->count;
	step->rx = counter_read(&slot->rx) + burst->count;
	step->tx = counter_read(&slot->tx) + tx;
	step->drops = counter_read(&slot->drops) + (burst->kept - tx);
	step->filtered = counter_read(&slot->filtered) + (burst->count - burst->kept);
	step->cycles = counter_read(&slot->cycles) + cycles;
	atomic_store_explicit(&step->valid, 1, memory_order_release);
}

static void take_burst(struct nf_slot *slot, struct burst *burst)
{
	for (uint32_t i = 0; i < burst->count; i++) {
		burst->packets[i] = ring_peek(&slot->in, i);
		rte_prefetch0(burst->packets[i]);
	}
	for (uint32_t i = 0; i < burst->count; i++)
		rte_prefetch0(rte_pktmbuf_mtod(burst->packets[i], void *));
}

/* One burst from ring to ring; returns how many packets it took. */
static uint32_t run_step(const struct nf_run *run, struct cost *cost)
{
	struct nf_slot *slot = run->slot;
	struct burst burst = {.count = ring_used(&slot->in)};
	uint64_t started;
	bool room;

	if (burst.count == 0)
		return 0;
	if (burst.count > BURST)
		burst.count = BURST;
	started = rte_rdtsc();
	take_burst(slot, &burst);
	burst.keep = run->type->process(run->state, burst.packets, burst.count);
	started = clean_cycles(cost, rte_rdtsc() - started, burst.count);
	burst.kept = (uint32_t)__builtin_popcount(burst.keep);
	room = wait_room(slot, slot->out, burst.kept);
	wait_returned(slot, room ? burst.count - burst.kept : burst.count);
	plan_step(slot, &burst, room, started);
	apply_step(slot);
	ring_signal_room(&slot->in);
	if (ring_used(&slot->returned) > RING_SIZE / 2) /* a few may wait for the traffic process's next round */
		ring_signal_data(&slot->returned);
	return burst.count;
}

static void wait_work(struct nf_slot *slot)
{
	uint32_t seen = bell_read(&slot->bell);

	ring_want_data(&slot->in);
	if (ring_used(&slot->in) == 0)
		bell_wait(&slot->bell, seen, IDLE_WAIT_NS);
}

void nf_process_main(void *argument)
{
	const struct nf_run *run = argument;
	struct nf_slot *slot = run->slot;
	struct cost cost = {0};
	uint32_t unsignalled = 0, done;

	atomic_store_explicit(&slot->ready, 1, memory_order_release);
	bell_ring(run->control_bell);
	for (;;) {
		done = run_step(run, &cost);
		unsignalled += done;
		if (unsignalled >= SIGNAL_AFTER || (done == 0 && unsignalled > 0)) {
			ring_signal_data(slot->out);
			unsignalled = 0;
		}
		if (done == 0)
			wait_work(slot);
	}
}
