/* What sextant-measure refuses, when competitors swap, and what counters add up to. Real runs: test_measure.py. */
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "measure/chase.h"
#include "measure/clock.h"
#include "measure/counters.h"
#include "measure/request.h"

#define SOURCE "{\"packet_bytes\": 64, \"flows\": 10, \"match\": {\"src_prefix\": \"10.0.0.0/8\", " \
	"\"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\", \"dst_port\": 53}}"

static int core;

/* Reads a request in which every `%` stands for the number of a core that may be used. */
static struct request *read_it(const char *text, struct error *err)
{
	static struct request request;
	char full[4096];
	size_t used = 0;

	memset(&request, 0, sizeof(request));
	for (; *text != '\0'; text++)
		used += (size_t)(*text == '%' ? snprintf(full + used, sizeof(full) - used, "%d", core)
					      : snprintf(full + used, sizeof(full) - used, "%c", *text));
	return request_read(full, used, &request, err) < 0 ? NULL : &request;
}

static void refuses(const char *text, const char *field, const char *cause)
{
	struct error err = {0};

	CHECK(read_it(text, &err) == NULL);
	if (strcmp(err.field, field) != 0 || strstr(err.message, cause) == NULL)
		(void)fprintf(stderr, "%s\n-> %s: %s\n", text, err.field, err.message);
	CHECK(strcmp(err.field, field) == 0 && strstr(err.message, cause) != NULL);
}

#define NF(more) "{\"type\": \"router\", \"config\": {}, \"core\": %, \"source\": " SOURCE more "}"

#define RATED(rate) "{\"type\": \"router\", \"config\": {}, \"core\": %, \"source\": {\"rate_mpps\": " rate \
	", \"packet_bytes\": 64, \"flows\": 10, \"match\": {\"src_prefix\": \"10.0.0.0/8\", " \
	"\"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\", \"dst_port\": 53}}}"

static void requests_are_refused_with_field_and_cause(void)
{
	refuses("", "", "one JSON object");
	refuses("[]", "", "one JSON object");
	refuses("{\"mode\": \"solo\", \"mode\": \"solo\"}", "", "duplicate");
	refuses("{}", "mode", "is expected");
	refuses("{\"mode\": 7}", "mode", "is expected");
	refuses("{\"mode\": \"describe\", \"x\": 1}", "x", "no such field");
	refuses("{\"mode\": \"solo\", \"seconds\": 1}", "nf", "an object");
	refuses("{\"mode\": \"solo\", \"seconds\": 61, \"nf\": " NF("") "}", "seconds", "0.01 to 60");
	refuses("{\"mode\": \"solo\", \"seconds\": 60, \"slice_us\": 200, \"nf\": " NF("") "}", "slice_us", "more than 65536");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": " NF(", \"pid\": 1") "}", "nf.pid", "no such field");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"teleporter\", \"config\": {}, \"core\": %, \"source\": {}}}",
		"nf.type", "no NF type 'teleporter'");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"router\", \"config\": {}, \"core\": 1023, \"source\": {}}}",
		"nf.core", "core 1023");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"router\", \"config\": [], \"core\": %, \"source\": {}}}",
		"nf.config", "an object");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"router\", \"config\": {}, \"core\": %}}",
		"nf.source", "an object");
	refuses("{\"mode\": \"colocation\", \"nf\": " RATED("1") ", \"others\": [" NF("") "]}",
		"nf.source.rate_mpps", "no rate");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") ", \"others\": [" RATED("0.0009") "]}",
		"others.0.source.rate_mpps", "at least 0.001");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") ", \"others\": [" RATED("\"fast\"") "]}",
		"others.0.source.rate_mpps", "at least 0.001");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") ", \"others\": [" RATED("149") "]}",
		"others.0.source.rate_mpps", "148.8");
	refuses("{\"mode\": \"shared-core\", \"seconds\": 1, \"nf\": " NF("") ", \"others\": [" RATED("1") "]}",
		"others.0.source.rate_mpps", "no rate");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") ", \"others\": [" RATED("1") "]}", "others.0.core", "is taken");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"router\", \"config\": {}, \"core\": %, "
		"\"source\": {\"arrivals\": {}}}}", "nf.source.arrivals", "no arrivals");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"nf\": {\"type\": \"router\", \"config\": {}, \"core\": %, "
		"\"source\": {\"packet_bytes\": 64, \"flows\": 1000001}}}", "nf.source.flows", "1 to 1000000");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"work\": \"library\", \"nf\": " NF("") "}", "work", "'nf' or 'primitive'");
	refuses("{\"mode\": \"solo\", \"seconds\": 1, \"work\": \"primitive\", \"nf\": {\"type\": \"simple-forward\", \"config\": {}, "
		"\"core\": %, \"source\": " SOURCE "}}", "work", "uses no library");
	refuses("{\"mode\": \"shared-core\", \"seconds\": 1, \"work\": \"nf\", \"nf\": " NF("") ", \"others\": []}", "work", "no such field");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") "}", "others", "1 to 15 NFs");
	refuses("{\"mode\": \"colocation\", \"nf\": " NF("") ", \"others\": [" NF("") "]}", "others.0.core", "is taken");
	refuses("{\"mode\": \"colocation\", \"pairs\": 3, \"nf\": " NF("") ", \"others\": []}", "pairs", "even");
	refuses("{\"mode\": \"colocation\", \"settle_ms\": 41, \"nf\": " NF("") ", \"others\": []}", "settle_ms", "0 to 40");
	refuses("{\"mode\": \"shared-core\", \"seconds\": 1, \"nf\": " NF("") ", \"others\": [{}]}", "others.0.type", "a string");
	refuses("{\"mode\": \"calibrate\", \"cores\": []}", "cores", "1 to 64");
	refuses("{\"mode\": \"calibrate\", \"cores\": [%, %]}", "cores", "twice");
	refuses("{\"mode\": \"calibrate\", \"cores\": [1023]}", "cores", "core 1023");
	refuses("{\"mode\": \"calibrate\", \"cores\": [%], \"sweep_mib\": 4096}", "sweep_mib", "1 to 1024");
}

/* 16 pairs of 80 ms: 32 phases of 80 slices, 10 of them for settling; spinner, competitor, competitor, spinner. */
static void competitors_swap_in_abba_order(void)
{
	struct timetable timetable = {.slice_us = 1000, .phase_slices = 80, .settle_slices = 10, .phases = 32, .swaps = true};

	CHECK(timetable_slices(&timetable) == 2560);
	for (uint32_t phase = 0; phase < 32; phase += 4)
		CHECK(timetable_spins(&timetable, phase) && !timetable_spins(&timetable, phase + 1) &&
			!timetable_spins(&timetable, phase + 2) && timetable_spins(&timetable, phase + 3));
	CHECK(timetable_settles(&timetable, 0) && timetable_settles(&timetable, 89) && !timetable_settles(&timetable, 90));
	timetable.swaps = false;
	CHECK(!timetable_spins(&timetable, 0));
}

/* Bursts every 100 ticks: at 1000 and 1100; the one of 1200 comes at 1250, and the next is due at 1300 all the same. */
static void bursts_of_a_rate_are_due_one_after_the_other(void)
{
	struct pace pace = {.ticks = 100, .due = 1000}, none = {0};

	CHECK(!pace_is_due(&pace, 999) && pace_is_due(&pace, 1000) && !pace_is_due(&pace, 1000));
	CHECK(pace_is_due(&pace, 1100) && !pace_is_due(&pace, 1199));
	CHECK(pace_is_due(&pace, 1250) && !pace_is_due(&pace, 1299) && pace_is_due(&pace, 1300));
	CHECK(pace_is_due(&none, 0) && pace_is_due(&none, 0));
}

/* Away for 500 ticks: the five bursts of 1000 to 1400 and that of 1500 at once. Away for 9000: one, then by the clock. */
static void a_short_absence_is_made_up_for_and_a_long_one_is_not(void)
{
	struct pace pace = {.ticks = 100, .due = 1000};
	uint32_t bursts = 0;

	while (pace_is_due(&pace, 1500))
		bursts++;
	CHECK(bursts == 6 && pace.due == 1600);
	CHECK(pace_is_due(&pace, 10600) && !pace_is_due(&pace, 10699) && pace_is_due(&pace, 10700));
}

static void a_request_becomes_a_timetable(void)
{
	struct error err = {0};
	struct request *request = read_it("{\"mode\": \"solo\", \"seconds\": 1.5, \"nf\": " NF("") "}", &err);

	CHECK(request != NULL && request->timetable.phases == 15 && request->timetable.phase_slices == 100);
	CHECK(!request->timetable.swaps && request->load_count == 1 && request->loads[0].traffic.flows == 10);
	json_decref(request->json);
	request = read_it("{\"mode\": \"solo\", \"seconds\": 0.02, \"nf\": " NF("") "}", &err);
	CHECK(request != NULL && request->timetable.phases == 1 && request->timetable.phase_slices == 20);
	json_decref(request->json);
}

/* Counted for a third of the time: three times as many. 1000 packets, 500 a packet, 120 of them for its writing. */
static void counts_are_scaled_and_the_writing_is_taken_off(void)
{
	CHECK(counters_scale(1000, 300, 100) == 3000);
	CHECK(counters_scale(1000, 300, 300) == 1000);
	CHECK(counters_scale(1000, 300, 0) == 0);
	CHECK(counters_per_packet(500000, 1000, 120) == 380);
	CHECK(counters_per_packet(100000, 1000, 120) == 0);
	CHECK(counters_per_packet(100000, 0, 120) == 0);
}

/* What this thread has had of a CPU: a busy machine may give it none for longer than any test wants to wait. */
static uint64_t thread_ns(void)
{
	struct timespec had;

	CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &had) == 0);
	return (uint64_t)had.tv_sec * 1000000000ULL + (uint64_t)had.tv_nsec;
}

/* The kernel's own events exist on every machine: the same way of opening and reading, for real. */
static void the_kernels_events_are_read_as_a_group(void)
{
	static const struct counter_event events[COUNTERS] = {
		{"no-such-event", PERF_TYPE_SOFTWARE, 999},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"no-such-either", PERF_TYPE_SOFTWARE, 998},
	};
	struct counters counters;
	double before[COUNTERS], after[COUNTERS];
	uint64_t until;

	counters_open(&counters, events);
	if (counters.leader < 0) { /* containers may forbid the call itself: then that is what must be said */
		CHECK(!counters_read(&counters, before) && counters.reason[0] != '\0');
		return;
	}
	CHECK(counters.count == 2 && counters_have(&counters, 1) && counters_have(&counters, 2) && !counters_have(&counters, 0));
	CHECK(strstr(counters.reason, "no-such-event") != NULL);
	CHECK(counters_read(&counters, before));
	until = thread_ns() + 20000000;
	while (thread_ns() < until)
		;
	CHECK(counters_read(&counters, after));
	CHECK(after[1] - before[1] > 10000000); /* task-clock counts ns, and we had 20 ms of a CPU */
	CHECK(after[0] == 0 && after[3] == 0);
	counters_close(&counters);
	CHECK(!counters_read(&counters, after));
}

/* With hardware counters all is well; without, the reason names the first event that is missing. */
static void hardware_counters_are_there_or_the_reason_is(void)
{
	struct counters counters;
	double values[COUNTERS];

	counters_open(&counters, counter_events());
	CHECK(counters.count == COUNTERS || counters.reason[0] != '\0');
	CHECK(counters_read(&counters, values) == (counters.count > 0));
	(void)fprintf(stderr, "%u hardware counters; %s\n", counters.count, counters.reason);
	counters_close(&counters);
}

static void sweeps_have_four_sizes_an_octave(void)
{
	struct chase_step steps[CHASE_STEPS_MAX];

	CHECK(chase_sizes(CHASE_BYTES_MIN, steps) == 1 && steps[0].bytes == CHASE_BYTES_MIN);
	CHECK(chase_sizes(1ULL << 30, steps) == 17 * 4 + 1); /* 2^13 to 2^30 */
	for (uint32_t i = 0; i < 17 * 4 + 1; i++)
		CHECK(steps[i].bytes % 64 == 0);
}

static void quantiles(void)
{
	double values[] = {5, 1, 4, 2, 3};

	CHECK(quantile(values, 5, .5) == 3 && quantile(values, 5, 0) == 1 && quantile(values, 5, 1) == 5);
}

int main(void)
{
	cpu_set_t allowed;

	CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
	while (!CPU_ISSET((size_t)core, &allowed))
		core++;
	requests_are_refused_with_field_and_cause();
	competitors_swap_in_abba_order();
	bursts_of_a_rate_are_due_one_after_the_other();
	a_short_absence_is_made_up_for_and_a_long_one_is_not();
	a_request_becomes_a_timetable();
	counts_are_scaled_and_the_writing_is_taken_off();
	the_kernels_events_are_read_as_a_group();
	hardware_counters_are_there_or_the_reason_is();
	sweeps_have_four_sizes_an_octave();
	quantiles();
	return 0;
}
