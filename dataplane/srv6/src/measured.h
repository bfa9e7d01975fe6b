/* Windows, as answers show them (docs/contracts/srv6.md). With `totals` also what came since the last time, which then begins anew. */
#ifndef SEXTANT_SRV6_MEASURED_H
#define SEXTANT_SRV6_MEASURED_H

#include <jansson.h>

#include "rings.h"

/* A list with an entry for each chain that left here. */
json_t *measured_chains(struct rings *rings, bool totals);
/* Adds `window` (null before the first) to an NF's entry, and `since_read`. */
void measured_nf(struct rings *rings, uint32_t nf, bool totals, json_t *entry);

#endif
