/*
 * Which NFs of a chain share a process, and the change from one grouping to another while packets flow. The processes
 * concerned hold between two steps, their successors go on from the same rings and tables; no packet is lost or
 * overtaken, because a ring always holds the packets that its own NF is to work on next.
 */
#ifndef SEXTANT_REGROUP_H
#define SEXTANT_REGROUP_H

#include "chains/runner.h"

/* Forks the processes of a chain whose tables are open and whose rings are empty; they hold. -1: none is left. */
int groups_start(struct runner *runner, struct chain *chain, struct error *err);
void groups_go(struct chain *chain);
/* Kills all processes of the chain and gives its groups back. */
void groups_end(struct runner *runner, struct chain *chain);

/* What a chain shall become. */
struct arrangement {
	enum execution execution;
	int cores[CHAIN_NFS_MAX];
};

struct arrangement arrangement_of(const struct chain *chain);

/* Either the chain is arranged so, or nothing has changed (but for a process that died meanwhile: it has crashed). */
int chain_arrange(struct runner *runner, struct chain *chain, const struct arrangement *wanted, struct error *err);

#endif
