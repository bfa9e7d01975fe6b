#include "lpm_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RULES_LEAST 4096U /* small tables are made alike, so that any router can use any of them */
#define GROUPS_LEAST 64U
#define EMPTY_MOST 16384U /* finding a rule takes time linear in the rules: beyond this, free the table instead */

static struct lpm_table *spares;

static void destroy(struct lpm_table *table)
{
	if (table->lpm != NULL)
		rte_lpm_free(table->lpm);
	free(table->rules);
	free(table);
}

static struct lpm_table *create(uint32_t rules, uint32_t groups)
{
	static uint64_t serial;
	struct rte_lpm_config sizes = {.max_rules = rules, .number_tbl8s = groups};
	struct lpm_table *table = calloc(1, sizeof(*table));
	char name[RTE_LPM_NAMESIZE];

	if (table == NULL)
		return NULL;
	(void)snprintf(name, sizeof(name), "lpm-%llu", (unsigned long long)++serial);
	table->rules_max = rules;
	table->groups = groups;
	table->rules = calloc(rules, sizeof(*table->rules));
	table->lpm = rte_lpm_create(name, SOCKET_ID_ANY, &sizes);
	if (table->rules != NULL && table->lpm != NULL)
		return table;
	destroy(table);
	return NULL;
}

static struct lpm_table *take_spare(uint32_t rules, uint32_t groups)
{
	for (struct lpm_table **at = &spares; *at != NULL; at = &(*at)->next) {
		struct lpm_table *table = *at;

		if (table->rules_max < rules || table->groups < groups)
			continue;
		*at = table->next;
		return table;
	}
	return NULL;
}

static void destroy_spares(void)
{
	while (spares != NULL) {
		struct lpm_table *table = spares;

		spares = table->next;
		destroy(table);
	}
}

struct lpm_table *lpm_table_open(uint32_t rules, uint32_t long_rules)
{
	uint32_t groups = long_rules + 1;
	struct lpm_table *table;

	if (rules < RULES_LEAST)
		rules = RULES_LEAST;
	if (groups < GROUPS_LEAST)
		groups = GROUPS_LEAST;
	table = take_spare(rules, groups);
	if (table == NULL)
		table = create(rules, groups);
	if (table == NULL && spares != NULL) { /* the spares hold the memory, but none of them is large enough */
		destroy_spares();
		table = create(rules, groups);
	}
	return table;
}

int lpm_table_add(struct lpm_table *table, const struct prefix *rule, uint32_t hop)
{
	uint32_t before;
	bool known = rte_lpm_is_rule_present(table->lpm, rule->address, rule->length, &before) == 1;
	int status;

	if (!known && table->rule_count == table->rules_max)
		return -1;
	status = rte_lpm_add(table->lpm, rule->address, rule->length, hop);
	if (status == 0 && !known)
		table->rules[table->rule_count++] = *rule;
	return status;
}

/* An empty first level is all zeros: give its pages back (on hugepages this does nothing, they are few). */
static void release_pages(struct lpm_table *table)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)table->lpm->tbl24 + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)table->lpm->tbl24 + sizeof(table->lpm->tbl24)) & ~(page - 1);

	(void)madvise((void *)start, end - start, MADV_REMOVE);
}

void lpm_table_close(struct lpm_table *table)
{
	bool emptied = table->rule_count <= EMPTY_MOST;

	for (uint32_t i = table->rule_count; emptied && i > 0; i--)
		emptied = rte_lpm_delete(table->lpm, table->rules[i - 1].address, table->rules[i - 1].length) == 0;
	if (!emptied) {
		destroy(table);
		return;
	}
	table->rule_count = 0;
	release_pages(table);
	table->next = spares;
	spares = table;
}
