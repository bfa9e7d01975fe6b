/* The rules of a firewall's configuration: its list, and the file that it names. */
#ifndef SEXTANT_RULES_H
#define SEXTANT_RULES_H

#include <jansson.h>

#include "base/config.h"
#include "base/prefix6.h"

enum { ALLOW = 1, DENY = 2 }; /* rte_acl's user data: 0 means that no rule matched */

struct rule {
	bool ipv4, ipv6; /* which families it speaks of: that of its addresses, or both where it names none */
	struct prefix src, dst;
	struct prefix6 src6, dst6;
	uint8_t protocol; /* 0: any */
	uint16_t first_port, last_port;
	uint32_t action;
};

struct rules {
	struct rule *list;
	uint32_t count;
};

/* Reads `rules`, then `rules_file`; -1 with the field, and of a file the line, named. rules_free in any case. */
int rules_read(const json_t *config, const struct scope *scope, struct rules *out);

void rules_free(struct rules *rules);

/* 'allow' or 'deny'; `fallback` where it is absent, 0: it must be there. */
int rules_read_action(const json_t *object, const struct scope *scope, const char *key, uint32_t fallback, uint32_t *out);

#endif
