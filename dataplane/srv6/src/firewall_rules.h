/* Rules of a packet filter, as a request has them: those of the testbed's NF type `firewall` (docs/contracts/runner.md). */
#ifndef SEXTANT_SRV6_FIREWALL_RULES_H
#define SEXTANT_SRV6_FIREWALL_RULES_H

#include <jansson.h>

#include "base/prefix6.h"
#include "codes.h"

#define FIREWALL_RULES_MAX 256 /* looked at one after the other */

struct firewall_rule {
	bool allow, ipv4, ipv6; /* a rule that names addresses speaks of their family alone */
	uint8_t protocol;       /* 0: any */
	uint16_t first_port, last_port;
	struct prefix6 src, dst; /* of IPv4 the first 4 bytes; length 0: any */
};

struct firewall_rules {
	struct firewall_rule list[FIREWALL_RULES_MAX];
	size_t count;
	bool allow; /* where no rule matches */
};

int firewall_rules_read(const json_t *request, struct firewall_rules *rules, struct error *err);

#endif
