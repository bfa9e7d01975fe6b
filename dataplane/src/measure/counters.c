#include "measure/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define RESOURCE_STALLS_ANY 0x01a2U

struct group_read { /* PERF_FORMAT_GROUP | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING: perf_event_open(2) */
	uint64_t count, enabled_ns, running_ns;
	uint64_t values[COUNTERS];
};

#if defined(__x86_64__)
/*
 * RESOURCE_STALLS.ANY (event a2, umask 01) is what Octans calls resource stalls. Intel's event lists have it from Sandy
 * Bridge to Cascade Lake; the kernel gives no generic name to it there.
 */
static bool has_resource_stalls(void)
{
	static const uint8_t models[] = {42, 45, 58, 60, 61, 62, 63, 69, 70, 71, 78, 79, 85, 86, 94, 142, 158};
	unsigned a, b, c, d, model;

	if (__get_cpuid(0, &a, &b, &c, &d) == 0 || b != signature_INTEL_ebx || __get_cpuid(1, &a, &b, &c, &d) == 0)
		return false;
	model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
	return (a >> 8 & 0xf) == 6 && model < 256 && memchr(models, (int)model, sizeof(models)) != NULL;
}
#else
static bool has_resource_stalls(void)
{
	return false;
}
#endif

const struct counter_event *counter_events(void)
{
	static struct counter_event events[COUNTERS] = {
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"llc-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
		{"stalled-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	};

	if (has_resource_stalls())
		events[3] = (struct counter_event){"stalled-cycles", PERF_TYPE_RAW, RESOURCE_STALLS_ANY};
	return events;
}

static int open_one(const struct counter_event *event, int leader)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes), .type = event->type, .config = event->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1, .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void say_why(struct counters *counters, const char *event)
{
	const char *why = errno == EACCES || errno == EPERM ? "not allowed: set kernel.perf_event_paranoid to 2 or lower"
			: errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV ? "this (virtual) machine does not count it"
			: strerror(errno);

	if (counters->reason[0] == '\0')
		(void)snprintf(counters->reason, sizeof(counters->reason), "%s: %s", event, why);
}

void counters_open(struct counters *counters, const struct counter_event *events)
{
	*counters = (struct counters){.leader = -1};
	for (uint32_t i = 0; i < COUNTERS; i++) {
		int file = open_one(&events[i], counters->leader);

		if (file < 0) {
			say_why(counters, events[i].name);
			continue;
		}
		if (counters->leader < 0)
			counters->leader = file;
		counters->index[counters->count++] = i; /* the others' descriptors live as long as the process */
	}
}

void counters_close(struct counters *counters)
{
	if (counters->leader >= 0)
		(void)close(counters->leader);
	*counters = (struct counters){.leader = -1};
}

double counters_scale(uint64_t count, uint64_t enabled_ns, uint64_t running_ns)
{
	return running_ns == 0 ? 0 : (double)count * (double)enabled_ns / (double)running_ns;
}

bool counters_read(const struct counters *counters, double values[COUNTERS])
{
	struct group_read found;

	memset(values, 0, COUNTERS * sizeof(*values));
	if (counters->leader < 0 || read(counters->leader, &found, sizeof(found)) <= 0 || found.count != counters->count)
		return false;
	for (uint32_t i = 0; i < counters->count; i++)
		values[counters->index[i]] = counters_scale(found.values[i], found.enabled_ns, found.running_ns);
	return true;
}

double counters_per_packet(double counted, uint64_t packets, double writing_per_packet)
{
	double each = packets == 0 ? 0 : counted / (double)packets - writing_per_packet;

	return each < 0 ? 0 : each;
}
