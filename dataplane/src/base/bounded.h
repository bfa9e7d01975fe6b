/*
 * Work of unknown cost on untrusted input, in a child process with limits on CPU time and memory: if it crashes, hangs or
 * allocates without end, only the child dies. The thread that waits for the child forks it. The child needs no lock that
 * another thread could hold, except the C library's, which fork releases. The OOM killer ends it before any other process
 * of the runner.
 */
#ifndef SEXTANT_BOUNDED_H
#define SEXTANT_BOUNDED_H

#include <stddef.h>

#define BOUNDED_CLOCK_FACTOR 4U /* of a core whose time several processes share */

enum bounded_result {
	BOUNDED_DONE,
	BOUNDED_TIMED_OUT,
	BOUNDED_STARVED, /* it had not so much CPU time by then: the machine is busy, or it waits for something */
	BOUNDED_OUT_OF_MEMORY, /* by the OOM killer, not by the limit */
	BOUNDED_CRASHED, /* killed by a signal, or it could not be started */
};

/*
 * Runs work(argument, memory) in a child for at most `seconds` of CPU time (BOUNDED_CLOCK_FACTOR times that by the clock), with
 * at most `bytes_most` of memory beside what this process has. `memory` is from bounded_memory: what the child writes
 * there, this process reads.
 */
enum bounded_result bounded_run(void (*work)(void *argument, void *memory), void *argument, void *memory,
	unsigned int seconds, size_t bytes_most);

/* From now on, children that this thread waits for are killed once `descriptor` is readable: BOUNDED_TIMED_OUT. */
void bounded_cancel_on(int descriptor);

/* `bytes` of zeros shared with children, allocated as they are touched; NULL when there are none. */
void *bounded_memory(size_t bytes);
void bounded_memory_free(void *memory, size_t bytes);

#endif
