/*
 * Stateless firewall: the first rule that matches decides. Of IPv4 rte_acl finds it (earlier rules have higher
 * priorities), of IPv6 they are compared one by one. IPv6 whose headers cannot be read is filtered, whatever the default.
 */
#include <netinet/in.h>
#include <rte_acl.h>
#include <rte_errno.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <stdlib.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "nf/nf.h"
#include "nf/packet.h"
#include "nf/rules.h"

#define SYNTHETIC_MAX 10000
#define TABLE_BYTES_MAX (64U << 20)

enum { PROTOCOL, SOURCE, DESTINATION, SOURCE_PORT, DESTINATION_PORT, FIELDS };

RTE_ACL_RULE_DEF(acl_rule, FIELDS);

struct firewall {
	struct rte_acl_ctx *acl;
	uint32_t default_action;
	struct rule *rules6; /* those that speak of IPv6, in their order */
	uint32_t count6;
};

/* The 5-tuple as it lies in a packet, from the protocol byte of an IPv4 header without options. */
#define TUPLE_OFFSET (sizeof(struct rte_ether_hdr) + offsetof(struct rte_ipv4_hdr, next_proto_id))
#define TUPLE_AT(field) (offsetof(struct rte_ipv4_hdr, field) - offsetof(struct rte_ipv4_hdr, next_proto_id))
#define PORTS_AT (sizeof(struct rte_ipv4_hdr) - offsetof(struct rte_ipv4_hdr, next_proto_id))

static const struct rte_acl_config LAYOUT = {
	.num_categories = 1, .num_fields = FIELDS, .max_size = TABLE_BYTES_MAX, .defs = {
		{RTE_ACL_FIELD_TYPE_BITMASK, 1, PROTOCOL, 0, 0},
		{RTE_ACL_FIELD_TYPE_MASK, 4, SOURCE, 1, TUPLE_AT(src_addr)},
		{RTE_ACL_FIELD_TYPE_MASK, 4, DESTINATION, 2, TUPLE_AT(dst_addr)},
		{RTE_ACL_FIELD_TYPE_RANGE, 2, SOURCE_PORT, 3, PORTS_AT},
		{RTE_ACL_FIELD_TYPE_RANGE, 2, DESTINATION_PORT, 3, PORTS_AT + 2},
	}};

static void close_firewall(void *state)
{
	struct firewall *firewall = state;

	rte_acl_free(firewall->acl);
	free(firewall->rules6);
	free(firewall);
}

static int add_rule(struct firewall *firewall, const struct rule *rule, size_t position)
{
	struct acl_rule acl = {.data = {.userdata = rule->action, .category_mask = 1,
		.priority = RTE_ACL_MAX_PRIORITY - (int32_t)position}};

	acl.field[PROTOCOL].value.u8 = rule->protocol;
	acl.field[PROTOCOL].mask_range.u8 = rule->protocol == 0 ? 0 : 0xff;
	acl.field[SOURCE].value.u32 = rule->src.address;
	acl.field[SOURCE].mask_range.u32 = rule->src.length;
	acl.field[DESTINATION].value.u32 = rule->dst.address;
	acl.field[DESTINATION].mask_range.u32 = rule->dst.length;
	acl.field[SOURCE_PORT].mask_range.u16 = UINT16_MAX;
	acl.field[DESTINATION_PORT].value.u16 = rule->first_port;
	acl.field[DESTINATION_PORT].mask_range.u16 = rule->last_port;
	return rte_acl_add_rules(firewall->acl, (struct rte_acl_rule *)&acl, 1);
}

static int add_given(const struct rules *rules, const struct scope *scope, struct firewall *firewall)
{
	firewall->rules6 = calloc(rules->count + 1, sizeof(*firewall->rules6));
	if (firewall->rules6 == NULL)
		return refuse(scope, "rules", "out of memory");
	for (uint32_t i = 0; i < rules->count; i++) {
		if (rules->list[i].ipv6)
			firewall->rules6[firewall->count6++] = rules->list[i];
		if (rules->list[i].ipv4 && add_rule(firewall, &rules->list[i], i) < 0)
			return refuse(scope, "rules", "rte_acl refuses rule %u", i);
	}
	return 0;
}

/*
 * Deny rules from the documentation ranges (RFC 5737) to the reserved 240.0.0.0/4: real work for the table, no match in
 * its traffic. Each has one port or all of them: ranges that overlap at random make rte_acl's tables explode.
 */
static int add_synthetic(struct firewall *firewall, size_t after, uint64_t count, uint64_t seed)
{
	static const uint32_t ranges[] = {0xc0000200U, 0xc6336400U, 0xcb007100U}; /* 192.0.2, 198.51.100, 203.0.113 */
	uint64_t random = nf_seed(seed);

	for (uint64_t i = 0; i < count; i++) {
		uint8_t src_length = (uint8_t)(25 + nf_random(&random) % 8), dst_length = (uint8_t)(16 + nf_random(&random) % 17);
		uint32_t src = ranges[nf_random(&random) % 3] | (nf_random(&random) & 0xff);
		uint32_t dst = 0xf0000000U | nf_random(&random);
		uint16_t port = (uint16_t)(1 + nf_random(&random) % 65535);
		bool all_ports = nf_random(&random) % 2 == 0;
		struct rule rule = {.src = {src & prefix_mask(src_length), src_length},
			.dst = {dst & prefix_mask(dst_length), dst_length},
			.protocol = nf_random(&random) % 2 == 0 ? IPPROTO_TCP : IPPROTO_UDP,
			.first_port = all_ports ? 0 : port, .last_port = all_ports ? UINT16_MAX : port, .action = DENY};

		if (add_rule(firewall, &rule, after + i) < 0)
			return -1;
	}
	return 0;
}

static struct firewall *make(const struct scope *scope, const char *tag, uint64_t rules)
{
	struct firewall *firewall = calloc(1, sizeof(*firewall));
	char name[RTE_ACL_NAMESIZE];
	struct rte_acl_param param = {.name = name, .socket_id = SOCKET_ID_ANY, .rule_size = RTE_ACL_RULE_SZ(FIELDS),
		.max_rule_num = (uint32_t)rules};

	if (firewall == NULL)
		return NULL;
	(void)snprintf(name, sizeof(name), "acl-%s", tag);
	firewall->acl = rte_acl_create(&param);
	if (firewall->acl != NULL)
		return firewall;
	free(firewall);
	(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for %llu rules; remove a chain or use fewer",
		(unsigned long long)rules);
	return NULL;
}

static int build(const struct scope *scope, struct firewall *firewall, size_t rules)
{
	int status = rules == 0 ? 0 : rte_acl_build(firewall->acl, &LAYOUT);

	if (status < 0)
		return fail(scope->err, E_NO_ROOM, scope->at, "rte_acl cannot build the table (%s); use fewer rules",
			rte_strerror(-status));
	if (rules == 0) { /* rte_acl classifies nothing before it is built */
		rte_acl_free(firewall->acl);
		firewall->acl = NULL;
	}
	return 0;
}

static size_t count_ipv4(const struct rules *rules)
{
	size_t count = 0;

	for (uint32_t i = 0; i < rules->count; i++)
		count += rules->list[i].ipv4;
	return count;
}

static struct firewall *make_filled(const struct scope *scope, const char *tag, const struct rules *rules,
	uint64_t synthetic, uint64_t seed)
{
	struct firewall *firewall = make(scope, tag, rules->count + synthetic + 1);

	if (firewall == NULL)
		return NULL;
	if (add_given(rules, scope, firewall) == 0 && add_synthetic(firewall, rules->count, synthetic, seed) == 0 &&
	    build(scope, firewall, count_ipv4(rules) + synthetic) == 0)
		return firewall;
	close_firewall(firewall);
	return NULL;
}

static void *open_firewall(const json_t *config, const struct scope *scope, const char *tag)
{
	static const char *const fields[] = {"rules", "rules_file", "default_action", "synthetic_rules", "seed", NULL};
	struct firewall *firewall = NULL;
	struct rules rules = {0};
	uint64_t synthetic, seed;
	uint32_t action;

	if (config_object(scope, config, fields) == 0 &&
	    config_uint(scope, config, "synthetic_rules", 0, SYNTHETIC_MAX, 100, &synthetic) == 0 &&
	    config_uint(scope, config, "seed", 0, UINT32_MAX, 1, &seed) == 0 &&
	    rules_read_action(config, scope, "default_action", ALLOW, &action) == 0 &&
	    rules_read(config, scope, &rules) == 0)
		firewall = make_filled(scope, tag, &rules, synthetic, seed);
	if (firewall != NULL)
		firewall->default_action = action;
	rules_free(&rules);
	return firewall;
}

/* 0: no rule matches. Of what is no plain IPv4 the answers mean nothing. */
static void classify(const struct firewall *firewall, struct rte_mbuf **packets, uint32_t count, uint32_t actions[BURST])
{
	const uint8_t *tuples[BURST];

	for (uint32_t i = 0; i < count; i++)
		tuples[i] = rte_pktmbuf_mtod_offset(packets[i], const uint8_t *, TUPLE_OFFSET);
	if (firewall->acl == NULL)
		memset(actions, 0, count * sizeof(*actions));
	else
		(void)rte_acl_classify(firewall->acl, tuples, actions, count, 1);
}

/* What a fragment does not show may be what a rule denies, and is not known to be what a rule allows. */
static bool matches_ipv6(const struct rule *rule, const uint8_t *frame, const struct ipv6_packet *packet)
{
	bool all_ports = rule->first_port == 0 && rule->last_port == UINT16_MAX;
	uint16_t port;

	if (!prefix6_holds(&rule->src6, frame + packet->at + IPV6_SOURCE_AT) ||
	    !prefix6_holds(&rule->dst6, frame + packet->at + IPV6_DESTINATION_AT))
		return false;
	if (packet->fragment)
		return rule->action == DENY || (rule->protocol == 0 && all_ports);
	if (rule->protocol != 0 && rule->protocol != packet->protocol)
		return false;
	if (packet->l4_bytes == 0)
		return all_ports;
	port = ipv6_destination_port(frame, packet);
	return port >= rule->first_port && port <= rule->last_port;
}

/* Of a packet that is no plain IPv4. */
static uint32_t decide_other(const struct firewall *firewall, const struct rte_mbuf *mbuf)
{
	const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	struct ipv6_packet packet;
	enum ipv6_read read = ipv6_packet_read(frame, mbuf->data_len, &packet);

	if (read != IPV6_READ)
		return read == IPV6_ABSENT ? firewall->default_action : DENY;
	for (uint32_t i = 0; i < firewall->count6; i++)
		if (matches_ipv6(&firewall->rules6[i], frame, &packet))
			return firewall->rules6[i].action;
	return firewall->default_action;
}

static uint32_t process_firewall(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct firewall *firewall = state;
	uint32_t actions[BURST], keep = 0;

	classify(firewall, packets, count, actions);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t action = actions[i] != 0 ? actions[i] : firewall->default_action;

		if (!packet_is_plain(packets[i]))
			action = decide_other(firewall, packets[i]);
		keep |= (action == ALLOW ? 1U : 0U) << i;
	}
	return keep;
}

static uint32_t primitive_firewall(void *state, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t actions[BURST];

	classify(state, packets, count, actions);
	return actions[0];
}

const struct nf_type NF_FIREWALL = {.name = "firewall", .repeatable = true, .open = open_firewall, .process = process_firewall,
	.primitive = primitive_firewall, .close = close_firewall};
