/* Child processes: forked by the control process, pinned to one core, killed by the kernel when the control process ends. */
#ifndef SEXTANT_PROCESS_H
#define SEXTANT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/eventcount.h"

typedef void (*process_main)(void *argument); /* never returns */

#define ANY_CORE (-1) /* any of those this process may use */

/* Forks; in the child `run(argument)` runs on `core`, named `name` (15 characters shown). Returns the pid or -1. */
pid_t process_start(const char *name, int core, process_main run, void *argument);

#define PROCESS_CORE_REFUSED 3 /* its exit status when the kernel does not let it run on its core */

/*
 * Waits until the process has set `word` to `value` and signalled `events`; false when it ended or took longer than
 * `timeout_ns`. It is left for process_kill to reap.
 */
bool process_wait_value(pid_t pid, _Atomic uint32_t *word, uint32_t value, struct eventcount *events, uint64_t timeout_ns);

#define READY_TIMEOUT_NS 5000000000ULL /* a process that is not ready by then counts as failed */

/* Whether the process has ended because the kernel does not let it run on its core. */
bool process_core_refused(pid_t pid);

/*
 * Sets the calling process's oom_score_adj, which orders the runner's processes for the OOM killer. The control process and
 * the traffic process stay last: all chains would end with them.
 */
#define OOM_SCORE_TRIAL 1000 /* a child that only tries something */
#define OOM_SCORE_NF 900     /* one NF: it can be restarted */
void process_set_oom_score(int score);

/* Kills and reaps; adds the CPU time it used. */
void process_kill(pid_t pid, uint64_t *cpu_ns);

/* CPU time of a living process in ns, 0 when it is gone. */
uint64_t process_cpu_ns(pid_t pid);

/* Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
uint64_t process_start_time(pid_t pid);

/*
 * Asks the scheduler for time slices of 0.1 ms, the shortest, for the calling process: when it wakes, it runs before processes
 * with longer slices. Its share of the CPU does not change. Linux before 6.12 ignores it.
 */
void process_set_short_slice(void);

/* Moves the (single-threaded) process to one core; returns the core read back, or -1. */
int process_pin(pid_t pid, int core);

/* Whether the (single-threaded) process may run on that core, and on no other. */
bool process_is_pinned(pid_t pid, int core);

#endif
