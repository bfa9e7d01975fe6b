/* How the table of an NF in the kernel is called, and those of its chains that count. */
#ifndef SEXTANT_SRV6_FIREWALL_TABLE_H
#define SEXTANT_SRV6_FIREWALL_TABLE_H

#include "nft.h"
#include "pair.h"

#define TABLE_CHARS 32
#define PASSED "passed"
#define FILTERED "filtered"
#define OF_IPV4 "ipv4" /* chains of what was asked for: a rule of both families is in both */
#define OF_IPV6 "ipv6"

/* `name`: TABLE_CHARS. */
void firewall_name_table(const struct daemon *daemon, const char *nf_id, char *name, struct pair_names *names);

#endif
