/*
 * Router: longest-prefix match on the destination, by rte_lpm of IPv4 and by comparing a short table of IPv6; next hop's
 * MAC address, TTL and its checksum, or hop limit. A packet whose TTL ends here, that no route matches, that is neither
 * plain IPv4 nor IPv6, or that is link-local is filtered.
 */
#include <rte_ether.h>
#include <rte_ip.h>
#include <stdlib.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "nf/lpm_table.h"
#include "nf/nf.h"
#include "nf/packet.h"
#include "nf/routes.h"

#define SYNTHETIC_MAX 100000
#define SYNTHETIC_SHORTEST 16
#define SYNTHETIC_LONGEST 24

#define NO_HOP UINT32_MAX

struct router {
	struct lpm_table *table;
	/* For what no route matches. Not in the table: two routes of length 1 would write all of its first level, 64 MiB of
	 * memory that otherwise is never touched. */
	uint32_t default_hop;
	struct route6 *routes6; /* longest prefix first */
	uint32_t count6;
};

static void close_router(void *state)
{
	struct router *router = state;

	lpm_table_close(router->table);
	free(router->routes6);
	free(router);
}

/* Null: no default, so that a destination outside all routes is filtered. */
static int read_default(const json_t *config, const struct scope *scope, uint32_t *out)
{
	uint64_t hop;

	*out = NO_HOP;
	if (json_is_null(json_object_get(config, "default_next_hop")))
		return 0;
	if (config_uint(scope, config, "default_next_hop", 0, NEXT_HOPS - 1, 0, &hop) < 0)
		return -1;
	*out = (uint32_t)hop;
	return 0;
}

/* A route of length 0 goes before the default; returns whether there is one. The table has room for all of them. */
static bool add_given(struct router *router, const struct routes *routes)
{
	bool everything = false;

	for (uint32_t i = 0; i < routes->count; i++) {
		const struct route *route = &routes->list[i];

		if (route->prefix.length > 0) {
			(void)lpm_table_add(router->table, &route->prefix, route->hop);
			continue;
		}
		everything = true;
		router->default_hop = route->hop;
	}
	return everything;
}

/* The last route of a prefix wins, as in IPv4; so a later one goes before those that are not longer. */
static void sort_in(struct router *router, const struct route6 *route)
{
	uint32_t at = 0;

	while (at < router->count6 && router->routes6[at].prefix.length > route->prefix.length)
		at++;
	memmove(&router->routes6[at + 1], &router->routes6[at], (router->count6 - at) * sizeof(*route));
	router->routes6[at] = *route;
	router->count6++;
}

static int add_given6(struct router *router, const struct routes *routes, const struct scope *scope)
{
	router->routes6 = calloc(routes->count6 + 1, sizeof(*router->routes6));
	if (router->routes6 == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "no memory for %u routes of IPv6; remove a chain", routes->count6);
	for (uint32_t i = 0; i < routes->count6; i++)
		sort_in(router, &routes->list6[i]);
	return 0;
}

/* Prefixes of /16 to /24 outside the given routes: they make the table's size real and match none of its traffic. */
static void add_synthetic(struct router *router, uint64_t wanted, uint64_t seed)
{
	uint64_t random = nf_seed(seed);

	for (uint64_t made = 0, tried = 0; made < wanted && tried < 4 * wanted + 64; tried++) {
		uint8_t length = (uint8_t)(SYNTHETIC_SHORTEST +
			nf_random(&random) % (SYNTHETIC_LONGEST - SYNTHETIC_SHORTEST + 1));
		struct prefix prefix = {.address = nf_random(&random) & prefix_mask(length), .length = length};
		uint32_t hop = nf_random(&random) % 16;

		if (lpm_table_is_empty(router->table, &prefix) && lpm_table_add(router->table, &prefix, hop) == 0)
			made++;
	}
}

static struct router *make(const struct scope *scope, uint32_t groups, uint32_t default_hop)
{
	struct router *router = calloc(1, sizeof(*router));

	if (router != NULL)
		router->table = lpm_table_open(groups);
	if (router != NULL && router->table != NULL) {
		router->default_hop = default_hop;
		return router;
	}
	free(router);
	(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for the routing table (64 MiB of addresses, and 1 KiB for "
		"each of %u /24 with a longer route); remove a chain with a router", groups);
	return NULL;
}

static void *open_router(const json_t *config, const struct scope *scope, const char *tag)
{
	static const char *const fields[] = {
		"routes", "routes_file", "default_next_hop", "synthetic_routes", "seed", NULL};
	struct routes routes = {0};
	struct router *router = NULL;
	uint64_t synthetic, seed;
	uint32_t default_hop;

	(void)tag;
	if (config_object(scope, config, fields) == 0 && routes_read(config, scope, &routes) == 0 &&
	    config_uint(scope, config, "synthetic_routes", 0, SYNTHETIC_MAX, 1000, &synthetic) == 0 &&
	    config_uint(scope, config, "seed", 0, UINT32_MAX, 1, &seed) == 0 &&
	    read_default(config, scope, &default_hop) == 0)
		router = make(scope, routes.groups, default_hop);
	if (router != NULL && !add_given(router, &routes)) /* a route for everything leaves no place outside the routes */
		add_synthetic(router, synthetic, seed);
	if (router != NULL && add_given6(router, &routes, scope) < 0) {
		close_router(router);
		router = NULL;
	}
	routes_free(&routes);
	return router;
}

/* Decrements the TTL and updates the checksum incrementally (RFC 1624, eqn. 3); false when the TTL ends here. */
static inline bool decrement_ttl(struct rte_ipv4_hdr *ip)
{
	uint32_t sum;

	if (ip->time_to_live <= 1)
		return false;
	ip->time_to_live--;
	sum = (uint32_t)rte_be_to_cpu_16(ip->hdr_checksum) + 0x0100;
	ip->hdr_checksum = rte_cpu_to_be_16((uint16_t)(sum + (sum >> 16)));
	return true;
}

static inline void set_next_hop(struct rte_ether_hdr *ether, uint32_t hop)
{
	struct rte_ether_addr address = {{2, 0, 0, 1, (uint8_t)(hop >> 8), (uint8_t)hop}};

	rte_ether_addr_copy(&ether->dst_addr, &ether->src_addr);
	rte_ether_addr_copy(&address, &ether->dst_addr);
}

static uint32_t look_up6(const struct router *router, const uint8_t *destination)
{
	for (uint32_t i = 0; i < router->count6; i++)
		if (prefix6_holds(&router->routes6[i].prefix, destination))
			return router->routes6[i].hop;
	return router->default_hop;
}

/* RFC 4291, 2.5.6: no router forwards it. */
static bool is_link_local(const uint8_t *address)
{
	return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

/* False where it is to be filtered. */
static bool forward_ipv6(const struct router *router, struct rte_mbuf *packet)
{
	uint8_t *frame = rte_pktmbuf_mtod(packet, uint8_t *), *ip;
	struct ipv6_packet read;
	uint32_t hop;

	if (ipv6_packet_read(frame, packet->data_len, &read) != IPV6_READ)
		return false;
	ip = frame + read.at;
	hop = look_up6(router, ip + IPV6_DESTINATION_AT);
	if (hop == NO_HOP || ip[IPV6_HOP_LIMIT_AT] <= 1 || is_link_local(ip + IPV6_SOURCE_AT) ||
	    is_link_local(ip + IPV6_DESTINATION_AT))
		return false;
	ip[IPV6_HOP_LIMIT_AT]--;
	set_next_hop((struct rte_ether_hdr *)frame, hop);
	return true;
}

/* Of what is no plain IPv4 the answers mean nothing. */
static inline void look_up(const struct router *router, struct rte_mbuf **packets, uint32_t count, uint32_t hops[BURST])
{
	uint32_t targets[BURST];

	for (uint32_t i = 0; i < count; i++) {
		const struct rte_ipv4_hdr *ip =
			rte_pktmbuf_mtod_offset(packets[i], const struct rte_ipv4_hdr *, sizeof(struct rte_ether_hdr));

		targets[i] = rte_be_to_cpu_32(ip->dst_addr);
	}
	rte_lpm_lookup_bulk(router->table->lpm, targets, hops, count);
}

static uint32_t process_router(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct router *router = state;
	uint32_t hops[BURST], keep = 0;

	look_up(router, packets, count, hops);
	for (uint32_t i = 0; i < count; i++) {
		struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packets[i], struct rte_ether_hdr *);

		uint32_t hop = hops[i] & RTE_LPM_LOOKUP_SUCCESS ? hops[i] & 0xffffff : router->default_hop;

		if (!packet_is_plain(packets[i])) {
			keep |= (forward_ipv6(router, packets[i]) ? 1U : 0U) << i;
			continue;
		}
		if (hop == NO_HOP || !decrement_ttl((struct rte_ipv4_hdr *)(ether + 1)))
			continue;
		set_next_hop(ether, hop);
		keep |= 1U << i;
	}
	return keep;
}

static uint32_t primitive_router(void *state, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t hops[BURST], any = 0;

	look_up(state, packets, count, hops);
	for (uint32_t i = 0; i < count; i++)
		any |= hops[i];
	return any;
}

const struct nf_type NF_ROUTER = {.name = "router", .open = open_router, .process = process_router,
	.primitive = primitive_router, .close = close_router};
