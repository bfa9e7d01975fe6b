#include "window.h"

#include <stdlib.h>
#include <string.h>

static int compare_latencies(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static int compare_gaps(const void *a, const void *b)
{
	int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

	return (left > right) - (left < right);
}

/* The nearest rank: the smallest of them that is not below `percent` of all. */
static size_t rank(size_t count, size_t percent)
{
	return (count * percent + 99) / 100 - 1;
}

static void close_position(struct window *window, uint8_t position)
{
	struct position_figures *figures = &window->closed.at[position];
	const size_t count = window->count, p50 = rank(count, 50), p95 = rank(count, 95);
	uint32_t *latency = window->latency[position];
	int32_t *gap = window->gap[position];
	const bool is_egress = position + 1 == window->positions;

	*figures = (struct position_figures){
		.has_latency = !is_egress && (window->map_info & SRV6_HAS_LATENCY),
		.has_gap = position > 0 && (window->map_info & SRV6_HAS_TIME),
		.device = window->devices[position],
	};
	if (figures->has_latency) {
		qsort(latency, count, sizeof(*latency), compare_latencies);
		figures->latency = (struct latencies){latency[p50], latency[p95], latency[count - 1]};
	}
	if (figures->has_gap) {
		qsort(gap, count, sizeof(*gap), compare_gaps);
		figures->gap = (struct gaps){gap[p50], gap[p95], gap[count - 1]};
	}
}

static void close_window(struct window *window, uint64_t now_ns, uint64_t lost)
{
	window->closed = (struct window_figures){
		.number = window->closed.number + 1,
		.closed_at_ns = now_ns,
		.packets = window->count,
		.lost_mirrors = (uint32_t)(lost - window->lost_before),
		.positions = window->positions,
	};
	for (uint8_t i = 0; i < window->positions; i++)
		close_position(window, i);
	window->windows++;
	window->count = 0;
}

void window_tick(struct window *window, uint64_t now_ns, uint64_t lost)
{
	if (window->count == WINDOW_PACKETS ||
		(window->count >= WINDOW_LEAST && now_ns > window->first_ns && now_ns - window->first_ns >= WINDOW_NS))
		close_window(window, now_ns, lost);
}

/* Another path begins another window: what was in the open one is of other positions. */
static void open_window(struct window *window, const struct srv6_headers *headers, uint64_t at_ns, uint64_t lost)
{
	if (window->positions != headers->count || window->map_info != headers->map_info) {
		window_clear_totals(window);
		window->positions = headers->count;
		window->map_info = headers->map_info;
		window->count = 0;
	}
	if (window->count > 0)
		return;
	window->first_ns = at_ns;
	window->lost_before = lost;
}

void window_add(struct window *window, const struct srv6_headers *headers, uint64_t at_ns, uint64_t lost)
{
	uint32_t before = 0;

	open_window(window, headers, at_ns, lost);
	for (uint8_t i = 0; i < headers->count; i++) {
		const struct srv6_metadata *metadata = &headers->entries[headers->count - 1 - i].metadata;
		const bool is_egress = i + 1 == headers->count;
		const uint32_t in_time_us = is_egress ? (uint32_t)(at_ns / 1000) : metadata->in_time_us;

		window->gap[i][window->count] = (int32_t)(in_time_us - before); /* both wrap after 71 minutes, their difference does not */
		before = in_time_us;
		if (is_egress)
			break;
		window->devices[i] = metadata->device;
		window->latency[i][window->count] = metadata->latency_ns;
		window->totals[i].buckets[histogram_bucket(metadata->latency_ns)]++;
		if (metadata->latency_ns > window->totals[i].max)
			window->totals[i].max = metadata->latency_ns;
	}
	window->count++;
	window->packets++;
	window->last_ns = at_ns;
	window_tick(window, at_ns, lost);
}

void window_clear_totals(struct window *window)
{
	memset(window->totals, 0, sizeof(window->totals));
	window->packets = window->windows = 0;
}

/* The upper bound of the bucket in which the packet of this rank lies. */
static uint32_t percentile(const struct position_totals *totals, uint64_t count, size_t percent)
{
	uint64_t wanted = rank(count, percent) + 1, seen = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
		seen += totals->buckets[i];
		if (seen >= wanted)
			return histogram_bound(i) < totals->max ? (uint32_t)histogram_bound(i) : totals->max;
	}
	return totals->max;
}

bool window_totals(const struct window *window, uint8_t position, struct latencies *latencies)
{
	const struct position_totals *totals = &window->totals[position];

	if (window->packets == 0 || position + 1 >= window->positions || !(window->map_info & SRV6_HAS_LATENCY))
		return false;
	*latencies = (struct latencies){percentile(totals, window->packets, 50), percentile(totals, window->packets, 95), totals->max};
	return true;
}
