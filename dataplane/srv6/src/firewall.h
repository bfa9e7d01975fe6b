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

struct firewall_counts {
	uint64_t passed, filtered;
};
/* False where its table is not there: somebody has flushed the host's rules. */
bool firewall_read(const struct daemon *daemon, const char *nf_id, struct firewall_counts *counts);

void firewall_remove(const struct daemon *daemon, const char *nf_id);
/* Tables of this host whose pair has gone. */
void firewall_sweep(struct daemon *daemon);

#endif
