/*
 * Which NFs of a chain share a process, and the change from one grouping to another while packets flow. The processes
 * concerned hold between two steps, and their successors continue with the same rings and tables. No packet is lost or
 * overtaken, because a ring always holds the packets that its own NF is to process next.
 */
#ifndef SEXTANT_REGROUP_H
#define SEXTANT_REGROUP_H

#include "chains/runner.h"

/* Forks the processes of a chain whose tables are built and whose rings are empty; they hold. -1 with `err` filled. */
int chain_start_groups(struct runner *runner, struct chain *chain, struct error *err);
void chain_resume_groups(struct chain *chain);
/* Kills all processes of the chain and frees its groups. */
void chain_kill_groups(struct runner *runner, struct chain *chain);

/* How the NFs of a chain are grouped and where they run. */
struct chain_layout {
	enum execution execution;
	int cores[CHAIN_NFS_MAX];
};

struct chain_layout chain_current_layout(const struct chain *chain);

/* All or nothing, except that a process that died meanwhile counts as crashed. -1 with `err` filled. */
int chain_apply_layout(struct runner *runner, struct chain *chain, const struct chain_layout *wanted, struct error *err);

#endif
