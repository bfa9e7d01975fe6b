/*
 * Work of unknown cost on untrusted input, done in a child with bounds: what crashes, hangs or eats memory there ends
 * the child alone. It is forked by the thread that waits for it, and needs no lock that another one could hold: only the C
 * library's, which are free in a child. When memory runs out, the kernel ends it before any other process of the runner.
 */
#ifndef SEXTANT_BOUNDED_H
#define SEXTANT_BOUNDED_H

#include <stddef.h>

enum bounded_end {
	BOUNDED_DONE,
	BOUNDED_TOO_LONG,
	BOUNDED_NO_MEMORY, /* killed by the kernel, which had none left: not by the bound */
	BOUNDED_CRASHED, /* killed by a signal, or it could not be started */
};

/*
 * Runs work(argument, memory) in a child for at most `seconds` of CPU time (twice that on a busy machine's clock), with
 * at most `bytes_most` of memory beside what this process has. `memory` is from bounded_memory: what the child writes
 * there, this process reads.
 */
enum bounded_end bounded_run(void (*work)(void *argument, void *memory), void *argument, void *memory,
	unsigned int seconds, size_t bytes_most);

/* Children that this thread waits for from now on are killed when the descriptor is readable; their end is TOO_LONG. */
void bounded_end_by(int descriptor);

/* `bytes` of zeros shared with children, taken as they are touched; NULL when there is none. */
void *bounded_memory(size_t bytes);
void bounded_memory_free(void *memory, size_t bytes);

#endif
