#include "latencies.h"

#include <stdlib.h>

bool window_is_over(uint32_t count, uint64_t first_ns, uint64_t now_ns)
{
	return count == WINDOW_PACKETS || (count >= WINDOW_LEAST && now_ns > first_ns && now_ns - first_ns >= WINDOW_NS);
}

size_t rank_of(size_t count, size_t percent)
{
	return (count * percent + 99) / 100 - 1;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

struct latencies latencies_of(uint32_t *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), compare);
	return (struct latencies){samples[rank_of(count, 50)], samples[rank_of(count, 95)], samples[count - 1]};
}

void totals_add(struct latency_totals *totals, uint32_t latency_ns)
{
	totals->buckets[histogram_bucket(latency_ns)]++;
	totals->count++;
	if (latency_ns > totals->max)
		totals->max = latency_ns;
}

/* The upper bound of the bucket in which the packet of this rank lies. */
static uint32_t percentile(const struct latency_totals *totals, size_t percent)
{
	uint64_t wanted = rank_of(totals->count, percent) + 1, seen = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
		seen += totals->buckets[i];
		if (seen >= wanted)
			return histogram_bound(i) < totals->max ? (uint32_t)histogram_bound(i) : totals->max;
	}
	return totals->max;
}

bool totals_read(const struct latency_totals *totals, struct latencies *latencies)
{
	if (totals->count == 0)
		return false;
	*latencies = (struct latencies){percentile(totals, 50), percentile(totals, 95), totals->max};
	return true;
}
