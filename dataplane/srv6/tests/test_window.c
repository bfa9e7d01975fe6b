/* Windows of what mirrors say: percentiles, when one closes, differences of clocks that wrap. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "window.h"

#define MS 1000000ULL

/* One NF, then the egress. */
static struct srv6_headers packet(uint32_t latency_ns, uint32_t in_time_us)
{
	struct srv6_headers headers = {.count = 2, .tag = 7, .map_info = SRV6_HAS_DEVICE | SRV6_HAS_TIME | SRV6_HAS_LATENCY};

	headers.entries[1] = (struct srv6_entry){
		.is_used = 1, .metadata = {.device = 3, .in_time_us = in_time_us, .latency_ns = latency_ns}};
	return headers;
}

static void add(struct window *window, uint32_t latency_ns, uint64_t at_ns, uint64_t lost)
{
	struct srv6_headers headers = packet(latency_ns, (uint32_t)(at_ns / 1000) - 5);

	window_add(window, &headers, at_ns, lost);
}

static void closes_by_number(struct window *window)
{
	for (uint32_t i = 0; i < WINDOW_PACKETS - 1; i++)
		add(window, (i * 7919) % WINDOW_PACKETS + 1, 1000, 4);
	CHECK(window->closed.number == 0);
	add(window, ((WINDOW_PACKETS - 1) * 7919) % WINDOW_PACKETS + 1, 1000, 9); /* 1 to 1500, each once */
	CHECK(window->closed.number == 1 && window->closed.packets == WINDOW_PACKETS && window->closed.lost_mirrors == 5);
	CHECK(window->closed.positions == 2 && window->closed.at[0].device == 3);
	CHECK(window->closed.at[0].has_latency && !window->closed.at[0].has_way);
	CHECK(window->closed.at[0].latency.p50 == 750 && window->closed.at[0].latency.p95 == 1425 && window->closed.at[0].latency.max == 1500);
	/* 5 us since it came to the NF, which had 501 of them for 1 us, the rest for less. */
	CHECK(!window->closed.at[1].has_latency && window->closed.at[1].has_way && window->closed.at[1].way.max == 5);
	CHECK(window->way[1][500] == 4 && window->way[1][501] == 5);
}

static void closes_by_time_with_enough(struct window *window)
{
	uint64_t now = 100 * MS;

	for (uint32_t i = 0; i < WINDOW_LEAST - 1; i++)
		add(window, 10 * (i + 1), now, 0);
	window_tick(window, now + 500 * MS, 0);
	CHECK(window->closed.number == 1); /* too few, however long it takes */
	add(window, 200, now + 10 * MS, 0);
	window_tick(window, now + WINDOW_NS - 1, 0);
	CHECK(window->closed.number == 1);
	window_tick(window, now + WINDOW_NS, 0);
	CHECK(window->closed.number == 2 && window->closed.packets == WINDOW_LEAST);
	CHECK(window->closed.at[0].latency.p50 == 100 && window->closed.at[0].latency.p95 == 190 && window->closed.at[0].latency.max == 200);
	window_tick(window, now + 900 * MS, 0);
	CHECK(window->closed.number == 2); /* none is open */
}

static void wraps(struct window *window)
{
	const uint64_t wrap_ns = (1ULL << 32) * 1000;

	for (uint32_t i = 0; i < WINDOW_LEAST; i++) {
		struct srv6_headers headers = packet(1, 0xfffffff0U); /* 16 us before it */

		window_add(window, &headers, wrap_ns + 84000 + (i == 0 ? 0 : WINDOW_NS), 0);
	}
	CHECK(window->closed.at[1].way.p50 == 100 + (int32_t)(WINDOW_NS / 1000));
	for (uint32_t i = 0; i < WINDOW_LEAST; i++) {
		struct srv6_headers headers = packet(1, 50 + (i == 0 ? 0 : 20000)); /* a clock that is ahead by 150 us */

		window_add(window, &headers, wrap_ns - 100000 + (i == 0 ? 0 : WINDOW_NS), 0);
	}
	CHECK(window->closed.at[1].way.max == -150 && window->closed.at[1].way.p50 == -150);
}

static void totals_until_they_are_cleared(struct window *window)
{
	struct latencies latencies;

	window_clear_totals(window);
	CHECK(!window_totals(window, 0, &latencies));
	for (uint32_t i = 1; i <= 100; i++)
		add(window, i * 100000, 1000 * MS + i, 0);
	CHECK(window->packets == 100 && window_totals(window, 0, &latencies) && !window_totals(window, 1, &latencies));
	CHECK(latencies.max == 10000000);
	CHECK(latencies.p50 >= 5000000 && latencies.p50 <= 5160000 && latencies.p95 >= 9500000 && latencies.p95 <= 9810000);
}

static void another_path_begins_anew(struct window *window)
{
	struct srv6_headers headers = packet(5, 0);
	uint64_t number = window->closed.number;

	headers.count = 1;
	window_add(window, &headers, 2000 * MS, 0);
	CHECK(window->count == 1 && window->positions == 1 && window->packets == 1 && window->closed.number == number);
}

int main(void)
{
	struct window *window = calloc(1, sizeof(*window));

	CHECK(window != NULL);
	closes_by_number(window);
	closes_by_time_with_enough(window);
	wraps(window);
	totals_until_they_are_cleared(window);
	another_path_begins_anew(window);
	free(window);
	return 0;
}
