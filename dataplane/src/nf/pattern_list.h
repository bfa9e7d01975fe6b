/* The patterns of a NIDS: those of the configuration, those of a file, and generated ones. */
#ifndef SEXTANT_PATTERN_LIST_H
#define SEXTANT_PATTERN_LIST_H

#include <jansson.h>
#include <stdint.h>

#include "base/config.h"

#define PATTERNS_MAX 5000U      /* of all three kinds together */
#define PATTERN_CHARS_MAX 512U
#define PATTERN_FILE_MAX (4U << 20)
#define PATTERN_NAME_MAX 24

enum pattern_origin { PATTERN_GIVEN, PATTERN_FILE, PATTERN_SYNTHETIC };

struct pattern_list {
	uint32_t count;
	char **texts;
	struct pattern_place {
		enum pattern_origin origin;
		uint32_t number; /* index in the list, line of the file, or which of the generated */
	} *places;
};

/* Reads `patterns`, `patterns_file`, `synthetic_patterns` and `seed`. To be freed in any case. */
int pattern_list_read(const struct scope *scope, const json_t *config, struct pattern_list *list);
void pattern_list_free(struct pattern_list *list);

/* Refuses one pattern: names where it stands and shows its beginning. Returns -1. */
int pattern_refuse(const struct scope *scope, const struct pattern_list *list, uint32_t index, const char *cause);

/* `patterns.3`, `line 17`, `synthetic 250`. */
void pattern_name(const struct pattern_place *place, char name[PATTERN_NAME_MAX]);

#endif
