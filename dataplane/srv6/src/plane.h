/* The programs and maps of a host, and their pins: what a daemon leaves behind, and a successor adopts. */
#ifndef SEXTANT_SRV6_PLANE_H
#define SEXTANT_SRV6_PLANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/values.h"
#include "options.h"

enum program { PROGRAM_EDGE, PROGRAM_CORE, PROGRAM_NF_PORT, PROGRAM_FAR, PROGRAM_QUEUE, PROGRAMS };
enum map {
	MAP_PATHS, MAP_WAYS, MAP_FUNCTIONS, MAP_SOURCES, MAP_LOCATORS, MAP_NF_PORTS, MAP_NF_STATES, MAP_ATTACHED, MAP_COUNTS,
	MAP_MIRRORS, MAP_RETURNS, MAPS
};

#define KEY_BYTES_MAX sizeof(struct srv6_prefix)
#define VALUE_BYTES_MAX sizeof(struct srv6_path)

struct plane {
	const char *pins;
	struct bpf_object *object;
	int maps[MAPS], programs[PROGRAMS];
	uint32_t ours[3 * PROGRAMS]; /* ids of our programs: this daemon's, and its predecessors' */
	size_t ours_count;
	bool adopted;
};

/* Maps that are pinned are taken over with what they hold; programs are loaded anew, and beside the predecessor's until
 * plane_replace_pins. */
int plane_load(struct plane *plane, const struct options *options, struct error *err);
int plane_replace_pins(struct plane *plane, struct error *err);
/* For --clean: what is pinned, as far as it is. */
void plane_open_pins(struct plane *plane, const char *pins);
void plane_remove_pins(const char *pins);

bool plane_is_ours(const struct plane *plane, uint32_t program_id);

/* Over all entries; those for which `each` returns true are removed. */
void plane_each(const struct plane *plane, enum map map, bool (*each)(void *context, const void *key, void *value), void *context);
/* One update. Returns 0, or -1 with `err` filled. */
int plane_put(const struct plane *plane, enum map map, const void *key, const void *value, struct error *err);
bool plane_get(const struct plane *plane, enum map map, const void *key, void *value);
void plane_take(const struct plane *plane, enum map map, const void *key);

#endif
