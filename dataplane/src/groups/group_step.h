/*
 * One step of a group of NFs: a burst from the ring of one NF, through it and those after it, to the ring behind the
 * group or back to the pool. Written down, then applied; whoever is killed in between, the step is done or not begun.
 */
#ifndef SEXTANT_GROUP_STEP_H
#define SEXTANT_GROUP_STEP_H

#include "nf/nf.h"
#include "shared/shared.h"

/* A burst on its way: what goes on, in order, and what was filtered. */
struct burst {
	struct rte_mbuf *live[BURST], *back[BURST];
	uint32_t count, live_count, back_count;
};

/* The burst of `count` packets from the ring of NF `entry` is worked on from now on: before the first NF sees it. */
static inline void step_begin(struct group_slot *group, uint32_t entry, uint32_t count)
{
	group->step.entry = entry;
	atomic_store_explicit(&group->step.begun, count, memory_order_relaxed);
	/* A process that is killed has done what stands before in its program, and nothing later, if the compiler lets it. */
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Lays the burst behind the two tails and writes the step down: `next` of the NFs [entry, end) is filled already, where
 * `entry` is that of step_begin.
 * Nothing is visible to others before step_apply.
 */
void step_plan(struct group_slot *group, const struct burst *burst, uint32_t end);

/* The stores of a step, all absolute: doing them again changes nothing. */
void step_apply(struct group_slot *group);

/*
 * After the death of a group's process: finishes the step it was killed in, if any. Then every packet is in exactly one
 * ring and every counter agrees with the rings, as if it had been killed between two steps. A burst that was worked on
 * and written down by nobody stays in its ring if the work is `repeatable`; otherwise it goes back to the pool, and
 * counts as the drops of its first NF.
 */
void step_recover(struct group_slot *group, bool repeatable);

#endif
