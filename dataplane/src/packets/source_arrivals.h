/* Reading how packets arrive. */
#ifndef SEXTANT_SOURCE_ARRIVALS_H
#define SEXTANT_SOURCE_ARRIVALS_H

#include "packets/source_config.h"

/* What `arrivals` says, once the rate and the seed are known. -1 with the field named in `err`. */
int source_arrivals_read(const json_t *source, struct source_config *config, struct error *err);

#endif
