/* Latency of dependent loads over buffers of rising size: where it rises, a cache ends, whatever CPUID says. */
#ifndef SEXTANT_MEASURE_CHASE_H
#define SEXTANT_MEASURE_CHASE_H

#include <stdint.h>

#include "base/error.h"

#define CHASE_BYTES_MIN 8192ULL
#define CHASE_STEPS_MAX 128U

struct chase_step {
	uint64_t bytes;
	double ns; /* of one load */
};

/* Sizes from CHASE_BYTES_MIN to `most`, four an octave; returns how many. */
uint32_t chase_sizes(uint64_t most, struct chase_step *steps);

/* Measures `count` steps on a core; calls `on_step` after each. */
int chase_measure(int core, struct chase_step *steps, uint32_t count, void (*on_step)(const struct chase_step *step),
	struct error *err);

#endif
