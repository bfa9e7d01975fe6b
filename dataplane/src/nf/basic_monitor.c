/* Counts packets and bytes of every IPv4 flow in an rte_hash table, and those it cannot hold; never drops. */
#include <rte_ether.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter.h"
#include "nf/flow_table.h"
#include "nf/nf.h"
#include "nf/packet.h"
#include "nf/pages.h"

#define ENTRIES_MAX (1U << 20)

struct flow_count {
	uint64_t packets, bytes;
};

struct totals { /* in shared memory: the NF's process writes, the control process reads */
	counter flows, untracked;
	struct flow_count counts[];
};

struct monitor {
	struct rte_hash *table;
	struct totals *totals;
};

static void close_monitor(void *state)
{
	struct monitor *monitor = state;

	rte_hash_free(monitor->table);
	rte_free(monitor->totals);
	free(monitor);
}

static void *make(const struct scope *scope, const char *tag, uint32_t entries)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	size_t bytes = sizeof(*monitor->totals) + (entries + 1) * sizeof(struct flow_count);
	char name[RTE_HASH_NAMESIZE];
	struct rte_hash_parameters parameters = {.name = name, .entries = entries, .key_len = sizeof(struct flow_key),
		.hash_func = rte_hash_crc, .socket_id = (int)rte_socket_id()};

	if (monitor == NULL)
		return NULL;
	(void)snprintf(name, sizeof(name), "hash-%s", tag);
	monitor->table = rte_hash_create(&parameters);
	monitor->totals = rte_zmalloc(NULL, bytes, 64);
	if (monitor->table != NULL && monitor->totals != NULL) {
		pages_populate(monitor->table, monitor->totals, bytes);
		return monitor;
	}
	close_monitor(monitor);
	(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for %u flows; remove a chain or use fewer", entries);
	return NULL;
}

static void *open_monitor(const json_t *config, const struct scope *scope, const char *tag)
{
	static const char *const fields[] = {"flow_table_entries", NULL};
	uint64_t entries;

	if (config_object(scope, config, fields) < 0 ||
	    config_uint(scope, config, "flow_table_entries", 16, ENTRIES_MAX, 65536, &entries) < 0)
		return NULL;
	return make(scope, tag, (uint32_t)entries);
}

static int32_t add_flow(struct monitor *monitor, const struct flow_key *key)
{
	int32_t position = rte_hash_lookup(monitor->table, key); /* an earlier packet of this burst may have added it */

	if (position >= 0)
		return position;
	position = rte_hash_add_key(monitor->table, key);
	counter_add(position >= 0 ? &monitor->totals->flows : &monitor->totals->untracked, 1);
	return position;
}

static uint32_t process_monitor(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct monitor *monitor = state;
	struct flow_key keys[BURST];
	int32_t positions[BURST];

	flow_keys_find(monitor->table, packets, count, keys, positions);
	for (uint32_t i = 0; i < count; i++) {
		if (!packet_is_plain(packets[i])) {
			counter_add(&monitor->totals->untracked, 1);
			continue;
		}
		if (positions[i] < 0)
			positions[i] = add_flow(monitor, &keys[i]);
		if (positions[i] < 0)
			continue;
		monitor->totals->counts[positions[i]].packets++;
		monitor->totals->counts[positions[i]].bytes += packets[i]->pkt_len;
	}
	return (uint32_t)((1ULL << count) - 1);
}

static uint32_t primitive_monitor(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct monitor *monitor = state;
	struct flow_key keys[BURST];
	int32_t positions[BURST];

	flow_keys_find(monitor->table, packets, count, keys, positions);
	return (uint32_t)positions[0];
}

static void describe_monitor(const void *state, json_t *out)
{
	const struct monitor *monitor = state;

	json_object_set_new(out, "flows", json_integer((json_int_t)counter_read(&monitor->totals->flows)));
	json_object_set_new(out, "untracked_packets", json_integer((json_int_t)counter_read(&monitor->totals->untracked)));
}

const struct nf_type NF_BASIC_MONITOR = {.name = "basic-monitor", .repeatable = true, .open = open_monitor, .process = process_monitor,
	.primitive = primitive_monitor, .describe = describe_monitor, .close = close_monitor};
