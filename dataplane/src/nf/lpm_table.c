#include "nf/lpm_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nf/pages.h"

#define GROUPS_LEAST 64U  /* small tables are made alike, so that any router can use any of them */
#define GROUPS_KEPT 4096U /* a larger table goes back to the heap */
#define GROUP_ENTRIES RTE_LPM_TBL8_GROUP_NUM_ENTRIES

/* Tables are built in one thread and may be closed in another meanwhile. */
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static struct lpm_table *spares;

static void destroy(struct lpm_table *table)
{
	if (table->lpm != NULL)
		rte_lpm_free(table->lpm);
	free(table);
}

static struct lpm_table *create(uint32_t groups)
{
	static uint64_t serial;
	struct rte_lpm_config sizes = {.max_rules = 1, .number_tbl8s = groups};
	struct lpm_table *table = calloc(1, sizeof(*table));
	char name[RTE_LPM_NAMESIZE];

	if (table == NULL)
		return NULL;
	(void)snprintf(name, sizeof(name), "lpm-%llu", (unsigned long long)++serial);
	table->groups = groups;
	table->lpm = rte_lpm_create(name, SOCKET_ID_ANY, &sizes);
	if (table->lpm != NULL)
		return table;
	destroy(table);
	return NULL;
}

static struct lpm_table *reuse_spare(uint32_t groups)
{
	struct lpm_table **at = &spares, *table;

	(void)pthread_mutex_lock(&spares_lock);
	while (*at != NULL && (*at)->groups < groups)
		at = &(*at)->next;
	table = *at;
	if (table != NULL)
		*at = table->next;
	(void)pthread_mutex_unlock(&spares_lock);
	return table;
}

bool lpm_table_free_spares(void)
{
	struct lpm_table *table = reuse_spare(0);
	bool any = table != NULL;

	for (; table != NULL; table = reuse_spare(0))
		destroy(table);
	return any;
}

struct lpm_table *lpm_table_open(uint32_t groups)
{
	struct lpm_table *table;

	if (groups < GROUPS_LEAST)
		groups = GROUPS_LEAST;
	table = reuse_spare(groups);
	if (table == NULL)
		table = create(groups);
	if (table == NULL && lpm_table_free_spares()) /* they hold the memory, but none of them is large enough */
		table = create(groups);
	return table;
}

/* A shorter route never hides a longer one, whichever comes first. */
static void write_entry(struct rte_lpm_tbl_entry *at, struct rte_lpm_tbl_entry entry)
{
	if (!at->valid || at->depth <= entry.depth)
		*at = entry;
}

static void write_entries(struct rte_lpm_tbl_entry *at, uint32_t count, struct rte_lpm_tbl_entry entry)
{
	for (uint32_t i = 0; i < count; i++)
		write_entry(&at[i], entry);
}

static struct rte_lpm_tbl_entry *group_of(const struct lpm_table *table, struct rte_lpm_tbl_entry entry)
{
	return &table->lpm->tbl8[entry.next_hop * GROUP_ENTRIES];
}

static void add_short(struct lpm_table *table, const struct prefix *prefix, struct rte_lpm_tbl_entry entry)
{
	struct rte_lpm_tbl_entry *first = &table->lpm->tbl24[prefix->address >> 8];

	for (uint32_t i = 0; i < 1U << (24 - prefix->length); i++) {
		if (first[i].valid_group)
			write_entries(group_of(table, first[i]), GROUP_ENTRIES, entry);
		else
			write_entry(&first[i], entry);
	}
}

static int add_long(struct lpm_table *table, const struct prefix *prefix, struct rte_lpm_tbl_entry entry)
{
	struct rte_lpm_tbl_entry *first = &table->lpm->tbl24[prefix->address >> 8];

	if (!first->valid_group) {
		struct rte_lpm_tbl_entry group = {.next_hop = table->groups_used & 0xffffff, .valid = 1, .valid_group = 1};

		if (table->groups_used == table->groups)
			return -1;
		table->groups_used++;
		if (first->valid)
			write_entries(group_of(table, group), GROUP_ENTRIES, *first);
		*first = group;
	}
	write_entries(group_of(table, *first) + (prefix->address & 0xff), 1U << (32 - prefix->length), entry);
	return 0;
}

int lpm_table_add(struct lpm_table *table, const struct prefix *prefix, uint32_t hop)
{
	struct rte_lpm_tbl_entry entry = {.next_hop = hop & 0xffffff, .valid = 1, .depth = prefix->length & 0x3fU};

	if (prefix->length > 24)
		return add_long(table, prefix, entry);
	add_short(table, prefix, entry);
	return 0;
}

bool lpm_table_is_empty(const struct lpm_table *table, const struct prefix *prefix)
{
	const struct rte_lpm_tbl_entry *first = &table->lpm->tbl24[prefix->address >> 8];

	for (uint32_t i = 0; i < 1U << (24 - prefix->length); i++)
		if (first[i].valid)
			return false;
	return true;
}

void lpm_table_close(struct lpm_table *table)
{
	if (table->groups > GROUPS_KEPT) {
		destroy(table);
		return;
	}
	pages_clear(table->lpm->tbl24, sizeof(table->lpm->tbl24));
	memset(table->lpm->tbl8, 0, (size_t)table->groups_used * GROUP_ENTRIES * sizeof(*table->lpm->tbl8));
	table->groups_used = 0;
	(void)pthread_mutex_lock(&spares_lock);
	table->next = spares;
	spares = table;
	(void)pthread_mutex_unlock(&spares_lock);
}
