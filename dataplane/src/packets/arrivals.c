#include "packets/arrivals.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

#define STREAM 1U
/* More than a backlog holds; what a source that was away for long has missed beyond it is counted, not drawn. */
#define DRAWN_MAX 32768.0

static double exponential(uint64_t *random)
{
	return -log(random_unit(random));
}

void arrivals_start(struct arrivals *arrivals, const struct arrivals_config *config, uint64_t cycles_per_second,
	uint64_t now)
{
	memset(arrivals, 0, sizeof(*arrivals));
	arrivals->kind = config->kind;
	arrivals->random = random_start(config->seed, STREAM);
	arrivals->longest_tick = (uint64_t)(SCHEDULE_LONGEST_TICK_S * (double)cycles_per_second);
	if (config->kind == ARRIVALS_POISSON)
		arrivals->carried = exponential(&arrivals->random);
	if (config->kind == ARRIVALS_FILE)
		replay_clock_start(&arrivals->clock, config->replay, cycles_per_second, now);
	else
		schedule_start(&arrivals->schedule, config->steps, config->step_count, cycles_per_second, now);
}

void arrivals_resume(struct arrivals *arrivals, uint64_t now)
{
	if (arrivals->kind == ARRIVALS_FILE)
		replay_clock_resume(&arrivals->clock, now);
	else
		schedule_resume(&arrivals->schedule, now);
}

static uint64_t even(struct arrivals *arrivals, double expected)
{
	double exact = arrivals->carried + expected;
	uint64_t due = (uint64_t)exact;

	arrivals->carried = exact - (double)due;
	return due;
}

/* A Poisson process has exponential gaps; measured in expected packets instead of time they have mean 1, whatever the
 * rate is or becomes (Cinlar, Introduction to Stochastic Processes, 1975, section 4.7). */
static uint64_t poisson(struct arrivals *arrivals, double expected)
{
	uint64_t due = 0;

	if (expected > DRAWN_MAX) {
		due = (uint64_t)(expected - DRAWN_MAX);
		expected = DRAWN_MAX;
	}
	while (arrivals->carried <= expected) {
		expected -= arrivals->carried;
		arrivals->carried = exponential(&arrivals->random);
		due++;
	}
	arrivals->carried -= expected;
	return due;
}

uint64_t arrivals_advance(struct arrivals *arrivals, uint64_t now)
{
	double expected;

	if (arrivals->kind == ARRIVALS_FILE)
		return replay_clock_advance(&arrivals->clock, now);
	expected = schedule_advance(&arrivals->schedule, now);
	return arrivals->kind == ARRIVALS_POISSON ? poisson(arrivals, expected) : even(arrivals, expected);
}

/* A slow Poisson source is looked at when its next packet comes, not at an even pace. */
static uint64_t poisson_next(const struct arrivals *arrivals)
{
	const struct schedule *schedule = &arrivals->schedule;
	uint64_t tick = schedule_next(schedule), due;

	if (tick == SCHEDULE_NEVER || schedule->count > 1) /* the next packet may fall into a step of another rate */
		return tick;
	if (tick > schedule->last + arrivals->longest_tick)
		tick = schedule->last + arrivals->longest_tick;
	due = schedule->last + (uint64_t)(arrivals->carried / schedule->steps[schedule->at].packets_per_cycle) + 1;
	return due > tick ? due : tick;
}

uint64_t arrivals_next(const struct arrivals *arrivals)
{
	switch (arrivals->kind) {
	case ARRIVALS_FILE:
		return replay_clock_next(&arrivals->clock);
	case ARRIVALS_POISSON:
		return poisson_next(arrivals);
	default:
		return schedule_next(&arrivals->schedule);
	}
}
