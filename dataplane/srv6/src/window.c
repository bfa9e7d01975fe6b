#include "window.h"

#include <stdlib.h>
#include <string.h>

static int compare_ways(const void *a, const void *b)
{
	int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

	return (left > right) - (left < right);
}

static void close_position(struct window *window, uint8_t position)
{
	struct position_figures *figures = &window->closed.at[position];
	const size_t count = window->count, p50 = rank_of(count, 50), p95 = rank_of(count, 95);
	int32_t *way = window->way[position];
	const bool is_egress = position + 1 == window->positions;

	*figures = (struct position_figures){
		.has_latency = !is_egress && (window->map_info & SRV6_HAS_LATENCY),
		.has_way = position > 0 && (window->map_info & SRV6_HAS_TIME) && (window->map_info & SRV6_HAS_LATENCY),
		.device = window->devices[position],
	};
	if (figures->has_latency)
		figures->latency = latencies_of(window->latency[position], count);
	if (figures->has_way) {
		qsort(way, count, sizeof(*way), compare_ways);
		figures->way = (struct way_times){way[p50], way[p95], way[count - 1]};
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
	if (window_is_over(window->count, window->first_ns, now_ns))
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
	uint32_t left_us = 0; /* the position before */

	open_window(window, headers, at_ns, lost);
	for (uint8_t i = 0; i < headers->count; i++) {
		const struct srv6_metadata *metadata = &headers->entries[headers->count - 1 - i].metadata;
		const bool is_egress = i + 1 == headers->count;
		const uint32_t in_time_us = is_egress ? (uint32_t)(at_ns / 1000) : metadata->in_time_us;

		window->way[i][window->count] = (int32_t)(in_time_us - left_us); /* both wrap after 71 minutes, their difference does not */
		left_us = in_time_us + metadata->latency_ns / 1000;
		if (is_egress)
			break;
		window->devices[i] = metadata->device;
		window->latency[i][window->count] = metadata->latency_ns;
		totals_add(&window->totals[i], metadata->latency_ns);
	}
	window->count++;
	window->packets++;
	window->head.last_ns = at_ns;
	window_tick(window, at_ns, lost);
}

void window_clear_totals(struct window *window)
{
	memset(window->totals, 0, sizeof(window->totals));
	window->packets = window->windows = 0;
}

bool window_totals(const struct window *window, uint8_t position, struct latencies *latencies)
{
	return (window->map_info & SRV6_HAS_LATENCY) && totals_read(&window->totals[position], latencies);
}
