/* Child processes: forked from the control process, pinned to one core, gone when the control process is gone. */
#ifndef SEXTANT_PROCESS_H
#define SEXTANT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/wait.h"

typedef void (*process_main)(void *argument); /* never returns */

#define NO_CORE (-1) /* any of those this process may use */

/* Forks; in the child `run(argument)` runs on `core`, named `name` (15 characters shown). Returns the pid or -1. */
pid_t process_start(const char *name, int core, process_main run, void *argument);

#define PROCESS_NO_CORE 3 /* its exit status when the kernel does not let it run on its core */

/*
 * Waits until the process has set `word` to `value` (it rings `bell` then); false when it ended or took longer than
 * `within_ns`. It is left for process_end to reap.
 */
bool process_wait(pid_t pid, _Atomic uint32_t *word, uint32_t value, struct bell *bell, uint64_t within_ns);

#define READY_WITHIN_NS 5000000000ULL /* a process that is not ready by then never will be */

/* Whether the process has ended because the kernel does not let it run on its core. */
bool process_lacks_core(pid_t pid);

/*
 * For this process: when memory runs out, which of the runner's processes the kernel is to end before others. The runner
 * itself, and the traffic process, stay last: all chains would end with them.
 */
#define EXPENDABLE_FIRST 1000 /* what only tries something */
#define EXPENDABLE_NF 900     /* one NF: its chain can be mended */
void process_expendable(int score);

/* Kills and reaps; adds the CPU time it used. */
void process_end(pid_t pid, uint64_t *cpu_ns);

/* CPU time of a living process in ns, 0 when it is gone. */
uint64_t process_cpu_ns(pid_t pid);

/* Field 22 of /proc/PID/stat: clock ticks from boot to the start of the process. */
uint64_t process_start_time(pid_t pid);

/*
 * Asks for turns of 0.1 ms on the CPU for the calling process, the shortest there are: when it wakes, it does not wait until
 * one with longer turns has had its own. Its share stays as it is. Linux before 6.12 takes no notice.
 */
void process_take_short_turns(void);

/* Moves the (single-threaded) process to one core; returns the core read back, or -1. */
int process_move(pid_t pid, int core);

#endif
