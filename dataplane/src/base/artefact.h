/*
 * Files that a configuration names by digest (`sha256:<64 hex digits>`): routes, rules, patterns, packet traces.
 * The agent has checked a file's digest before it put it into the folder of --artefacts under the 64 digits.
 */
#ifndef SEXTANT_ARTEFACT_H
#define SEXTANT_ARTEFACT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

struct artefact {
	uint8_t *bytes; /* NULL: none was named. One zero byte follows the last, so that a text ends */
	size_t size;
};

/* Where the files lie; NULL (as at first): no configuration may name one. `folder` must stay. */
void artefact_folder(const char *folder);

/* Reads the file that `key` of the scope's object names, at most `most` bytes; absent or null: none. */
int artefact_read(const struct scope *scope, const json_t *object, const char *key, size_t most, struct artefact *out);

void artefact_free(struct artefact *artefact);

#endif
