#include "base/histogram.h"

uint64_t histogram_bound(uint32_t index)
{
	uint32_t octave = index >> HISTOGRAM_SUB_BITS;
	uint64_t step = (index & ((1U << HISTOGRAM_SUB_BITS) - 1)) + 1;

	if (octave == 0)
		return step << (HISTOGRAM_MIN_BITS - HISTOGRAM_SUB_BITS);
	octave += HISTOGRAM_MIN_BITS - 1;
	return (1ULL << octave) + (step << (octave - HISTOGRAM_SUB_BITS));
}
