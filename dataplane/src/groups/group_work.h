/* What a group's process does with a burst: from a ring through the NFs, each counted apart, and out. */
#ifndef SEXTANT_GROUP_WORK_H
#define SEXTANT_GROUP_WORK_H

#include "groups/group_run.h"
#include "nf/burst_cost.h"

struct worker {
	const struct group_run *run;
	struct group_slot *slot;
	uint32_t unsignalled; /* packets passed on since the next stage was last woken */
	struct burst_clock clock;
	struct cost costs[CHAIN_NFS_MAX];
	struct cost burst_cost; /* of all NFs, with taking a burst and passing it on */
	struct cost wake_cost;  /* of waking the next stage */
};

/*
 * Processes one burst from the ring of NF `entry`; returns how many packets it took. It waits for space in the output rings
 * before it takes any; a command ends the wait, and nothing is taken.
 */
uint32_t group_process_burst(struct worker *worker, uint32_t entry);

/* Wakes the next stage while more packets are to come. That is part of processing packets: it counts as busy. */
void group_wake_next(struct worker *worker);

/* Whether there is a command that the process has not followed yet. */
static inline bool group_has_command(struct group_slot *slot)
{
	return atomic_load_explicit(&slot->command, memory_order_acquire) !=
		atomic_load_explicit(&slot->acknowledged, memory_order_relaxed);
}

static inline void group_sleep(struct group_slot *slot, uint32_t seen, uint64_t timeout_ns)
{
	counter_add(&slot->sleeps, 1);
	eventcount_wait(&slot->events, seen, timeout_ns);
}

#endif
