/*
 * Work of unknown cost on untrusted input, done in a child with bounds: what crashes, hangs or eats memory there ends
 * the child alone. The control process waits for it, and may do other things meanwhile.
 */
#ifndef SEXTANT_BOUNDED_H
#define SEXTANT_BOUNDED_H

#include <stddef.h>

enum bounded_end {
	BOUNDED_DONE,
	BOUNDED_TOO_LONG,
	BOUNDED_CRASHED, /* killed by a signal, or it could not be started */
};

/*
 * Runs work(argument, memory) in a child for at most `seconds` of CPU time (twice that on a busy machine's clock), with
 * at most `bytes_most` of memory beside what this process has. `memory` is from bounded_memory: what the child writes
 * there, this process reads.
 */
enum bounded_end bounded_run(void (*work)(void *argument, void *memory), void *argument, void *memory,
	unsigned int seconds, size_t bytes_most);

/*
 * What is called instead of sleeping: returns above 0 when the descriptor `child` is readable, 0 when so many
 * milliseconds have passed, and below 0 to be called again; as poll does. NULL: nothing else is done meanwhile.
 */
typedef int (*bounded_wait)(int child, int milliseconds);
void bounded_meanwhile(bounded_wait wait);

/* `bytes` of zeros shared with children, taken as they are touched; NULL when there is none. */
void *bounded_memory(size_t bytes);
void bounded_memory_free(void *memory, size_t bytes);

#endif
