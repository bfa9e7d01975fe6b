/*
 * What happens when: time is cut into slices (about 1 ms) on one grid that all workers share, and slices into phases.
 * Where competitors swap with a spinner, phases follow the pattern ABBA (A: spinner, B: competitor), so that a drift
 * that is linear in time weighs on both alike.
 */
#ifndef SEXTANT_MEASURE_TIMETABLE_H
#define SEXTANT_MEASURE_TIMETABLE_H

#include <stdbool.h>
#include <stdint.h>

#define SLICES_MAX 65536U

struct timetable {
	uint32_t slice_us;
	uint32_t phase_slices;
	uint32_t settle_slices; /* dropped at the start of every phase: caches still hold what was there before */
	uint32_t phases;
	bool swaps;
};

static inline uint32_t timetable_slices(const struct timetable *timetable)
{
	return timetable->phase_slices * timetable->phases;
}

/* True where the competitors' cores are held by a spinner. */
static inline bool timetable_spins(const struct timetable *timetable, uint32_t phase)
{
	return timetable->swaps && (phase % 4 == 0 || phase % 4 == 3);
}

static inline bool timetable_settles(const struct timetable *timetable, uint32_t slice)
{
	return slice % timetable->phase_slices < timetable->settle_slices;
}

#endif
