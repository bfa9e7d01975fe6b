/* One measurement of NFs: memory and tables, forks, gates before and after, samples as they come. */
#ifndef SEXTANT_MEASURE_SESSION_H
#define SEXTANT_MEASURE_SESSION_H

#include "request.h"
#include "worker.h"

struct session {
	struct request *request;
	bool try_huge, hugepages;
	uint64_t tsc_hz;
	struct bell *bell; /* rung by workers */
	struct worker workers[LOADS_MAX];
	pid_t pids[LOADS_MAX];
	uint64_t clean, settling, starved; /* slices of NF 0 */
};

/* Runs the request's mode and prints its lines; -1 with `err` filled. Nothing is left running either way. */
int session_run(struct session *session, struct error *err);

/* gates.c: prints the clock of every core in use and the ping-pong between NF 0 and each competitor. */
int gates_print(const struct request *request, const char *when, struct error *err);

/* samples.c: prints what a finished phase has counted, a line an NF. */
void samples_print(struct session *session, uint32_t phase);

/* samples.c: {"source": "perf", "events": [...]} or {"source": "tsc", "reason": "..."}. */
json_t *samples_counters(const struct counters *counters);

#endif
