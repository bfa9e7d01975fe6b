/* Reading what the packets of a source are: their sizes, flows and payload. */
#ifndef SEXTANT_SOURCE_PACKETS_H
#define SEXTANT_SOURCE_PACKETS_H

#include "packets/source_config.h"

/* Sizes, distribution of flows, payload; once the match is known. -1 with the field named in `err`. */
int source_packets_read(const json_t *source, struct source_config *config, struct error *err);

#endif
