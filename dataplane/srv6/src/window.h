/* What the mirrors of a chain say, window by window: pure, times come with the packets. */
#ifndef SEXTANT_SRV6_WINDOW_H
#define SEXTANT_SRV6_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode.h"
#include "latencies.h"
#include "window_table.h"

struct way_times {
	int32_t p50, p95, max; /* µs; below zero where clocks are apart */
};

/* Of a position of the path, in order of travel; the last is the egress, which has no NF. */
struct position_figures {
	bool has_latency, has_way;
	uint16_t device;
	struct latencies latency;
	struct way_times way; /* from when the NF of the position before gave it back until it arrived here */
};

struct window_figures {
	uint64_t number; /* of this window; 0: none was closed yet */
	uint64_t closed_at_ns;
	uint32_t packets, lost_mirrors;
	uint8_t positions;
	struct position_figures at[SRV6_SEGMENTS_MAX];
};

struct window {
	struct window_head head; /* by tag */
	uint16_t map_info;
	uint8_t positions;
	uint16_t devices[SRV6_SEGMENTS_MAX];
	uint32_t count; /* of packets in the open window */
	uint64_t first_ns;
	uint64_t lost_before; /* mirrors, when it was opened */
	uint32_t latency[SRV6_SEGMENTS_MAX][WINDOW_PACKETS];
	int32_t way[SRV6_SEGMENTS_MAX][WINDOW_PACKETS];
	struct window_figures closed; /* the last one */
	uint64_t packets, windows;    /* since they were last cleared, with: */
	struct latency_totals totals[SRV6_SEGMENTS_MAX];
};

/* A packet that left at `at_ns` (CLOCK_TAI); `lost`: how many mirrors were lost until now. */
void window_add(struct window *window, const struct srv6_headers *headers, uint64_t at_ns, uint64_t lost);
/* Closes the window if its time is up. */
void window_tick(struct window *window, uint64_t now_ns, uint64_t lost);
void window_clear_totals(struct window *window);
/* Of all packets since the totals were cleared; false without any, and where there is no NF. */
bool window_totals(const struct window *window, uint8_t position, struct latencies *latencies);

#endif
