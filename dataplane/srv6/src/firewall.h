/* NFs in the kernel: packet filters of nf_tables. Such an NF is a table at the far end of its pair, where others have a packet socket: what
 * it lets pass goes back out of there as it came. Without its table nothing comes back. */
#ifndef SEXTANT_SRV6_FIREWALL_H
#define SEXTANT_SRV6_FIREWALL_H

#include "firewall_rules.h"
#include "pair.h"

/* Whether this kernel has all that the rules take: judged, not done. */
int firewall_probe(struct error *err);
/* Puts the table in the place of the one that is there, in one step. `segments`: of the chain's path, by which packets lie behind their
 * outer headers. */
int firewall_load(const struct daemon *daemon, const char *nf_id, const struct pair *pair, uint32_t segments,
	const struct firewall_rules *rules, struct error *err);

/* Puts other rules in the place of those that its table has, in one step; what passed and what was filtered is counted on. Where it fails
 * the old ones stay; E_NOT_FOUND where there is no table. `segments` as before. */
int firewall_change(const struct daemon *daemon, const char *nf_id, uint32_t segments, const struct firewall_rules *rules, struct error *err);

struct firewall_count {
	uint64_t packets, bytes;
};

#define FIREWALL_DEFAULT FIREWALL_RULES_MAX /* the number of what no rule has decided */

struct firewall_counts {
	uint64_t passed, filtered; /* packets */
	size_t rules;
	struct firewall_count by_rule[FIREWALL_RULES_MAX + 1]; /* what each decided since the rules were put there */
};
/* False where its table is not there: somebody has flushed the host's rules. */
bool firewall_read(const struct daemon *daemon, const char *nf_id, struct firewall_counts *counts);

void firewall_remove(const struct daemon *daemon, const char *nf_id);
/* Tables of this host whose pair has gone. */
void firewall_sweep(struct daemon *daemon);

#endif
