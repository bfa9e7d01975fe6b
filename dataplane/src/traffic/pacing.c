#include "traffic/pacing.h"

static void empty(struct pacer *pacer)
{
	pacer->backlog = 0;
	pacer->first = pacer->batches = 0;
}

void pacer_start(struct pacer *pacer, const struct arrivals_config *config, uint64_t cycles_per_second, uint64_t now)
{
	empty(pacer);
	arrivals_start(&pacer->arrivals, config, cycles_per_second, now);
	pacer->next = arrivals_next(&pacer->arrivals);
}

void pacer_stop(struct pacer *pacer)
{
	empty(pacer);
	pacer->next = PACER_NEVER;
}

void pacer_resume(struct pacer *pacer, uint64_t now)
{
	if (pacer->next == PACER_NEVER)
		return;
	arrivals_resume(&pacer->arrivals, now);
	pacer->next = arrivals_next(&pacer->arrivals);
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

	*dropped = 0;
	if (now < pacer->next)
		return 0;
	due = arrivals_advance(&pacer->arrivals, now);
	pacer->next = arrivals_next(&pacer->arrivals);
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
