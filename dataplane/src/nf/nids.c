/*
 * Looks for patterns in the payload of UDP and TCP with Hyperscan, packet by packet (block mode). A packet that matches
 * raises an alert, and is filtered where the action is `drop`. Other packets go on unscanned.
 */
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter.h"
#include "base/ipv6_packet.h"
#include "nf/nf.h"
#include "nf/packet.h"
#include "nf/pattern_compile.h"
#include "nf/top_list.h"

#define SHOWN_PATTERNS 8

struct nids_shared { /* in shared memory: the NF's process writes */
	counter scanned, scanned_bytes, unscanned, matched;
	counter hits[]; /* of each pattern: packets in which it was the first found */
};

/*
 * Database and scratch lie in private memory: the database is never written, and every process that is forked starts
 * with an unused scratch. A shared one would stay marked as in use by a process that was killed while scanning.
 */
struct nids {
	hs_database_t *database; /* NULL: no patterns */
	hs_scratch_t *scratch;
	bool drops;
	uint32_t pattern_count;
	struct pattern_place *places;
	struct nids_shared *shared;
};

static void close_nids(void *state)
{
	struct nids *nids = state;

	(void)hs_free_scratch(nids->scratch);
	(void)hs_free_database(nids->database);
	rte_free(nids->shared);
	free(nids->places);
	free(nids);
}

static int read_action(const json_t *config, const struct scope *scope, bool *drops)
{
	const json_t *value = json_object_get(config, "action");
	const char *text = value == NULL ? "alert" : json_string_value(value);

	if (text == NULL || (strcmp(text, "alert") != 0 && strcmp(text, "drop") != 0))
		return refuse(scope, "action", "'alert' or 'drop' is expected");
	*drops = strcmp(text, "drop") == 0;
	return 0;
}

static int make_tables(struct nids *nids, const struct scope *scope, struct pattern_list *list)
{
	nids->pattern_count = list->count;
	nids->shared = rte_zmalloc(NULL, sizeof(*nids->shared) + list->count * sizeof(counter), RTE_CACHE_LINE_SIZE);
	if (nids->shared == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "no memory for the counters; remove a chain");
	if (list->count == 0)
		return 0;
	nids->database = pattern_compile(scope, list);
	if (nids->database == NULL)
		return -1;
	if (hs_alloc_scratch(nids->database, &nids->scratch) != HS_SUCCESS)
		return fail(scope->err, E_NO_ROOM, scope->at, "no memory for Hyperscan's scratch space; remove a chain");
	nids->places = list->places;
	list->places = NULL;
	return 0;
}

static int fill(struct nids *nids, const json_t *config, const struct scope *scope)
{
	static const char *const fields[] = {"patterns", "patterns_file", "synthetic_patterns", "seed", "action", NULL};
	struct pattern_list list = {0};
	int filled = -1;

	if (hs_valid_platform() != HS_SUCCESS)
		return fail(scope->err, E_START_FAILED, scope->at, "Hyperscan does not run on this CPU (it needs SSSE3)");
	if (config_object(scope, config, fields) == 0 && read_action(config, scope, &nids->drops) == 0 &&
	    pattern_list_read(scope, config, &list) == 0)
		filled = make_tables(nids, scope, &list);
	pattern_list_free(&list);
	return filled;
}

static void *open_nids(const json_t *config, const struct scope *scope, const char *tag)
{
	struct nids *nids = calloc(1, sizeof(*nids));

	(void)tag;
	if (nids == NULL) {
		(void)fail(scope->err, E_NO_ROOM, scope->at, "out of memory");
		return NULL;
	}
	if (fill(nids, config, scope) == 0)
		return nids;
	close_nids(nids);
	return NULL;
}

static int first_match(unsigned int id, unsigned long long from, unsigned long long to, unsigned int flags, void *found)
{
	(void)from;
	(void)to;
	(void)flags;
	*(uint32_t *)found = id;
	return 1; /* one is enough */
}

/* The payload of UDP or TCP, of IPv4 or IPv6; false when there is no such thing to see. */
static bool find_payload(const struct rte_mbuf *packet, const uint8_t **payload, uint32_t *bytes)
{
	const uint8_t *frame = rte_pktmbuf_mtod(packet, const uint8_t *);
	struct packet_view view;
	struct ipv6_packet read;

	if (packet_read_ip(packet, &view))
		return packet_payload(&view, payload, bytes);
	if (ipv6_packet_read(frame, packet->data_len, &read) != IPV6_READ || read.l4_bytes == 0)
		return false;
	*payload = frame + read.l4_at + read.l4_bytes;
	*bytes = read.at + read.bytes - read.l4_at - read.l4_bytes;
	return true;
}

/* Whether a pattern is in the packet. */
static bool scan(struct nids *nids, const struct rte_mbuf *packet)
{
	const uint8_t *payload;
	uint32_t bytes, found;

	if (!find_payload(packet, &payload, &bytes)) {
		counter_add(&nids->shared->unscanned, 1);
		return false;
	}
	counter_add(&nids->shared->scanned, 1);
	counter_add(&nids->shared->scanned_bytes, bytes);
	if (nids->database == NULL || hs_scan(nids->database, (const char *)payload, bytes, 0, nids->scratch, first_match,
		    &found) != HS_SCAN_TERMINATED)
		return false;
	counter_add(&nids->shared->matched, 1);
	counter_add(&nids->shared->hits[found], 1);
	return true;
}

static uint32_t process_nids(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct nids *nids = state;
	uint32_t keep = 0;

	for (uint32_t i = 0; i < count; i++)
		keep |= (scan(nids, packets[i]) && nids->drops ? 0U : 1U) << i;
	return keep;
}

static uint32_t primitive_nids(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const uint32_t at = sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv4_hdr) + sizeof(struct rte_udp_hdr);
	const struct nids *nids = state;
	uint32_t found = 0;

	for (uint32_t i = 0; i < count && nids->database != NULL; i++)
		(void)hs_scan(nids->database, rte_pktmbuf_mtod_offset(packets[i], const char *, at), packets[i]->data_len - at, 0,
			nids->scratch, first_match, &found);
	return found;
}

static json_t *describe_hits(const struct nids *nids)
{
	struct top_entry most[SHOWN_PATTERNS] = {0};
	json_t *list = json_array();
	char name[PATTERN_NAME_MAX];

	for (uint32_t i = 0; i < nids->pattern_count; i++)
		top_insert(most, SHOWN_PATTERNS, i, counter_read(&nids->shared->hits[i]));
	for (int i = 0; i < SHOWN_PATTERNS && most[i].packets > 0; i++) {
		pattern_name(&nids->places[most[i].index], name);
		json_array_append_new(list,
			json_pack("{s:s, s:I}", "pattern", name, "packets", (json_int_t)most[i].packets));
	}
	return list;
}

static void describe_nids(const void *state, json_t *out)
{
	const struct nids *nids = state;
	struct nids_shared *shared = nids->shared;

	json_object_set_new(out, "patterns", json_integer(nids->pattern_count));
	json_object_set_new(out, "scanned_packets", json_integer((json_int_t)counter_read(&shared->scanned)));
	json_object_set_new(out, "scanned_bytes", json_integer((json_int_t)counter_read(&shared->scanned_bytes)));
	json_object_set_new(out, "unscanned_packets", json_integer((json_int_t)counter_read(&shared->unscanned)));
	json_object_set_new(out, "matched_packets", json_integer((json_int_t)counter_read(&shared->matched)));
	json_object_set_new(out, "most_matched", describe_hits(nids));
}

const struct nf_type NF_NIDS = {.name = "nids", .repeatable = true, .open = open_nids, .process = process_nids, .primitive = primitive_nids,
	.describe = describe_nids, .close = close_nids};
