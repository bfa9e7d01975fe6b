/* Groups of NFs and their processes, as the control process handles them: create, start, hold, resume, kill. */
#ifndef SEXTANT_GROUP_H
#define SEXTANT_GROUP_H

#include <sys/resource.h>

#include "chains/runner.h"

/* A group of the chain's NFs [first, first + nf_count). Never fails: see GROUPS_MAX. */
struct group *group_create(struct runner *runner, struct chain *chain, uint32_t first, uint32_t nf_count);

/* Forks the group's process and waits until it runs on its core and holds. -1 with `err` filled: it has been ended. */
int group_start(struct runner *runner, struct group *group, const char *field, struct error *err);

/* Lets a process that holds go on. */
void group_resume(struct group *group);

/* Makes the process hold between two steps; false when it does not (it has crashed or hangs). */
bool group_hold(struct runner *runner, struct group *group);

/* Kills the process and finishes its last step; the NFs' tables stay. */
void group_kill(struct group *group);

/* Ends a process that holds, or has never run, and frees the group. */
void group_destroy(struct group *group);

/* After the process has ended by itself: its NFs count as crashed, and their tables are freed as they may be corrupt. */
void group_handle_crash(struct group *group, int status, const struct rusage *usage);

/* Distributes the CPU time and busy time of the process since the last call among its NFs, by the cycles each has counted. */
void group_account(struct group *group, uint64_t process_cpu_ns);

/* Frees an NF's tables, if it has any (build.h builds them). */
void nf_close_tables(struct nf *nf);

#endif
