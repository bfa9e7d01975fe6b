/*
 * The rate of a source over time: steps of some seconds at a rate each, repeated. Says how many packets are expected
 * in a span of time, and when it is worth checking again. Pure: the clock is passed in.
 */
#ifndef SEXTANT_SCHEDULE_H
#define SEXTANT_SCHEDULE_H

#include <stdint.h>

#define RATE_MPPS_MAX 148.8 /* 100 GbE of 64-byte packets */
#define RATE_STEPS_MAX 64U
#define SCHEDULE_NEVER UINT64_MAX
#define SCHEDULE_LONGEST_TICK_S 10e-3

struct rate_step {
	double seconds, packets_per_second;
};

struct schedule_step {
	double packets_per_cycle;
	uint64_t interval; /* cycles between ticks; 0: nothing is sent in this step */
	uint64_t end;      /* cycles from the begin of a round to the end of this step */
};

struct schedule {
	uint32_t count, at; /* steps; the present one */
	uint64_t origin;    /* cycle at which the present round began */
	uint64_t last;      /* packets up to this cycle have been returned */
	double per_round;
	struct schedule_step steps[RATE_STEPS_MAX];
};

/* Cycles between two ticks at that rate: a millisecond, longer where packets are few, shorter where they are many. */
uint64_t schedule_tick(double packets_per_second, uint64_t cycles_per_second);

/* Begins at cycle `now` with the first of `count` steps. A single step lasts for ever. */
void schedule_start(struct schedule *schedule, const struct rate_step *steps, uint32_t count, uint64_t cycles_per_second,
	uint64_t now);

/* The time since the last call is left out: the schedule goes on at `now` where it stood. */
void schedule_resume(struct schedule *schedule, uint64_t now);

/* Packets expected since the last call. */
double schedule_advance(struct schedule *schedule, uint64_t now);

/* The cycle of the next tick: one interval on, or where the step ends; SCHEDULE_NEVER if nothing is ever sent. */
uint64_t schedule_next(const struct schedule *schedule);

#endif
