/*
 * Log-linear latency histogram (as HDR histograms are): below 1024 ns buckets 32 ns wide, above that each doubling
 * is cut into 32 equal buckets, so a bucket is at most 1/32 = 3.1 % of its value wide, up to 2^32 ns (4.3 s).
 */
#ifndef SEXTANT_HISTOGRAM_H
#define SEXTANT_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_MIN_BITS 10
#define HISTOGRAM_MAX_BITS 32
#define HISTOGRAM_BOUNDS ((1 << HISTOGRAM_SUB_BITS) * (HISTOGRAM_MAX_BITS - HISTOGRAM_MIN_BITS + 1))
/* One bucket past the bounds counts what is slower than the last bound. */
#define HISTOGRAM_BUCKETS (HISTOGRAM_BOUNDS + 1)

/* Index of the bucket that counts `ns`: the first whose upper bound is above it. */
static inline uint32_t histogram_bucket(uint64_t ns)
{
	uint32_t octave;

	if (ns < (1U << HISTOGRAM_MIN_BITS))
		return (uint32_t)(ns >> (HISTOGRAM_MIN_BITS - HISTOGRAM_SUB_BITS));
	if (ns >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BOUNDS;
	octave = 63 - (uint32_t)__builtin_clzll(ns);
	return ((octave - HISTOGRAM_MIN_BITS + 1) << HISTOGRAM_SUB_BITS) +
		(uint32_t)((ns >> (octave - HISTOGRAM_SUB_BITS)) & ((1U << HISTOGRAM_SUB_BITS) - 1));
}

/* Upper bound in ns (exclusive) of bucket `index`, index < HISTOGRAM_BOUNDS. */
uint64_t histogram_bound(uint32_t index);

#endif
