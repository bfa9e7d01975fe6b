/*
 * The highest value of a round. One process records values, another starts a new round by raising a number that both see.
 * Value and round share one word, so a value of an earlier round is never taken for one of the present round.
 */
#ifndef SEXTANT_PEAK_H
#define SEXTANT_PEAK_H

#include <stdatomic.h>
#include <stdint.h>

struct peak {
	_Atomic uint64_t mark; /* the round in the upper half, the value in the lower */
};

/* By its only writer. */
static inline void peak_record(struct peak *peak, uint32_t round, uint32_t value)
{
	uint64_t new = (uint64_t)round << 32 | value, old = atomic_load_explicit(&peak->mark, memory_order_relaxed);

	if (old >> 32 != round || new > old)
		atomic_store_explicit(&peak->mark, new, memory_order_relaxed);
}

/* The highest value recorded in `round`; 0 if none was. */
static inline uint32_t peak_read(struct peak *peak, uint32_t round)
{
	uint64_t mark = atomic_load_explicit(&peak->mark, memory_order_relaxed);

	return mark >> 32 == round ? (uint32_t)mark : 0;
}

#endif
