/*
 * One step of a group of NFs: a burst from the ring of one NF, through it and those after it, to the ring behind the
 * group or back to the pool. It is recorded first, then applied: if a process is killed in between, the step is redone from
 * its record or was never begun.
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

/* Marks a burst of `count` packets from the ring of NF `entry` as in progress, before the first NF sees it. */
static inline void step_begin(struct group_slot *group, uint32_t entry, uint32_t count)
{
	group->step.entry = entry;
	atomic_store_explicit(&group->step.begun, count, memory_order_relaxed);
	/* A killed process has executed what precedes in program order and nothing after, if the compiler does not reorder. */
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Copies the burst behind the tails of both output rings and writes the redo record. The caller has filled `next` of the NFs
 * [entry, end), where `entry` is that of step_begin. Other processes see nothing before step_apply.
 */
void step_record(struct group_slot *group, const struct burst *burst, uint32_t end);

/* Does the stores of the recorded step. All are absolute: doing them again changes nothing. */
void step_apply(struct group_slot *group);

/*
 * After the death of a group's process: finishes the step that it was killed in, if any. Then every packet is in exactly one
 * ring and every counter agrees with the rings, as if it had been killed between two steps. A burst that was in progress
 * and not recorded stays in its ring if the NFs are `repeatable`; otherwise it returns to the pool and counts as drops of its
 * first NF.
 */
void step_recover(struct group_slot *group, bool repeatable);

#endif
