#include "nf/flow_table.h"

#include <rte_cycles.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <stdio.h>

#include "nf/lpm_table.h"
#include "nf/pages.h"

#define NOBODY UINT32_MAX

static struct rte_hash *make_keys(const char *tag, uint32_t places)
{
	char name[RTE_HASH_NAMESIZE];
	/* With buckets to extend, every place can be filled: without, some keys find none in a table not yet full. */
	struct rte_hash_parameters parameters = {.name = name, .entries = places, .key_len = sizeof(struct flow_key),
		.hash_func = rte_hash_crc, .socket_id = (int)rte_socket_id(),
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE};

	(void)snprintf(name, sizeof(name), "flows-%s", tag);
	return rte_hash_create(&parameters);
}

static struct flow_table *make(const char *tag, uint32_t places)
{
	size_t bytes = sizeof(struct flow_table) + places * sizeof(struct flow_entry);
	struct flow_table *table = rte_zmalloc(NULL, bytes, 64);
	struct rte_hash *keys = table == NULL ? NULL : make_keys(tag, places);

	if (keys == NULL) {
		rte_free(table);
		return NULL;
	}
	pages_populate(keys, table, bytes);
	table->places = places;
	table->oldest = table->newest = NOBODY;
	table->keys = keys;
	return table;
}

struct flow_table *flow_table_open(const struct scope *scope, const char *tag, uint32_t places)
{
	struct flow_table *table = make(tag, places);

	if (table == NULL && lpm_table_free_spares())
		table = make(tag, places);
	if (table == NULL)
		(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for %u flows; remove a chain, use fewer, or start the "
			"runner with more --memory-mb", places);
	return table;
}

void flow_table_close(struct flow_table *table)
{
	if (table == NULL)
		return;
	rte_hash_free(table->keys);
	rte_free(table);
}

uint64_t flow_tick_cycles(uint64_t idle_s)
{
	return idle_s * rte_get_tsc_hz() / IDLE_TICKS;
}

void flow_keys_find(const struct rte_hash *keys, struct rte_mbuf **packets, uint32_t count, struct flow_key *found,
	int32_t *at)
{
	const void *pointers[RTE_HASH_LOOKUP_BULK_MAX];

	for (uint32_t i = 0; i < count; i++) {
		flow_key_read_plain(packets[i], &found[i]);
		pointers[i] = &found[i];
	}
	(void)rte_hash_lookup_bulk(keys, pointers, count, at);
}

int32_t flow_table_find(const struct flow_table *table, const struct flow_key *key)
{
	return rte_hash_lookup(table->keys, key);
}

void flow_table_find_many(const struct flow_table *table, const struct flow_key *keys, uint32_t count, int32_t *at)
{
	const void *pointers[RTE_HASH_LOOKUP_BULK_MAX];

	for (uint32_t i = 0; i < count; i++)
		pointers[i] = &keys[i];
	if (count == 0 || rte_hash_lookup_bulk(table->keys, pointers, count, at) != 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (at[i] >= 0)
			rte_prefetch0(&table->entries[at[i]]);
}

static void unlink_entry(struct flow_table *table, const struct flow_entry *entry)
{
	if (entry->older == NOBODY)
		table->oldest = entry->newer;
	else
		table->entries[entry->older].newer = entry->newer;
	if (entry->newer == NOBODY)
		table->newest = entry->older;
	else
		table->entries[entry->newer].older = entry->older;
}

static void link_newest(struct flow_table *table, uint32_t at, uint32_t tick)
{
	struct flow_entry *entry = &table->entries[at];

	entry->seen = tick;
	entry->older = table->newest;
	entry->newer = NOBODY;
	if (table->newest == NOBODY)
		table->oldest = at;
	else
		table->entries[table->newest].newer = at;
	table->newest = at;
}

void flow_table_touch(struct flow_table *table, int32_t at, uint32_t tick)
{
	struct flow_entry *entry = &table->entries[at];

	if (entry->seen == tick)
		return;
	unlink_entry(table, entry);
	link_newest(table, (uint32_t)at, tick);
}

static void count_flows(struct flow_table *table, uint32_t flows)
{
	atomic_store_explicit(&table->flows, flows, memory_order_relaxed);
}

int32_t flow_table_add(struct flow_table *table, const struct flow_key *key, uint32_t tick)
{
	uint32_t flows = atomic_load_explicit(&table->flows, memory_order_relaxed);
	int32_t at = flows == table->places ? -1 : rte_hash_add_key(table->keys, key);

	if (at < 0)
		return -1;
	count_flows(table, flows + 1);
	link_newest(table, (uint32_t)at, tick);
	return at;
}

/*
 * Seen late in one tick, it is idle for the whole idle time only after one tick more. The difference has a sign: another
 * core's clock may be a little behind.
 */
int32_t flow_table_find_idle(const struct flow_table *table, uint32_t tick)
{
	if (table->oldest == NOBODY || (int32_t)(tick - table->entries[table->oldest].seen) <= (int32_t)IDLE_TICKS)
		return -1;
	return (int32_t)table->oldest;
}

const struct flow_key *flow_table_key(const struct flow_table *table, int32_t at)
{
	void *key = NULL;

	(void)rte_hash_get_key_with_position(table->keys, at, &key);
	return key;
}

void flow_table_remove(struct flow_table *table, int32_t at)
{
	unlink_entry(table, &table->entries[at]);
	(void)rte_hash_del_key(table->keys, flow_table_key(table, at));
	count_flows(table, atomic_load_explicit(&table->flows, memory_order_relaxed) - 1);
}
