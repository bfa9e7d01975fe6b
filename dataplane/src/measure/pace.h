/*
 * The rate of a competitor that shall not press as hard as it can: a burst at a time, due by the time-stamp counter. Who
 * waits for it spins (worker.c): the core stays its own, and nothing is touched. Pure: the clock is passed in.
 */
#ifndef SEXTANT_MEASURE_PACE_H
#define SEXTANT_MEASURE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_LEAST_MPPS 0.001 /* two bursts a phase of 80 ms */
#define PACE_CATCH_UP 8U      /* bursts: a short absence costs no packets, a long one or a slow NF builds up no debt */

struct pace {
	uint64_t ticks; /* from one burst to the next; 0: no rate, always due */
	uint64_t due;
};

/* True once for each burst that is due at `now`. */
static inline bool pace_is_due(struct pace *pace, uint64_t now)
{
	if (pace->ticks == 0)
		return true;
	if (now < pace->due)
		return false;
	if (now - pace->due > PACE_CATCH_UP * pace->ticks)
		pace->due = now;
	pace->due += pace->ticks;
	return true;
}

#endif
