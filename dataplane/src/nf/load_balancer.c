/*
 * Load balancer: packets to the virtual address (vip) go to one of the backends by Maglev's table, all of a flow to the
 * same one: destination address and MAC are rewritten, checksums updated. With a connection table a flow stays with its
 * backend for as long as that is there, even when others come and go; without one, a change moves a few flows.
 * What is not for the vip passes as it is. What is, but has no ports (a fragment, ICMP), is filtered and counted.
 */
#include <rte_cycles.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <stdlib.h>

#include "nf/flow_burst.h"
#include "nf/load_balancer_config.h"
#include "nf/nf.h"

struct figures { /* in shared memory: the NF's process writes, the control process reads */
	counter unmatched, unbalanceable, moved, untracked;
};

struct remembered { /* the value kept with a flow */
	uint32_t slot, serial;
};

struct balancer { /* never changes once it is open: what changes lies behind the pointers, in shared memory */
	struct balancer_config config;
	struct backend_pool *pool;
	struct flow_table *flows; /* NULL: no connection table */
	struct figures *figures;
	uint64_t tick_cycles;
};

static void close_balancer(void *state)
{
	struct balancer *balancer = state;

	flow_table_close(balancer->flows);
	backend_pool_close(balancer->pool);
	rte_free(balancer->figures);
	free(balancer);
}

static int build(struct balancer *balancer, const struct scope *scope, const char *tag)
{
	const struct balancer_config *config = &balancer->config;

	balancer->tick_cycles = flow_tick_cycles(config->idle_s);
	balancer->figures = rte_zmalloc(NULL, sizeof(*balancer->figures), 64);
	balancer->pool = backend_pool_open(config->table_size);
	if (balancer->figures == NULL || balancer->pool == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "no memory for two tables of %u entries; remove a chain, or choose a "
			"smaller table_size", config->table_size);
	if (backend_pool_set(balancer->pool, scope, config->backends, config->backend_count) < 0)
		return -1;
	if (config->places > 0)
		balancer->flows = flow_table_open(scope, tag, config->places);
	return config->places > 0 && balancer->flows == NULL ? -1 : 0;
}

static void *open_balancer(const json_t *config, const struct scope *scope, const char *tag)
{
	struct balancer *balancer = calloc(1, sizeof(*balancer));

	if (balancer == NULL ||
	    (balancer_config_read(config, scope, &balancer->config) == 0 && build(balancer, scope, tag) == 0))
		return balancer;
	close_balancer(balancer);
	return NULL;
}

/* The backends can change under the running process; what else was made for the old configuration cannot. */
static int configure_balancer(void *state, const json_t *config, const struct scope *scope)
{
	struct balancer *balancer = state;
	const struct balancer_config *old = &balancer->config;
	struct balancer_config new;

	if (balancer_config_read(config, scope, &new) < 0)
		return -1;
	if (new.vip.address != old->vip.address || new.vip.length != old->vip.length || new.protocol != old->protocol ||
	    new.port != old->port || new.table_size != old->table_size || new.places != old->places ||
	    new.idle_s != old->idle_s)
		return refuse(scope, "", "only the backends of a running load balancer can change; for the rest, remove its chain "
			"and add it again");
	return backend_pool_set(balancer->pool, scope, new.backends, new.backend_count);
}

static bool is_for_vip(const struct balancer_config *config, const struct packet_view *view)
{
	return view->ip != NULL &&
		(rte_be_to_cpu_32(view->ip->dst_addr) & prefix_mask(config->vip.length)) == config->vip.address &&
		(config->protocol == 0 || view->ip->next_proto_id == config->protocol) &&
		(config->port == 0 || view->ports == NULL || view->ports[1] == rte_cpu_to_be_16(config->port));
}

static bool is_for_others(const void *state, const struct packet_view *view)
{
	const struct balancer *balancer = state;

	return !is_for_vip(&balancer->config, view);
}

static uint32_t pick(const struct balancer *balancer, const struct backend_set *set, const struct flow_key *key)
{
	return set->table[maglev_lookup(rte_hash_crc(key, sizeof(*key), 0), balancer->config.table_size)];
}

/* The remembered backend while it is there, else the table's, which is then remembered. */
static uint32_t pick_tracked(const struct balancer *balancer, const struct backend_set *set, const struct flow_key *key,
	int32_t at, uint32_t tick)
{
	struct remembered *remembered;
	uint32_t slot;

	if (at < 0)
		at = flow_table_find(balancer->flows, key); /* an earlier packet of this burst may have added it */
	if (at >= 0) {
		remembered = flow_value(balancer->flows, at);
		if (set->serials[remembered->slot] == remembered->serial)
			return remembered->slot;
		counter_add(&balancer->figures->moved, 1);
	} else {
		at = flow_table_add(balancer->flows, key, tick);
	}
	slot = pick(balancer, set, key);
	if (at < 0) {
		counter_add(&balancer->figures->untracked, 1);
		return slot;
	}
	remembered = flow_value(balancer->flows, at);
	*remembered = (struct remembered){.slot = slot, .serial = set->serials[slot]};
	return slot;
}

/* Finds the flows of a burst, after giving up as many idle ones as it can add. */
static uint32_t find_flows(const struct balancer *balancer, struct flow_burst *work)
{
	uint32_t tick = (uint32_t)(rte_rdtsc() / balancer->tick_cycles);
	int32_t idle;

	for (uint32_t most = BURST; most > 0 && (idle = flow_table_find_idle(balancer->flows, tick)) >= 0; most--)
		flow_table_remove(balancer->flows, idle);
	flow_burst_find(work, balancer->flows, tick);
	return tick;
}

static void send_to(struct rte_mbuf *packet, const struct packet_view *view, uint32_t address)
{
	struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packet, struct rte_ether_hdr *);
	struct rte_ether_addr mac = {{2, 1, (uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8),
		(uint8_t)address}};
	uint32_t wire = rte_cpu_to_be_32(address), change = checksum_change32(view->ip->dst_addr, wire);

	rte_ether_addr_copy(&ether->dst_addr, &ether->src_addr);
	rte_ether_addr_copy(&mac, &ether->dst_addr);
	view->ip->dst_addr = wire;
	view->ip->hdr_checksum = checksum_update(view->ip->hdr_checksum, change);
	packet_update_l4_checksum(view, change);
}

static uint32_t process_balancer(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct balancer *balancer = state;
	struct flow_burst work;
	uint32_t keep = flow_burst_sort(&work, packets, count, is_for_others, balancer), passed = (uint32_t)__builtin_popcount(keep), tick = 0;
	const struct backend_set *set = backend_pool_read_lock(balancer->pool);

	if (passed > 0)
		counter_add(&balancer->figures->unmatched, passed);
	if (passed + work.count < count)
		counter_add(&balancer->figures->unbalanceable, count - passed - work.count);
	if (balancer->flows != NULL)
		tick = find_flows(balancer, &work);
	for (uint32_t i = 0; i < work.count; i++) {
		uint32_t slot = balancer->flows == NULL ? pick(balancer, set, &work.key[i])
			: pick_tracked(balancer, set, &work.key[i], work.at[i], tick);

		send_to(packets[work.packet[i]], &work.view[i], set->addresses[slot]);
		counter_add(&balancer->pool->packets[slot], 1);
		keep |= 1U << work.packet[i];
	}
	backend_pool_read_unlock(balancer->pool);
	return keep;
}

/* The connection table's lookup where there is one, else Maglev's. */
static uint32_t primitive_balancer(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct balancer *balancer = state;
	const struct backend_set *set = balancer->pool->sets[atomic_load(&balancer->pool->current)];
	struct flow_key keys[BURST];
	uint32_t any = 0;
	int32_t at[BURST];

	if (balancer->flows != NULL) {
		flow_keys_find(balancer->flows->keys, packets, count, keys, at);
		return (uint32_t)at[0];
	}
	for (uint32_t i = 0; i < count; i++) {
		flow_key_read_plain(packets[i], &keys[i]);
		any |= pick(balancer, set, &keys[i]);
	}
	return any;
}

static void describe_balancer(const void *state, json_t *out)
{
	const struct balancer *balancer = state;
	const struct figures *figures = balancer->figures;
	uint32_t connections = balancer->flows == NULL ? 0 : atomic_load(&balancer->flows->flows);

	json_object_set_new(out, "backends", backend_pool_describe(balancer->pool));
	json_object_set_new(out, "connections", json_integer(connections));
	json_object_set_new(out, "unmatched_packets", json_integer((json_int_t)counter_read(&figures->unmatched)));
	json_object_set_new(out, "unbalanceable_packets", json_integer((json_int_t)counter_read(&figures->unbalanceable)));
	json_object_set_new(out, "moved_connections", json_integer((json_int_t)counter_read(&figures->moved)));
	json_object_set_new(out, "untracked_packets", json_integer((json_int_t)counter_read(&figures->untracked)));
}

const struct nf_type NF_LOAD_BALANCER = {.name = "load-balancer", .open = open_balancer, .process = process_balancer,
	.primitive = primitive_balancer, .configure = configure_balancer, .describe = describe_balancer, .close = close_balancer};
