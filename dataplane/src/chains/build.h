/*
 * NFs' tables are built in a thread beside the event loop. That takes seconds for thousands of rules or a large working set;
 * meanwhile the runner answers and changes other chains. One build at a time.
 *
 * The thread only reads the configurations and fills tables that no other thread knows yet. The control thread goes on forking
 * NFs: their processes take no lock that the thread could hold (of DPDK's heap and lists; fork releases the C library's).
 * A call into a library cannot be interrupted: a cancelled build is answered at once, and the thread frees its tables when
 * the library returns. Until then no other build starts.
 */
#ifndef SEXTANT_BUILD_H
#define SEXTANT_BUILD_H

#include "chains/runner.h"

/* Builds the tables of `count` NFs of one chain; an error of NF i names the field `at[i]`. All, or (-1) none. */
int build_tables(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count, struct error *err);

/* The chain whose NFs' tables are being built, or NULL. */
const struct chain *build_chain(const struct runner *runner);

/* Cancels the running build, if there is one and `requester` asked for it (NULL: any); its request is then refused soon. */
void build_cancel(struct runner *runner, const void *requester);

/* Readable when the thread has ended; -1: there is none. */
int build_done_fd(const struct runner *runner);

/* Frees a cancelled build whose thread has ended. */
void build_reap(struct runner *runner);

/* At the end of the runner. False when the thread has not ended within a second: then only _exit is safe. */
bool build_stop(struct runner *runner);

#endif
