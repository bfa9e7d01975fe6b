/*
 * Finds the application protocol of every flow with nDPI: looks into its first packets, then remembers. Never drops.
 *
 * What was decided lies in shared memory. What nDPI knows about a flow that is not decided yet lies in private memory,
 * as it points into nDPI's own: a process that is forked anew starts with none of it and inspects such flows afresh.
 */
#include <ndpi_api.h>
#include <ndpi_main.h>
#include <rte_cycles.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter.h"
#include "nf/nf.h"
#include "nf/packet.h"
#include "nf/pages.h"
#include "nf/top_list.h"

#define ENTRIES_MAX (1U << 20)
#define PACKETS_MAX 32
#define INSPECTED_MAX 8192U /* flows inspected at once, some 700 bytes each and what nDPI adds */
#define SHOWN_PROTOCOLS 16
#define PROTOCOLS (NDPI_MAX_SUPPORTED_PROTOCOLS + NDPI_MAX_NUM_CUSTOM_PROTOCOLS)

struct key { /* the same in both directions; 16 bytes, no padding: the table compares bytes */
	uint32_t lower, upper;
	uint16_t lower_port, upper_port;
	uint32_t protocol;
};

struct flow {
	bool decided;
	uint16_t protocol;
	uint16_t seen;       /* packets that were inspected */
	uint16_t inspection; /* where, unless another flow has it now */
};

struct dpi_shared { /* the NF's process writes */
	counter flows, untracked, unread;
	struct {
		counter flows, packets;
	} protocols[PROTOCOLS];
	struct flow table[]; /* by position in the hash table */
};

struct inspection {
	uint32_t owner; /* the flow's position + 1; 0: free */
	struct ndpi_flow_struct flow;
};

struct dpi {
	struct rte_hash *table;
	struct dpi_shared *shared;
	struct ndpi_detection_module_struct *ndpi;
	struct inspection *inspections;
	uint32_t next_inspection;
	uint16_t packets_most;
};

static void close_dpi(void *state)
{
	struct dpi *dpi = state;

	rte_hash_free(dpi->table);
	rte_free(dpi->shared);
	free(dpi->inspections);
	if (dpi->ndpi != NULL)
		ndpi_exit_detection_module(dpi->ndpi);
	free(dpi);
}

static struct ndpi_detection_module_struct *make_ndpi(void)
{
	struct ndpi_detection_module_struct *ndpi = ndpi_init_detection_module(ndpi_no_prefs);
	NDPI_PROTOCOL_BITMASK all;

	if (ndpi == NULL)
		return NULL;
	NDPI_BITMASK_SET_ALL(all);
	ndpi_set_protocol_detection_bitmask2(ndpi, &all);
	ndpi_finalize_initialization(ndpi);
	return ndpi;
}

static struct dpi *make(const struct scope *scope, const char *tag, uint32_t entries)
{
	struct dpi *dpi = calloc(1, sizeof(*dpi));
	size_t bytes = sizeof(*dpi->shared) + (entries + 1) * sizeof(struct flow);
	char name[RTE_HASH_NAMESIZE];
	struct rte_hash_parameters parameters = {.name = name, .entries = entries, .key_len = sizeof(struct key),
		.hash_func = rte_hash_crc, .socket_id = (int)rte_socket_id()};

	if (dpi == NULL)
		return NULL;
	(void)snprintf(name, sizeof(name), "dpi-%s", tag);
	dpi->table = rte_hash_create(&parameters);
	dpi->shared = rte_zmalloc(NULL, bytes, RTE_CACHE_LINE_SIZE);
	dpi->inspections = calloc(INSPECTED_MAX, sizeof(*dpi->inspections));
	dpi->ndpi = make_ndpi();
	if (dpi->table != NULL && dpi->shared != NULL && dpi->inspections != NULL && dpi->ndpi != NULL) {
		pages_populate(dpi->table, dpi->shared, bytes);
		return dpi;
	}
	close_dpi(dpi);
	(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for %u flows; remove a chain or use fewer", entries);
	return NULL;
}

static void *open_dpi(const json_t *config, const struct scope *scope, const char *tag)
{
	static const char *const fields[] = {"flow_table_entries", "inspected_packets", NULL};
	uint64_t entries, packets;
	struct dpi *dpi;

	if (config_object(scope, config, fields) < 0 ||
	    config_uint(scope, config, "flow_table_entries", 16, ENTRIES_MAX, 65536, &entries) < 0 ||
	    config_uint(scope, config, "inspected_packets", 1, PACKETS_MAX, 8, &packets) < 0)
		return NULL;
	dpi = make(scope, tag, (uint32_t)entries);
	if (dpi != NULL)
		dpi->packets_most = (uint16_t)packets;
	return dpi;
}

static void read_key(const struct packet_view *view, struct key *key)
{
	uint32_t src = view->ip->src_addr, dst = view->ip->dst_addr;
	uint16_t ports[2] = {0, 0};
	bool swap;

	if (packet_l4_bytes(view) > 0)
		memcpy(ports, packet_l4(view), sizeof(ports));
	swap = src > dst || (src == dst && ports[0] > ports[1]);
	*key = (struct key){swap ? dst : src, swap ? src : dst, ports[swap], ports[!swap], view->ip->next_proto_id};
}

static void decide(struct dpi *dpi, struct inspection *inspection, struct flow *flow, const ndpi_protocol *found)
{
	uint16_t id = found->app_protocol != NDPI_PROTOCOL_UNKNOWN ? found->app_protocol : found->master_protocol;

	flow->protocol = id < PROTOCOLS ? id : NDPI_PROTOCOL_UNKNOWN;
	flow->decided = true;
	counter_add(&dpi->shared->protocols[flow->protocol].flows, 1);
	counter_add(&dpi->shared->protocols[flow->protocol].packets, flow->seen);
	ndpi_free_flow_data(&inspection->flow);
	inspection->owner = 0;
}

/* By what was seen so far, and by the ports. */
static void stop_inspection(struct dpi *dpi, struct inspection *inspection, struct flow *flow)
{
	u_int8_t guessed;
	ndpi_protocol found = ndpi_detection_giveup(dpi->ndpi, &inspection->flow, 1, &guessed);

	decide(dpi, inspection, flow, &found);
}

/* The flow's inspection, or a new one in the place of the oldest, whose flow is decided by what was seen of it. */
static struct inspection *inspection_of(struct dpi *dpi, uint32_t position)
{
	struct flow *flow = &dpi->shared->table[position];
	struct inspection *inspection = &dpi->inspections[flow->inspection];

	if (inspection->owner == position + 1)
		return inspection;
	flow->inspection = (uint16_t)(dpi->next_inspection++ % INSPECTED_MAX);
	inspection = &dpi->inspections[flow->inspection];
	if (inspection->owner != 0)
		stop_inspection(dpi, inspection, &dpi->shared->table[inspection->owner - 1]);
	memset(&inspection->flow, 0, sizeof(inspection->flow));
	inspection->owner = position + 1;
	return inspection;
}

static void inspect(struct dpi *dpi, uint32_t position, const struct packet_view *view, uint64_t milliseconds)
{
	struct inspection *inspection = inspection_of(dpi, position);
	struct flow *flow = &dpi->shared->table[position];
	ndpi_protocol found = ndpi_detection_process_packet(dpi->ndpi, &inspection->flow,
		(const unsigned char *)view->ip, (unsigned short)packet_bytes(view), milliseconds);

	flow->seen++;
	if (found.app_protocol != NDPI_PROTOCOL_UNKNOWN || found.master_protocol != NDPI_PROTOCOL_UNKNOWN)
		decide(dpi, inspection, flow, &found);
	else if (flow->seen >= dpi->packets_most)
		stop_inspection(dpi, inspection, flow);
}

/* Position in the table, or -1 when it is full. A packet earlier in the burst may have added the flow. */
static int32_t add_flow(struct dpi *dpi, const struct key *key)
{
	int32_t position = rte_hash_lookup(dpi->table, key);

	if (position >= 0)
		return position;
	position = rte_hash_add_key(dpi->table, key);
	counter_add(position >= 0 ? &dpi->shared->flows : &dpi->shared->untracked, 1);
	return position;
}

/* Positions of a burst's flows; those of packets that are no IPv4 (a view without header) mean nothing. */
static void find_flows(struct dpi *dpi, struct rte_mbuf **packets, uint32_t count, struct packet_view *views,
	int32_t *positions)
{
	struct key keys[BURST] = {0};
	const void *pointers[BURST];

	for (uint32_t i = 0; i < count; i++) {
		pointers[i] = &keys[i];
		if (packet_read_ip(packets[i], &views[i]))
			read_key(&views[i], &keys[i]);
	}
	(void)rte_hash_lookup_bulk(dpi->table, pointers, count, positions);
	for (uint32_t i = 0; i < count; i++)
		if (positions[i] < 0 && views[i].ip != NULL)
			positions[i] = add_flow(dpi, &keys[i]);
}

static void take_packet(struct dpi *dpi, uint32_t position, const struct packet_view *view, uint64_t milliseconds)
{
	const struct flow *flow = &dpi->shared->table[position];

	if (flow->decided)
		counter_add(&dpi->shared->protocols[flow->protocol].packets, 1);
	else
		inspect(dpi, position, view, milliseconds);
}

static uint32_t process_dpi(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct dpi *dpi = state;
	struct packet_view views[BURST];
	int32_t positions[BURST];
	uint64_t milliseconds = rte_rdtsc() / (rte_get_tsc_hz() / 1000);

	find_flows(dpi, packets, count, views, positions);
	for (uint32_t i = 0; i < count; i++) {
		if (views[i].ip == NULL)
			counter_add(&dpi->shared->unread, 1);
		else if (positions[i] >= 0)
			take_packet(dpi, (uint32_t)positions[i], &views[i], milliseconds);
	}
	return (uint32_t)((1ULL << count) - 1);
}

/* The flows' lookup: what is left of the work once all flows are decided. */
static uint32_t primitive_dpi(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct dpi *dpi = state;
	struct key keys[BURST] = {0};
	const void *pointers[BURST];
	int32_t positions[BURST];
	struct packet_view view;

	for (uint32_t i = 0; i < count; i++) {
		pointers[i] = &keys[i];
		if (packet_read_ip(packets[i], &view))
			read_key(&view, &keys[i]);
	}
	(void)rte_hash_lookup_bulk(dpi->table, pointers, count, positions);
	return (uint32_t)positions[0];
}

static json_t *describe_protocols(const struct dpi *dpi, uint64_t *decided)
{
	struct top_entry most[SHOWN_PROTOCOLS] = {0};
	json_t *out = json_object();

	for (uint32_t i = 0; i < PROTOCOLS; i++) {
		*decided += counter_read(&dpi->shared->protocols[i].flows);
		top_insert(most, SHOWN_PROTOCOLS, i, counter_read(&dpi->shared->protocols[i].packets));
	}
	for (int i = 0; i < SHOWN_PROTOCOLS && most[i].packets > 0; i++)
		json_object_set_new(out, ndpi_get_proto_name(dpi->ndpi, (u_int16_t)most[i].index),
			json_pack("{s:I, s:I}", "packets", (json_int_t)most[i].packets, "flows",
				(json_int_t)counter_read(&dpi->shared->protocols[most[i].index].flows)));
	return out;
}

static void describe_dpi(const void *state, json_t *out)
{
	const struct dpi *dpi = state;
	uint64_t flows = counter_read(&dpi->shared->flows), decided = 0;
	json_t *protocols = describe_protocols(dpi, &decided);

	json_object_set_new(out, "flows", json_integer((json_int_t)flows));
	json_object_set_new(out, "undecided_flows", json_integer((json_int_t)(flows > decided ? flows - decided : 0)));
	json_object_set_new(out, "untracked_packets", json_integer((json_int_t)counter_read(&dpi->shared->untracked)));
	json_object_set_new(out, "not_ipv4_packets", json_integer((json_int_t)counter_read(&dpi->shared->unread)));
	json_object_set_new(out, "protocols", protocols);
}

const struct nf_type NF_DPI = {.name = "dpi", .repeatable = true, .open = open_dpi, .process = process_dpi, .primitive = primitive_dpi,
	.describe = describe_dpi, .close = close_dpi};
