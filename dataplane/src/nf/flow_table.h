/*
 * A table of flows (rte_hash) with a fixed number of places, whose owner keeps a small value with each. Flows are
 * linked by the time of their last packet, so that the one idle longest is always at hand: a full table recovers by
 * evicting flows that have been idle for the idle time, and no others.
 *
 * Time is a count of ticks that the caller passes in, IDLE_TICKS of them to the idle time. A flow moves in the list at
 * most once a tick: relinking it for every packet would touch three more flows.
 * All of it lies in DPDK's shared memory: whichever process works on it next finds it as the last one left it.
 */
#ifndef SEXTANT_FLOW_TABLE_H
#define SEXTANT_FLOW_TABLE_H

#include <rte_hash.h>
#include <stdatomic.h>
#include <string.h>

#include "base/config.h"
#include "nf/packet.h"

#define IDLE_TICKS 16U
#define FLOW_VALUE_BYTES 16

struct flow_key { /* 16 bytes, no padding: the table compares bytes */
	uint32_t src, dst;
	uint32_t ports;
	uint32_t protocol;
};

struct flow_entry {
	uint32_t older, newer; /* neighbours in the list, or NOBODY */
	uint32_t seen;         /* tick of the last packet */
	uint32_t value[FLOW_VALUE_BYTES / sizeof(uint32_t)];
};

struct flow_table {
	struct rte_hash *keys;
	uint32_t places;
	_Atomic uint32_t flows; /* read by the control process */
	uint32_t oldest, newest;
	struct flow_entry entries[];
};

/* NULL with `scope->err` filled when there is no memory. */
struct flow_table *flow_table_open(const struct scope *scope, const char *tag, uint32_t places);
void flow_table_close(struct flow_table *table);

/* Cycles a tick. */
uint64_t flow_tick_cycles(uint64_t idle_s);

static inline void flow_key_read(const struct packet_view *view, struct flow_key *key)
{
	*key = (struct flow_key){.src = view->ip->src_addr, .dst = view->ip->dst_addr, .protocol = view->ip->next_proto_id};
	memcpy(&key->ports, view->ports, sizeof(key->ports));
}

/* As if the packet were plain IPv4 with ports; of any other the key means nothing. */
static inline void flow_key_read_plain(struct rte_mbuf *packet, struct flow_key *key)
{
	const struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(packet, const struct rte_ipv4_hdr *, sizeof(struct rte_ether_hdr));

	key->src = ip->src_addr;
	key->dst = ip->dst_addr;
	key->protocol = ip->next_proto_id;
	memcpy(&key->ports, ip + 1, sizeof(key->ports));
}

/*
 * Looks the flows of a burst up in a hash table of flow keys, which are read as plain; `found` is where they go.
 */
void flow_keys_find(const struct rte_hash *keys, struct rte_mbuf **packets, uint32_t count, struct flow_key *found,
	int32_t *at);

/* Where the flow is, or negative. */
int32_t flow_table_find(const struct flow_table *table, const struct flow_key *key);
/* The same for up to a burst of keys, at once. */
void flow_table_find_many(const struct flow_table *table, const struct flow_key *keys, uint32_t count, int32_t *at);

/* Marks the flow at `at` as seen in this tick. */
void flow_table_touch(struct flow_table *table, int32_t at, uint32_t tick);

/* Adds a flow that is not there; negative when every place is taken. */
int32_t flow_table_add(struct flow_table *table, const struct flow_key *key, uint32_t tick);

/* A flow that has been idle for the idle time, or negative. */
int32_t flow_table_find_idle(const struct flow_table *table, uint32_t tick);

const struct flow_key *flow_table_key(const struct flow_table *table, int32_t at);
void flow_table_remove(struct flow_table *table, int32_t at);

static inline void *flow_value(struct flow_table *table, int32_t at)
{
	return table->entries[at].value;
}

#endif
