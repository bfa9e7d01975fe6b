/* What the programs count. */
#ifndef SEXTANT_SRV6_COUNTS_H
#define SEXTANT_SRV6_COUNTS_H

#include <jansson.h>
#include <stdint.h>

#include "bpf/values.h"

/* Over all CPUs. */
uint64_t counts_sum(int map, enum srv6_count what);
/* All, by name. */
json_t *counts_report(int map);

#endif
