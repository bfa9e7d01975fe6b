/*
 * How many packets of a source fall due in a span of time: evenly or as a Poisson process over a schedule of rates, or
 * with the gaps of a replayed file. Pure: the clock is passed in, chance is seeded.
 */
#ifndef SEXTANT_ARRIVALS_H
#define SEXTANT_ARRIVALS_H

#include <stdint.h>

#include "packets/replay.h"
#include "packets/schedule.h"

enum arrivals_kind { ARRIVALS_EVEN, ARRIVALS_POISSON, ARRIVALS_FILE };

struct arrivals {
	enum arrivals_kind kind;
	struct schedule schedule;
	double carried;       /* even: the part of a packet left over; Poisson: packets still expected before the next one */
	uint64_t random;      /* Poisson */
	uint64_t longest_tick;
	struct replay_clock clock; /* file */
};

/* What is asked of a source, as far as times go. Without steps nothing is sent. */
struct arrivals_config {
	enum arrivals_kind kind;
	uint32_t step_count;
	struct rate_step steps[RATE_STEPS_MAX];
	uint64_t seed;
	const struct replay *replay; /* of ARRIVALS_FILE */
};

void arrivals_start(struct arrivals *arrivals, const struct arrivals_config *config, uint64_t cycles_per_second,
	uint64_t now);

/* The time since the last call is left out: nothing fell due in it. */
void arrivals_resume(struct arrivals *arrivals, uint64_t now);

/* Packets that fell due since the last call. */
uint64_t arrivals_advance(struct arrivals *arrivals, uint64_t now);

/* The cycle at which it is worth looking again, or SCHEDULE_NEVER. */
uint64_t arrivals_next(const struct arrivals *arrivals);

#endif
