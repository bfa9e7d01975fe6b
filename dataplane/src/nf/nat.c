/*
 * Source NAT: packets from inside leave with a public address and a port that is theirs alone, one for each flow
 * (5-tuple). Checksums are adjusted by what the two changes add to them (RFC 1624). What cannot be translated is
 * filtered and counted, never sent on as it is: its answers would go to another's address, or nowhere.
 */
#include <rte_cycles.h>
#include <rte_malloc.h>
#include <stdlib.h>

#include "base/counter.h"
#include "nf/flow_burst.h"
#include "nf/nf.h"
#include "nf/port_pool.h"

#define PLACES_MAX (1U << 20)
#define PLACES_LEAST 64
#define IDLE_S_MAX 86400
#define INSIDE_MAX 16

struct mapping { /* the value kept with a flow */
	uint32_t address;
	uint16_t port;
	uint16_t unused;
	uint32_t ip_change, l4_change; /* of the checksums */
};

_Static_assert(sizeof(struct mapping) == FLOW_VALUE_BYTES, "the mapping is the flow table's value");

struct figures { /* in shared memory: the NF's process writes, the control process reads */
	counter outside, untranslatable, no_place, no_port;
};

struct nat { /* never changes once it is open: what changes lies behind the pointers, in shared memory */
	struct flow_table *flows;
	struct port_pool *ports;
	struct figures *figures;
	uint64_t tick_cycles;
	uint32_t inside_count;
	struct prefix inside[INSIDE_MAX];
};

static const struct prefix PRIVATE[] = {{0x0a000000, 8}, {0xac100000, 12}, {0xc0a80000, 16}}; /* RFC 1918 */

static void close_nat(void *state)
{
	struct nat *nat = state;

	flow_table_close(nat->flows);
	port_pool_close(nat->ports);
	rte_free(nat->figures);
	free(nat);
}

static int read_inside(const json_t *config, const struct scope *scope, const struct prefix *pool, struct nat *nat)
{
	const json_t *list = json_object_get(config, "inside_prefixes");
	size_t count = json_array_size(list);

	if (list == NULL) {
		nat->inside_count = RTE_DIM(PRIVATE);
		memcpy(nat->inside, PRIVATE, sizeof(PRIVATE));
	}
	if (list != NULL && (!json_is_array(list) || count == 0 || count > INSIDE_MAX))
		return refuse(scope, "inside_prefixes", "a list of 1 to %d IPv4 prefixes is expected", INSIDE_MAX);
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (text == NULL || prefix_parse(text, &nat->inside[i]) < 0)
			return refuse(scope, "inside_prefixes", "entry %zu: " PREFIX_EXPECTED, i);
		nat->inside_count++;
	}
	/* Then a packet once translated is never translated again: not by a second NAT, nor by the successor of a killed one. */
	for (uint32_t i = 0; i < nat->inside_count; i++)
		if (prefix_overlaps(&nat->inside[i], pool))
			return refuse(scope, "public_prefix", "must lie outside every prefix of inside_prefixes");
	return 0;
}

static int read_pool(const json_t *config, const struct scope *scope, struct prefix *pool)
{
	static const struct prefix fallback = {.address = 0xcb007100U, .length = 28}; /* 203.0.113.0/28, RFC 5737 */

	*pool = fallback;
	if (json_object_get(config, "public_prefix") != NULL && config_prefix(scope, config, "public_prefix", pool) < 0)
		return -1;
	if (1ULL << (32 - pool->length) > POOL_ADDRESSES_MAX)
		return refuse(scope, "public_prefix", "at most %u addresses (a /24) are expected", POOL_ADDRESSES_MAX);
	return 0;
}

static int fill(struct nat *nat, const struct scope *scope, const char *tag, const struct prefix *pool, uint16_t first,
	uint16_t last, uint32_t places)
{
	nat->figures = rte_zmalloc(NULL, sizeof(*nat->figures), 64);
	nat->ports = port_pool_open(pool, first, last);
	if (nat->figures == NULL || nat->ports == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "no memory for %u public addresses; remove a chain, or use fewer",
			1U << (32 - pool->length));
	nat->flows = flow_table_open(scope, tag, places);
	return nat->flows == NULL ? -1 : 0;
}

static int read_config(const json_t *config, const struct scope *scope, const char *tag, struct nat *nat)
{
	static const char *const fields[] = {"inside_prefixes", "public_prefix", "first_port", "last_port",
		"flow_table_entries", "idle_timeout_s", NULL};
	uint64_t first, last, places, idle_s;
	struct prefix pool;

	if (config_object(scope, config, fields) < 0 || read_pool(config, scope, &pool) < 0 ||
	    read_inside(config, scope, &pool, nat) < 0 ||
	    config_uint(scope, config, "first_port", 1, UINT16_MAX, 1024, &first) < 0 ||
	    config_uint(scope, config, "last_port", 1, UINT16_MAX, UINT16_MAX, &last) < 0 ||
	    config_uint(scope, config, "flow_table_entries", PLACES_LEAST, PLACES_MAX, 65536, &places) < 0 ||
	    config_uint(scope, config, "idle_timeout_s", 1, IDLE_S_MAX, 300, &idle_s) < 0)
		return -1;
	if (first > last)
		return refuse(scope, "first_port", "%llu is above last_port, %llu", (unsigned long long)first,
			(unsigned long long)last);
	nat->tick_cycles = flow_tick_cycles(idle_s);
	return fill(nat, scope, tag, &pool, (uint16_t)first, (uint16_t)last, (uint32_t)places);
}

static void *open_nat(const json_t *config, const struct scope *scope, const char *tag)
{
	struct nat *nat = calloc(1, sizeof(*nat));

	if (nat == NULL || read_config(config, scope, tag, nat) == 0)
		return nat;
	close_nat(nat);
	return NULL;
}

static bool is_inside(const struct nat *nat, uint32_t address)
{
	for (uint32_t i = 0; i < nat->inside_count; i++)
		if ((address & prefix_mask(nat->inside[i].length)) == nat->inside[i].address)
			return true;
	return false;
}

/* Releases as many idle flows, with their ports, as a burst can add. */
static void sweep(const struct nat *nat, uint32_t tick)
{
	int32_t at;

	for (uint32_t most = BURST; most > 0 && (at = flow_table_find_idle(nat->flows, tick)) >= 0; most--) {
		const struct mapping *mapping = flow_value(nat->flows, at);

		port_pool_release(nat->ports, (uint8_t)flow_table_key(nat->flows, at)->protocol,
			rte_be_to_cpu_32(mapping->address), rte_be_to_cpu_16(mapping->port));
		flow_table_remove(nat->flows, at);
	}
}

static void map(struct mapping *mapping, const struct flow_key *key, uint32_t address, uint16_t port)
{
	uint16_t ports[2];

	memcpy(ports, &key->ports, sizeof(ports));
	mapping->address = rte_cpu_to_be_32(address);
	mapping->port = rte_cpu_to_be_16(port);
	mapping->ip_change = checksum_change32(key->src, mapping->address);
	mapping->l4_change = mapping->ip_change + checksum_change16(ports[0], mapping->port);
}

static int32_t add_flow(const struct nat *nat, const struct flow_key *key, uint32_t tick)
{
	int32_t at = flow_table_find(nat->flows, key); /* an earlier packet of this burst may have added it */
	uint32_t address;
	uint16_t port;

	if (at >= 0)
		return at;
	if (!port_pool_allocate(nat->ports, (uint8_t)key->protocol, key->src, &address, &port)) {
		counter_add(&nat->figures->no_port, 1);
		return -1;
	}
	at = flow_table_add(nat->flows, key, tick);
	if (at < 0) {
		port_pool_release(nat->ports, (uint8_t)key->protocol, address, port);
		counter_add(&nat->figures->no_place, 1);
		return -1;
	}
	map(flow_value(nat->flows, at), key, address, port);
	return at;
}

static void translate(const struct packet_view *view, const struct mapping *mapping)
{
	view->ip->src_addr = mapping->address;
	view->ports[0] = mapping->port;
	view->ip->hdr_checksum = checksum_update(view->ip->hdr_checksum, mapping->ip_change);
	packet_update_l4_checksum(view, mapping->l4_change);
}

static bool is_from_outside(const void *state, const struct packet_view *view)
{
	return view->ip != NULL && !is_inside(state, rte_be_to_cpu_32(view->ip->src_addr));
}

static uint32_t process_nat(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct nat *nat = state;
	uint32_t tick = (uint32_t)(rte_rdtsc() / nat->tick_cycles), keep, passed;
	struct flow_burst work;

	sweep(nat, tick);
	keep = flow_burst_sort(&work, packets, count, is_from_outside, nat);
	passed = (uint32_t)__builtin_popcount(keep);
	if (passed > 0)
		counter_add(&nat->figures->outside, passed);
	if (passed + work.count < count)
		counter_add(&nat->figures->untranslatable, count - passed - work.count);
	flow_burst_find(&work, nat->flows, tick);
	for (uint32_t i = 0; i < work.count; i++) {
		if (work.at[i] < 0)
			work.at[i] = add_flow(nat, &work.key[i], tick);
		if (work.at[i] < 0)
			continue;
		translate(&work.view[i], flow_value(nat->flows, work.at[i]));
		keep |= 1U << work.packet[i];
	}
	return keep;
}

static uint32_t primitive_nat(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct nat *nat = state;
	struct flow_key keys[BURST];
	int32_t at[BURST];

	flow_keys_find(nat->flows->keys, packets, count, keys, at);
	return (uint32_t)at[0];
}

static void describe_nat(const void *state, json_t *out)
{
	const struct nat *nat = state;
	const struct figures *figures = nat->figures;

	json_object_set_new(out, "flows", json_integer((json_int_t)atomic_load(&nat->flows->flows)));
	json_object_set_new(out, "outside_packets", json_integer((json_int_t)counter_read(&figures->outside)));
	json_object_set_new(out, "untranslatable_packets", json_integer((json_int_t)counter_read(&figures->untranslatable)));
	json_object_set_new(out, "table_full_packets", json_integer((json_int_t)counter_read(&figures->no_place)));
	json_object_set_new(out, "ports_exhausted_packets", json_integer((json_int_t)counter_read(&figures->no_port)));
}

const struct nf_type NF_NAT = {.name = "nat", .open = open_nat, .process = process_nat, .primitive = primitive_nat,
	.describe = describe_nat, .close = close_nat};
