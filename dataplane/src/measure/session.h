/* One measurement of NFs: what is asked, its worker processes, and what was counted of their slices. */
#ifndef SEXTANT_MEASURE_SESSION_H
#define SEXTANT_MEASURE_SESSION_H

#include "measure/request.h"
#include "measure/worker.h"

struct session {
	struct request *request;
	bool try_huge, hugepages;
	uint64_t tsc_hz;
	struct eventcount *events; /* signalled by workers */
	struct worker workers[LOADS_MAX];
	pid_t pids[LOADS_MAX];
	uint64_t clean, settling, starved; /* slices of NF 0 */
};

#endif
