#include "packets/schedule.h"

#include <string.h>

#define TICK_S 1e-3
#define FASTEST_TICK_S 250e-6
#define FEW_PACKETS 64.0 /* worth a wake-up of every process of the chain */
#define MANY_PACKETS 256.0

/*
 * A millisecond between 0.064 and 0.256 Mpps. Below, ticks are longer, up to 10 ms, so that a wake-up is worth it (one
 * tick a packet under 100 packets a second); above they are shorter, so that a tick's packets stay few.
 */
static double tick_seconds(double packets_per_second)
{
	double one = 1.0 / packets_per_second, few = FEW_PACKETS / packets_per_second, many = MANY_PACKETS / packets_per_second;

	if (one > SCHEDULE_LONGEST_TICK_S)
		return one;
	if (few > TICK_S)
		return few < SCHEDULE_LONGEST_TICK_S ? few : SCHEDULE_LONGEST_TICK_S;
	if (many > TICK_S)
		return TICK_S;
	return many > FASTEST_TICK_S ? many : FASTEST_TICK_S;
}

uint64_t schedule_tick(double packets_per_second, uint64_t cycles_per_second)
{
	return packets_per_second <= 0 ? 0 : (uint64_t)(tick_seconds(packets_per_second) * (double)cycles_per_second);
}

void schedule_start(struct schedule *schedule, const struct rate_step *steps, uint32_t count, uint64_t cycles_per_second,
	uint64_t now)
{
	uint64_t end = 0;

	memset(schedule, 0, sizeof(*schedule));
	schedule->origin = schedule->last = now;
	schedule->count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct schedule_step *step = &schedule->steps[i];
		uint64_t cycles = (uint64_t)(steps[i].seconds * (double)cycles_per_second);

		end += cycles;
		step->end = end;
		step->packets_per_cycle = steps[i].packets_per_second / (double)cycles_per_second;
		step->interval = schedule_tick(steps[i].packets_per_second, cycles_per_second);
		schedule->per_round += step->packets_per_cycle * (double)cycles;
	}
}

void schedule_resume(struct schedule *schedule, uint64_t now)
{
	schedule->origin += now - schedule->last;
	schedule->last = now;
}

static double advance_within(struct schedule *schedule, uint64_t until)
{
	double cycles = (double)(until - schedule->last);

	schedule->last = until;
	return cycles * schedule->steps[schedule->at].packets_per_cycle;
}

/* The process may have been away for long: whole rounds are counted at once, not walked through. */
static double advance_rounds(struct schedule *schedule, uint64_t now)
{
	uint64_t round = schedule->steps[schedule->count - 1].end, rounds = (now - schedule->origin) / round;

	schedule->origin += rounds * round;
	schedule->last = schedule->origin;
	return (double)rounds * schedule->per_round;
}

double schedule_advance(struct schedule *schedule, uint64_t now)
{
	double expected = 0;

	while (schedule->count > 1 && now >= schedule->origin + schedule->steps[schedule->at].end) {
		expected += advance_within(schedule, schedule->origin + schedule->steps[schedule->at].end);
		if (++schedule->at < schedule->count)
			continue;
		schedule->at = 0;
		schedule->origin = schedule->last;
		expected += advance_rounds(schedule, now);
	}
	return expected + advance_within(schedule, now);
}

uint64_t schedule_next(const struct schedule *schedule)
{
	const struct schedule_step *step = &schedule->steps[schedule->at];
	uint64_t edge = schedule->count > 1 ? schedule->origin + step->end : SCHEDULE_NEVER;
	uint64_t tick = step->interval > 0 ? schedule->last + step->interval : SCHEDULE_NEVER;

	return tick < edge ? tick : edge;
}
