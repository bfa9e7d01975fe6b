/* The process of one NF under measurement: pinned, counting into slices of shared memory on the common grid. */
#ifndef SEXTANT_MEASURE_WORKER_H
#define SEXTANT_MEASURE_WORKER_H

#include "base/eventcount.h"
#include "measure/counters.h"
#include "measure/load.h"
#include "measure/timetable.h"

enum worker_state { WORKER_WARMING, WORKER_READY, WORKER_TOO_SLOW };

struct slice {
	uint64_t packets, nf_cycles;
	uint64_t wall_ns, cpu_ns; /* wall_ns 0: the worker never saw this slice */
	double counts[COUNTERS];
};

struct worker_record { /* shared: the worker writes, the parent reads */
	struct eventcount go;
	_Atomic uint32_t ready; /* enum worker_state */
	_Atomic uint32_t recorded; /* slices below this number are complete */
	_Atomic uint64_t start_cycle;
	struct counters counters;
	double writing[COUNTERS]; /* counts of writing one packet */
	struct slice slices[];
};

struct worker {
	struct load *load;
	struct worker_record *record;
	struct eventcount *parent;
	const struct timetable *timetable;
	bool swaps; /* a competitor: it spins in the phases where the timetable says so */
	uint64_t tsc_hz;
};

/* Warms up, says that it is ready, waits for `start_cycle`, measures, ends; for process_start. */
void worker_main(void *argument);

#endif
