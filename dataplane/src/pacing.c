#include "pacing.h"

#include <string.h>

#define SLOWEST_TICK_S 10e-3
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

	if (one > SLOWEST_TICK_S)
		return one;
	if (few > TICK_S)
		return few < SLOWEST_TICK_S ? few : SLOWEST_TICK_S;
	if (many > TICK_S)
		return TICK_S;
	return many > FASTEST_TICK_S ? many : FASTEST_TICK_S;
}

void pacer_start(struct pacer *pacer, double packets_per_second, uint64_t cycles_per_second, uint64_t now)
{
	memset(pacer, 0, sizeof(*pacer));
	pacer->last = now;
	if (packets_per_second <= 0)
		return;
	pacer->packets_per_cycle = packets_per_second / (double)cycles_per_second;
	pacer->interval = (uint64_t)(tick_seconds(packets_per_second) * (double)cycles_per_second);
}

void pacer_resume(struct pacer *pacer, uint64_t now)
{
	pacer->last = now;
}

static void add_batch(struct pacer *pacer, uint32_t count, uint64_t now)
{
	uint32_t last;

	pacer->backlog += count;
	if (pacer->batches == PACER_BATCHES) { /* joins the youngest batch: its packets look older, never younger */
		last = (pacer->first + PACER_BATCHES - 1) % PACER_BATCHES;
		pacer->due_count[last] += count;
		return;
	}
	last = (pacer->first + pacer->batches++) % PACER_BATCHES;
	pacer->due_at[last] = now;
	pacer->due_count[last] = count;
}

uint64_t pacer_advance(struct pacer *pacer, uint64_t now, uint64_t *dropped)
{
	uint64_t due, kept;
	double exact;

	*dropped = 0;
	if (pacer->interval == 0 || now < pacer->last + pacer->interval)
		return 0;
	exact = pacer->fraction + (double)(now - pacer->last) * pacer->packets_per_cycle;
	due = (uint64_t)exact;
	pacer->fraction = exact - (double)due;
	pacer->last = now;
	kept = PACER_BACKLOG - pacer->backlog;
	if (kept > due)
		kept = due;
	if (kept > 0)
		add_batch(pacer, (uint32_t)kept, now);
	*dropped = due - kept;
	return due;
}

uint32_t pacer_take(struct pacer *pacer, uint32_t most, uint64_t *due_at)
{
	uint32_t count;

	if (pacer->batches == 0 || most == 0)
		return 0;
	*due_at = pacer->due_at[pacer->first];
	count = pacer->due_count[pacer->first];
	if (count > most) {
		pacer->due_count[pacer->first] -= most;
		count = most;
	} else {
		pacer->first = (pacer->first + 1) % PACER_BATCHES;
		pacer->batches--;
	}
	pacer->backlog -= count;
	return count;
}

uint64_t pacer_next(const struct pacer *pacer)
{
	return pacer->interval == 0 ? PACER_NEVER : pacer->last + pacer->interval;
}
