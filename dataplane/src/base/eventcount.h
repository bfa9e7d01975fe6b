/*
 * Eventcount: a process sleeps until another signals it. Each process that handles packets has one (a futex word in shared
 * memory). To sleep: read the count, arm the rings that are waited for, check them again, then wait for the count to change.
 */
#ifndef SEXTANT_EVENTCOUNT_H
#define SEXTANT_EVENTCOUNT_H

#include <stdatomic.h>
#include <stdint.h>

struct eventcount {
	_Atomic uint32_t count;
};

static inline uint32_t eventcount_read(struct eventcount *events)
{
	return atomic_load_explicit(&events->count, memory_order_acquire);
}

/* Wakes the process that waits, or makes its next eventcount_wait return at once. */
void eventcount_signal(struct eventcount *events);

/* Sleeps until the count differs from `seen`, or for `timeout_ns` at most; it may also return early without a signal. */
void eventcount_wait(struct eventcount *events, uint32_t seen, uint64_t timeout_ns);

/* Monotonic time in ns. */
uint64_t now_ns(void);

#endif
