#ifndef SEXTANT_SOURCE_LANE_H
#define SEXTANT_SOURCE_LANE_H

#include "packets/source_config.h"

/*
 * The `lane` of an untrusted source; after all else of it but a capture. Its rate is what the lane has by its weight. From then on
 * it is what its own flows have of the rate of all lanes, so that the rates of all lanes add up to that. -1 with the field named.
 */
int source_lane_read(const json_t *source, struct source_config *config, struct error *err);

#endif
