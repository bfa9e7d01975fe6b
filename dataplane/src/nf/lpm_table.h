/*
 * Routing tables: rte_lpm's two levels and its vector lookup, filled and emptied here.
 *
 * Why not rte_lpm_add: it looks for the rule among all of the same length, one after the other; a million routes would
 * take minutes. A table is complete before any process reads it, so two arrays need nothing else than to be written
 * (the layout is that of rte_lpm.h, which its inline lookup reads).
 * Why tables are used again: one takes 64 MiB of addresses, of which a few MiB are touched; to free it, DPDK's heap
 * writes zeros over all of it: 64 MiB of new pages and a swept cache, 0.1 s. So one no longer needed is emptied and kept.
 */
#ifndef SEXTANT_LPM_TABLE_H
#define SEXTANT_LPM_TABLE_H

#include <rte_lpm.h>
#include <stdint.h>

#include "base/config.h"

struct lpm_table {
	struct rte_lpm *lpm;
	uint32_t groups, groups_used; /* second-level tables, one for each /24 that holds a longer route */
	struct lpm_table *next;
};

/* An empty table with room for `groups` second-level tables; NULL when there is no memory. */
struct lpm_table *lpm_table_open(uint32_t groups);

/* Adds a route of length 1 to 32; of the same prefix the last stays. -1 when its second-level table has no room. */
int lpm_table_add(struct lpm_table *table, const struct prefix *prefix, uint32_t hop);

/* Whether no address of a prefix of length 1 to 24 has a route. */
bool lpm_table_is_empty(const struct lpm_table *table, const struct prefix *prefix);

void lpm_table_close(struct lpm_table *table);

/* Frees the tables that are kept for later routers: for whoever finds no memory. False when there are none. */
bool lpm_table_free_spares(void);

#endif
