/* What a measurement has counted, as lines of output. */
#ifndef SEXTANT_SAMPLES_H
#define SEXTANT_SAMPLES_H

#include "measure/session.h"

/* Prints what a finished phase has counted, a line an NF. */
void samples_print(struct session *session, uint32_t phase);

/* {"source": "perf", "events": [...]} or {"source": "tsc", "reason": "..."}. */
json_t *samples_counters(const struct counters *counters);

#endif
