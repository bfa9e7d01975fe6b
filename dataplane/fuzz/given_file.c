#include "given_file.h"

#include <stdlib.h>
#include <string.h>

struct artefact given_file;

int __wrap_artefact_read(const struct scope *scope, const json_t *object, const char *key, size_t most,
	struct artefact *out)
{
	*out = (struct artefact){0};
	if (!json_is_string(json_object_get(object, key)))
		return 0;
	if (given_file.size > most)
		return refuse(scope, key, "too large");
	*out = (struct artefact){.bytes = malloc(given_file.size + 1), .size = given_file.size};
	if (out->bytes == NULL)
		return refuse(scope, key, "out of memory");
	if (given_file.size > 0)
		memcpy(out->bytes, given_file.bytes, given_file.size);
	out->bytes[out->size] = 0;
	return 0;
}
