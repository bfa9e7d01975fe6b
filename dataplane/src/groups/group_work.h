/* What a group's process does with a burst: from a ring through the NFs, each counted apart, and out. */
#ifndef SEXTANT_GROUP_WORK_H
#define SEXTANT_GROUP_WORK_H

#include "groups/group_run.h"

/* What the process knows of an NF's usual cost. */
struct cost {
	uint64_t usual; /* cycles a packet, times 16 */
	uint32_t outliers;
};

struct worker {
	const struct group_run *run;
	struct group_slot *slot;
	uint32_t unsignalled; /* packets passed on since the next stage was last told */
	struct cost costs[CHAIN_NFS_MAX];
	struct cost burst_cost; /* of all of them, with taking a burst and handing it on */
	struct cost wake_cost;  /* of waking the next stage */
};

/*
 * One burst from the ring of NF `entry`; returns how many packets it took. It waits for room on the ways out before it
 * takes any; an order that comes meanwhile ends the wait, and nothing is taken.
 */
uint32_t group_work(struct worker *worker, uint32_t entry);

/* Tells the next stage of what was passed on, with more to come. Waking it is work for packets: it counts as busy. */
void group_signal(struct worker *worker);

/* Whether there is an order that the process has not yet obeyed. */
static inline bool group_is_ordered(struct group_slot *slot)
{
	return atomic_load_explicit(&slot->order, memory_order_acquire) !=
		atomic_load_explicit(&slot->obeyed, memory_order_relaxed);
}

static inline void group_sleep(struct group_slot *slot, uint32_t seen, uint64_t timeout_ns)
{
	counter_add(&slot->sleeps, 1);
	bell_wait(&slot->bell, seen, timeout_ns);
}

#endif
