/* Latencies by the thousand: of one window exactly, of any number in buckets. Pure. */
#ifndef SEXTANT_SRV6_LATENCIES_H
#define SEXTANT_SRV6_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

/* A window is closed by the first of: so many packets; so long, with at least so many. */
#define WINDOW_PACKETS 1500U
#define WINDOW_NS 20000000ULL
#define WINDOW_LEAST 20U

bool window_is_over(uint32_t count, uint64_t first_ns, uint64_t now_ns);

/* The nearest rank, from 0: of the smallest that is not below `percent` of all. */
size_t rank_of(size_t count, size_t percent);

struct latencies {
	uint32_t p50, p95, max; /* ns */
};

/* Sorts them; there is at least one. */
struct latencies latencies_of(uint32_t *samples, size_t count);

struct latency_totals {
	uint64_t count;
	uint32_t max;
	uint32_t buckets[HISTOGRAM_BUCKETS];
};

void totals_add(struct latency_totals *totals, uint32_t latency_ns);
/* Percentiles at most 3.2 % too high, `max` exact. False without any. */
bool totals_read(const struct latency_totals *totals, struct latencies *latencies);

#endif
