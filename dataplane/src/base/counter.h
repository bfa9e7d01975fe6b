/* A figure in shared memory: ONE process adds to it, any other may read it. */
#ifndef SEXTANT_COUNTER_H
#define SEXTANT_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

static inline void counter_add(counter *c, uint64_t by) /* by its only writer */
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

static inline uint64_t counter_read(const counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

#endif
