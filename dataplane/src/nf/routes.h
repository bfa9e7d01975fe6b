/* The routes of a router's configuration: its list, and the file that it names. */
#ifndef SEXTANT_ROUTES_H
#define SEXTANT_ROUTES_H

#include <jansson.h>

#include "base/config.h"
#include "base/prefix6.h"

struct route {
	struct prefix prefix;
	uint16_t hop;
};

struct route6 {
	struct prefix6 prefix;
	uint16_t hop;
};

#define ROUTES6_MAX 1000U /* they are compared one by one */

struct routes {
	struct route *list;
	uint32_t count;
	struct route6 *list6;
	uint32_t count6;
	uint32_t groups; /* how many /24 hold a route that is longer: each needs a second-level table */
};

#define NEXT_HOPS 65536

/* Reads `routes`, then `routes_file`; -1 with the field, and of a file the line, named. routes_free in any case. */
int routes_read(const json_t *config, const struct scope *scope, struct routes *out);

void routes_free(struct routes *routes);

#endif
