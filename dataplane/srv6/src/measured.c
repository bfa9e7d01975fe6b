/* The verbs `windows` and `capture`, and what `read` has of them. */
#include "measured.h"

#include <stdio.h>

#include "fields.h"
#include "verbs.h"

#define WAIT_MS_MAX 10000

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

static json_t *of_position(const struct position_figures *figures, bool is_egress)
{
	return json_pack("{s:o, s:o, s:o}", "device", is_egress ? json_null() : json_integer(figures->device), "nf_latency_ns",
		figures->has_latency ? of_latencies(&figures->latency) : json_null(), "since_previous_us",
		figures->has_gap ? json_pack("{s:i, s:i, s:i}", "p50", figures->gap.p50, "p95", figures->gap.p95, "max", figures->gap.max)
		: json_null());
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

static json_int_t milliseconds(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (json_int_t)((to_ns - from_ns) / 1000000) : 0;
}

static void add(void *context, struct window *window)
{
	const struct window_figures *closed = &window->closed;
	struct report *report = context;
	json_t *positions = json_array(), *entry;

	for (uint8_t i = 0; i < closed->positions; i++)
		(void)json_array_append_new(positions, of_position(&closed->at[i], i + 1 == closed->positions));
	entry = json_pack("{s:i, s:I, s:I, s:I, s:o, s:I, s:o}", "tag", window->tag, "number", (json_int_t)closed->number, "packets",
		(json_int_t)closed->packets, "lost_mirrors", (json_int_t)closed->lost_mirrors, "closed_ms",
		closed->number == 0 ? json_null() : json_integer(milliseconds(closed->closed_at_ns, report->now_ns)), "stale_ms",
		milliseconds(window->last_ns, report->now_ns), "positions", positions);
	if (report->totals) {
		(void)json_object_set_new(entry, "since_read", of_totals(window));
		window_clear_totals(window);
	}
	(void)json_array_append_new(report->list, entry);
}

json_t *measured_report(struct mirrors *mirrors, bool totals)
{
	struct report report = {json_array(), totals, mirrors_now_ns()};

	mirrors_each(mirrors, add, &report);
	return report.list;
}

json_t *do_windows(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	(void)request;
	(void)passed;
	(void)err;
	return json_pack("{s:o}", "windows", measured_report(daemon->mirrors, false));
}

static json_t *hexadecimal(const struct captured *captured)
{
	char text[2 * SRV6_BYTES_MAX + 1] = "";

	for (uint16_t i = 0; i < captured->bytes; i++)
		(void)snprintf(&text[2 * i], 3, "%02x", captured->headers[i]);
	return json_string(text);
}

json_t *do_capture(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct captured into[CAPTURED_MAX];
	uint32_t tag, count, wait_ms, got;
	json_t *headers;

	(void)passed;
	if (field_number(request, "tag", 1, UINT16_MAX, -1, &tag, err) < 0 ||
		field_number(request, "count", 1, CAPTURED_MAX, -1, &count, err) < 0 ||
		field_number(request, "wait_ms", 0, WAIT_MS_MAX, -1, &wait_ms, err) < 0)
		return NULL;
	got = mirrors_capture(daemon->mirrors, (uint16_t)tag, count, wait_ms, into);
	headers = json_array();
	for (uint32_t i = 0; i < got; i++)
		(void)json_array_append_new(headers, hexadecimal(&into[i]));
	return json_pack("{s:o}", "headers", headers);
}
