/* The fuzzed bytes as every file that a configuration names: linked in the place of artefact_read (--wrap). */
#ifndef SEXTANT_FUZZ_GIVEN_FILE_H
#define SEXTANT_FUZZ_GIVEN_FILE_H

#include "base/artefact.h"

extern struct artefact given_file; /* what they are; not freed */

int __wrap_artefact_read(const struct scope *scope, const json_t *object, const char *key, size_t most,
	struct artefact *out);

#endif
