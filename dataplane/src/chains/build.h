/*
 * NFs' tables are built in a thread beside the control loop: seconds for thousands of rules or a large working set, in which
 * the runner is asked, changed and ended as ever. One build at a time.
 *
 * The thread only reads the configurations and fills tables that nobody else knows yet. The control thread goes on forking
 * NFs: their processes take no lock that the thread could hold (of DPDK's heap and lists; the C library frees its own).
 * A library that is in the middle of its work cannot be stopped: a build that is given up is answered for at once, and what
 * it has made is freed by the thread when the library returns. Until then no other build begins.
 */
#ifndef SEXTANT_BUILD_H
#define SEXTANT_BUILD_H

#include "chains/runner.h"

/* Builds the tables of `count` NFs of one chain, whose fields in a refusal are `at[i]`. All or (-1) none. */
int build_tables(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count, struct error *err);

/* The chain whose NFs' tables are being built, or NULL. */
const struct chain *build_chain(const struct runner *runner);

/* Gives up the build in work, if there is one and it is `asker`'s (NULL: anyone's); whoever waits for it is answered soon. */
void build_give_up(struct runner *runner, const void *asker);

/* Readable when the thread has ended; -1: there is none. */
int build_ended_fd(const struct runner *runner);

/* Frees a build that was given up and has ended. */
void build_reap(struct runner *runner);

/* At the end of the runner. False when the thread cannot be ended: then only _exit is safe. */
bool build_stop(struct runner *runner);

#endif
