#ifndef SEXTANT_SOURCE_LANE_H
#define SEXTANT_SOURCE_LANE_H

#include "packets/source_config.h"

/* The `lane` of an untrusted source; after all else of it but a capture. A lane without flows sends nothing. -1 with the field named. */
int source_lane_read(const json_t *source, struct source_config *config, struct error *err);

#endif
