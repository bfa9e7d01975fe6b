/*
 * Backlog of a chain's source. Packets fall due in batches at ticks about a millisecond apart (arrivals.h); those that
 * do not fit into the chain wait in a backlog of PACER_BACKLOG packets (as deep as OpenNetVM's rings), then they are
 * dropped. Each batch keeps the time it fell due, so waiting in the backlog counts in the latency. Pure: the clock is
 * passed in.
 */
#ifndef SEXTANT_PACING_H
#define SEXTANT_PACING_H

#include <stdint.h>

#include "packets/arrivals.h"

#define PACER_BACKLOG 16384U
#define PACER_BATCHES 64U
#define PACER_NEVER SCHEDULE_NEVER

struct pacer {
	uint64_t next; /* cycle of the next tick */
	uint32_t backlog;
	uint32_t first, batches;
	struct arrivals arrivals;
	uint64_t due_at[PACER_BATCHES];
	uint32_t due_count[PACER_BATCHES];
};

/* Starts at cycle `now` with an empty backlog. */
void pacer_start(struct pacer *pacer, const struct arrivals_config *config, uint64_t cycles_per_second, uint64_t now);

/* Nothing falls due any more, and the backlog is empty. */
void pacer_stop(struct pacer *pacer);

/* The time from the last tick to `now` owes no packets; the backlog stays. */
void pacer_resume(struct pacer *pacer, uint64_t now);

/* What fell due up to `now`, in packets; `dropped` of them found the backlog full. */
uint64_t pacer_advance(struct pacer *pacer, uint64_t now, uint64_t *dropped);

/* Takes at most `most` packets of the oldest batch; `due_at` is when they fell due. Returns how many. */
uint32_t pacer_take(struct pacer *pacer, uint32_t most, uint64_t *due_at);

/* The cycle of the next tick, or PACER_NEVER for a source that sends nothing. */
static inline uint64_t pacer_next(const struct pacer *pacer)
{
	return pacer->next;
}

#endif
