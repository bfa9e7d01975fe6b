/* Groups of NFs and their processes, as the control process handles them: taken, forked, ordered, ended. */
#ifndef SEXTANT_GROUP_H
#define SEXTANT_GROUP_H

#include <sys/resource.h>

#include "chains/runner.h"

/* A free group for the NFs [first, first + nf_count) of the chain; its tables are theirs. Never fails: see GROUPS_MAX. */
struct group *group_take(struct runner *runner, struct chain *chain, uint32_t first, uint32_t nf_count);

/* Forks the group's process and waits until it stands on its core and holds. -1: it does not, and is gone. */
int group_start(struct runner *runner, struct group *group, const char *field, struct error *err);

void group_go(struct group *group);

/* Lets the process hold between two steps; false when it does not (it has crashed or hangs). */
bool group_hold(struct runner *runner, struct group *group);

/* Kills the process and finishes its last step; the NFs' tables stay. */
void group_end(struct group *group);

/* Ends a process that holds, or has never run, and gives the group back. */
void group_retire(struct group *group);

/* The process has ended by itself: its NFs have crashed, and their tables are not to be trusted. */
void group_crashed(struct group *group, int status, const struct rusage *usage);

/* Adds to each NF CPU time and busy time of the process since the last call, by the cycles each has counted. */
void group_account(struct group *group, uint64_t process_cpu_ns);

/* Frees an NF's tables, if it has any (build.h makes them). */
void tables_close(struct nf *nf);

#endif
