/* Windows, as answers show them (docs/contracts/srv6.md). */
#ifndef SEXTANT_SRV6_MEASURED_H
#define SEXTANT_SRV6_MEASURED_H

#include <jansson.h>
#include <stdbool.h>

#include "mirrors.h"

/* A list with an entry for each chain that left here. With `totals` also what came since the last time, which then begins anew. */
json_t *measured_report(struct mirrors *mirrors, bool totals);

#endif
