/*
 * Hardware counters of the calling thread, by perf_event_open, where the machine has them. They count user space over
 * whole slices; what writing the frames costs is counted beforehand and taken off, so that the NF's share is left.
 */
#ifndef SEXTANT_MEASURE_COUNTERS_H
#define SEXTANT_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTERS 4U
#define COUNTER_REASON_MAX 160

struct counter_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

struct counters {
	int leader; /* -1: none */
	uint32_t count;
	uint32_t index[COUNTERS]; /* of the wanted events, in the order in which the group reports them */
	char reason[COUNTER_REASON_MAX]; /* why some event is not there; "" where all are */
};

/* instructions, cycles, llc-misses, stalled-cycles: as this CPU counts them. */
const struct counter_event *counter_events(void);

/* Opens those of `events` that the machine has, as one group, counting from now. */
void counters_open(struct counters *counters, const struct counter_event *events);

void counters_close(struct counters *counters);

/* Counts since the opening, scaled up where the group had to share the hardware; false when they cannot be read. */
bool counters_read(const struct counters *counters, double values[COUNTERS]);

static inline bool counters_have(const struct counters *counters, uint32_t event)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->index[i] == event)
			return true;
	return false;
}

/* A count over the time it ran, as if it had run all the time; 0 where it never ran. */
double counters_scale(uint64_t count, uint64_t enabled_ns, uint64_t running_ns);

/* What a packet costs the NF: all of a packet, less its writing. Noise must not make it negative. */
double counters_per_packet(double counted, uint64_t packets, double writing_per_packet);

#endif
