/*
 * One step of a group of NFs: a burst from the ring of one NF, through it and those after it, to the ring behind the
 * group or back to the pool. Written down, then applied; whoever is killed in between, the step is done or not begun.
 */
#ifndef SEXTANT_GROUP_STEP_H
#define SEXTANT_GROUP_STEP_H

#include "nf/nf.h"
#include "shared.h"

/* A burst on its way: what goes on, in order, and what was filtered. */
struct burst {
	struct rte_mbuf *live[BURST], *back[BURST];
	uint32_t count, live_count, back_count;
};

/*
 * Lays the burst behind the two tails and writes the step down: `next` of the NFs [entry, end) is filled already.
 * Nothing is visible to others before step_apply.
 */
void step_plan(struct group_slot *group, const struct burst *burst, uint32_t entry, uint32_t end);

/* The stores of a step, all absolute: doing them again changes nothing. */
void step_apply(struct group_slot *group);

/*
 * After the death of a group's process: finishes the step it was killed in, if any. Then every packet is in exactly one
 * ring and every counter agrees with the rings, as if it had been killed between two steps.
 */
void step_recover(struct group_slot *group);

#endif
