/* What the machine really is: clock, distances between cores, sizes of caches, counters. No NF, no DPDK memory. */
#ifndef SEXTANT_MEASURE_CALIBRATE_H
#define SEXTANT_MEASURE_CALIBRATE_H

#include "measure/request.h"

int calibrate_run(const struct request *request, struct error *err);

/* What this program is and may use: version, NF types, cores, counters. */
void describe_run(void);

#endif
