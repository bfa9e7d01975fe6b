#include "measured.h"

#include "clocks.h"

struct report {
	json_t *list;
	bool totals;
	uint64_t now_ns;
};

static json_t *of_latencies(const struct latencies *figures)
{
	return json_pack("{s:I, s:I, s:I}", "p50", (json_int_t)figures->p50, "p95", (json_int_t)figures->p95, "max",
		(json_int_t)figures->max);
}

static json_t *of_way(const struct way_times *figures)
{
	return json_pack("{s:i, s:i, s:i}", "p50", figures->p50, "p95", figures->p95, "max", figures->max);
}

static json_t *of_position(const struct position_figures *figures, bool is_egress)
{
	return json_pack("{s:o, s:o, s:o}", "device", is_egress ? json_null() : json_integer(figures->device), "nf_latency_ns",
		figures->has_latency ? of_latencies(&figures->latency) : json_null(), "way_us",
		figures->has_way ? of_way(&figures->way) : json_null());
}

static json_t *of_totals(const struct window *window)
{
	json_t *positions = json_array();
	struct latencies figures;

	for (uint8_t i = 0; i < window->positions; i++)
		(void)json_array_append_new(positions, window_totals(window, i, &figures) ? of_latencies(&figures) : json_null());
	return json_pack("{s:I, s:I, s:o}", "packets", (json_int_t)window->packets, "windows", (json_int_t)window->windows,
		"nf_latency_ns", positions);
}

static void add(void *context, struct window *window)
{
	const struct window_figures *closed = &window->closed;
	struct report *report = context;
	json_t *positions = json_array(), *entry;

	for (uint8_t i = 0; i < closed->positions; i++)
		(void)json_array_append_new(positions, of_position(&closed->at[i], i + 1 == closed->positions));
	entry = json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:o}", "tag", (json_int_t)window->head.key, "number", (json_int_t)closed->number,
		"packets", (json_int_t)closed->packets, "lost_mirrors", (json_int_t)closed->lost_mirrors, "closed_ms", closed->number == 0 ?
		json_null() : json_integer((json_int_t)ms_between(closed->closed_at_ns, report->now_ns)), "stale_ms",
		(json_int_t)ms_between(window->head.last_ns, report->now_ns), "positions", positions);
	if (report->totals) {
		(void)json_object_set_new(entry, "since_read", of_totals(window));
		window_clear_totals(window);
	}
	(void)json_array_append_new(report->list, entry);
}

json_t *measured_chains(struct rings *rings, bool totals)
{
	struct report report = {json_array(), totals, clock_ns(CLOCK_TAI)};

	rings_each_chain(rings, add, &report);
	return report.list;
}

void measured_nf(struct rings *rings, uint32_t nf, bool totals, json_t *entry)
{
	struct latency_totals since = {0};
	struct nf_figures figures = {0};
	struct latencies latency;
	json_t *window = json_null();

	(void)rings_read_nf(rings, nf, &figures, totals ? &since : NULL);
	if (figures.number > 0)
		window = json_pack("{s:I, s:I, s:I, s:o}", "number", (json_int_t)figures.number, "packets", (json_int_t)figures.packets,
			"closed_ms", (json_int_t)ms_between(figures.closed_at_ns, clock_ns(CLOCK_MONOTONIC)), "nf_latency_ns",
			of_latencies(&figures.latency));
	(void)json_object_set_new(entry, "window", window);
	if (totals)
		(void)json_object_set_new(entry, "since_read", json_pack("{s:I, s:o}", "packets", (json_int_t)since.count, "nf_latency_ns",
			totals_read(&since, &latency) ? of_latencies(&latency) : json_null()));
}
