#include "packets/replay.h"

#include "packets/schedule.h"

void replay_clock_start(struct replay_clock *clock, const struct replay *replay, uint64_t cycles_per_second, uint64_t now)
{
	double packets_per_second = (double)replay->count * 1e9 / (double)replay->period_ns;
	uint64_t longest = (uint64_t)(SCHEDULE_LONGEST_TICK_S * (double)cycles_per_second);

	*clock = (struct replay_clock){.replay = replay, .origin = now, .last = now,
		.interval = schedule_tick(packets_per_second, cycles_per_second), .ns_per_cycle = 1e9 / (double)cycles_per_second};
	if (clock->interval > longest)
		clock->interval = longest;
}

void replay_clock_resume(struct replay_clock *clock, uint64_t now)
{
	clock->origin += now - clock->last;
	clock->last = now;
}

uint64_t replay_clock_advance(struct replay_clock *clock, uint64_t now)
{
	const struct replay *replay = clock->replay;
	uint64_t elapsed = (uint64_t)((double)(now - clock->origin) * clock->ns_per_cycle);
	uint64_t rounds = elapsed / replay->period_ns, due = 0;

	clock->last = now;
	if (rounds > 0) {
		due = rounds * replay->count - clock->next;
		clock->next = 0;
		clock->origin += (uint64_t)((double)(rounds * replay->period_ns) / clock->ns_per_cycle);
		elapsed -= rounds * replay->period_ns;
	}
	while (clock->next < replay->count && replay->packets[clock->next].at_ns <= elapsed) {
		clock->next++;
		due++;
	}
	return due;
}

uint64_t replay_clock_next(const struct replay_clock *clock)
{
	const struct replay *replay = clock->replay;
	uint64_t due_ns = clock->next < replay->count ? replay->packets[clock->next].at_ns : replay->period_ns;
	uint64_t due = clock->origin + (uint64_t)((double)due_ns / clock->ns_per_cycle) + 1; /* not a cycle too early */

	return due > clock->last + clock->interval ? due : clock->last + clock->interval;
}
