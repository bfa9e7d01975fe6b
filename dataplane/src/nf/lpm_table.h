/*
 * Routing tables of rte_lpm that are used again. A table takes 64 MiB of addresses, of which a few MiB are touched;
 * to free one, DPDK's heap writes zeros over all of it: 64 MiB of new pages and a swept cache, 0.1 s. So a table no
 * longer needed is emptied rule by rule and kept for the next router.
 */
#ifndef SEXTANT_LPM_TABLE_H
#define SEXTANT_LPM_TABLE_H

#include <rte_lpm.h>
#include <stdint.h>

#include "config.h"

struct lpm_table {
	struct rte_lpm *lpm;
	uint32_t rules_max, groups; /* what it was made for */
	uint32_t rule_count;
	struct prefix *rules; /* those in it */
	struct lpm_table *next;
};

/* An empty table for `rules` rules, `long_rules` of them longer than /24; NULL when there is no memory. */
struct lpm_table *lpm_table_open(uint32_t rules, uint32_t long_rules);

/* Adds a rule of length 1 to 32, or changes its hop; negative when the table refuses it. */
int lpm_table_add(struct lpm_table *table, const struct prefix *rule, uint32_t hop);

void lpm_table_close(struct lpm_table *table);

#endif
