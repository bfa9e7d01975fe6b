/* Reading what a chain's source is to send. */
#ifndef SEXTANT_SOURCE_READER_H
#define SEXTANT_SOURCE_READER_H

#include "packets/source_config.h"

/*
 * Reads `source`; returns -1 with the field named in `err`. Where it names a capture, that is loaded, and the caller
 * owns `config->replay`.
 */
int source_config_read(const json_t *source, struct source_config *config, struct error *err);

#endif
