/* How fast a core really runs: a chain of dependent multiplications, whose latency is known in cycles. */
#ifndef SEXTANT_MEASURE_CLOCK_H
#define SEXTANT_MEASURE_CLOCK_H

#include <stdint.h>

#include "base/error.h"

/*
 * A multiplication waits three cycles for the one before it on every x86-64 core since Nehalem and Zen (Fog, Instruction
 * tables: IMUL r64,r64). 0 where that is not known: then the clock rate is unknown, but its changes are still seen.
 */
#if defined(__x86_64__)
#define IMUL_CYCLES 3
#else
#define IMUL_CYCLES 0
#endif

/* Median time of one multiplication in ns on that core; -1 with `err` filled. */
int clock_measure(int core, double *imul_ns, struct error *err);

/* Ticks of the time-stamp counter a second, over 50 ms. */
double clock_tsc_hz(void);

/* The value at `share` (0 to 1) of `count` values, which are sorted in place. */
double quantile(double *values, uint32_t count, double share);

#endif
