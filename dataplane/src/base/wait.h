/*
 * Sleeping and waking between processes: each packet process has one bell (a futex word in shared memory).
 * To sleep: read the bell, say in the rings what is waited for, look again, then wait for the bell to move.
 */
#ifndef SEXTANT_WAIT_H
#define SEXTANT_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

struct bell {
	_Atomic uint32_t rings;
};

static inline uint32_t bell_read(struct bell *bell)
{
	return atomic_load_explicit(&bell->rings, memory_order_acquire);
}

/* Wakes the bell's process, or makes its coming bell_wait return at once. */
void bell_ring(struct bell *bell);

/* Sleeps until the bell is rung after `seen` was read, or for `timeout_ns` (spurious returns are possible). */
void bell_wait(struct bell *bell, uint32_t seen, uint64_t timeout_ns);

/* Monotonic time in ns. */
uint64_t now_ns(void);

#endif
