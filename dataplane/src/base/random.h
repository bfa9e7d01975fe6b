/* Seeded random numbers (xorshift64*): same seed, same numbers. One stream a purpose, so that none shifts another. */
#ifndef SEXTANT_RANDOM_H
#define SEXTANT_RANDOM_H

#include <stdint.h>

/* The start of stream number `stream`; never 0, where xorshift would stay. The finalizer of splitmix64 spreads seeds. */
static inline uint64_t random_start(uint64_t seed, uint64_t stream)
{
	uint64_t x = seed + (stream + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) | 1;
}

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static inline uint32_t random_u32(uint64_t *state)
{
	return (uint32_t)(random_next(state) >> 32);
}

/* A number below `bound`, without a division; some are likelier than others by at most bound / 2^32. */
static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)((uint64_t)random_u32(state) * bound >> 32);
}

/* In (0, 1]: its logarithm is finite. */
static inline double random_unit(uint64_t *state)
{
	return (double)((random_next(state) >> 11) + 1) * 0x1p-53;
}

#endif
