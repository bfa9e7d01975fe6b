#include "firewall.h"

#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"
#include "nft.h"

#define TABLE_CHARS 32
#define RECEIVED "received" /* what comes in at the far end */
#define PASSED "passed"
#define FILTERED "filtered"

/* Offsets from the inner packet's begin. */
#define IPV4_FRAGMENT_AT 6
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define PORT_AT 2 /* the destination's, of UDP and TCP */

struct family {
	const char *chain;
	uint32_t protocol_at, src_at, dst_at, bytes;
};
static const struct family IPV4 = {"ipv4", 9, 12, 16, IPV4_BYTES}, IPV6 = {"ipv6", 6, 8, 24, IPV6_BYTES};

struct table {
	const char *name, *alias;
	const char *link; /* where packets come in */
	uint32_t port;    /* where they go out: the same */
	uint32_t inner;   /* where the inner packet begins */
};

static void name_table(const struct daemon *daemon, const char *nf_id, char *name, struct pair_names *names)
{
	names_of_pair(daemon->options->host, daemon->generation, PAIR_FIREWALL, nf_id, names);
	(void)snprintf(name, TABLE_CHARS, "sextant-%s", names->near);
}

static void add_chain(struct nft_batch *batch, const struct table *table, const char *chain)
{
	struct message message;

	nft_start(&message, NFT_MSG_NEWCHAIN, NLM_F_CREATE, table->name);
	nft_put_text(&message, NFTA_CHAIN_NAME, chain);
	nft_add(batch, &message);
}

static void add_entry(struct nft_batch *batch, const struct table *table)
{
	struct message message;
	struct rtattr *hook;

	nft_start(&message, NFT_MSG_NEWCHAIN, NLM_F_CREATE, table->name);
	nft_put_text(&message, NFTA_CHAIN_NAME, RECEIVED);
	hook = message_nest(&message, NFTA_CHAIN_HOOK | NLA_F_NESTED);
	nft_put_number(&message, NFTA_HOOK_HOOKNUM, NF_NETDEV_INGRESS);
	nft_put_number(&message, NFTA_HOOK_PRIORITY, 0);
	nft_put_text(&message, NFTA_HOOK_DEV, table->link);
	message_end(&message, hook);
	nft_put_text(&message, NFTA_CHAIN_TYPE, "filter");
	nft_add(batch, &message);
}

/* All that a rule needs is there before the rule is. */
static void add_table(struct nft_batch *batch, const struct table *table)
{
	static const char *const chains[] = {PASSED, FILTERED, "ipv4", "ipv6"};
	struct message message;
	struct nft_rule rule;

	nft_start(&message, NFT_MSG_NEWTABLE, NLM_F_CREATE, table->name); /* so that there is one to delete */
	nft_add(batch, &message);
	nft_start(&message, NFT_MSG_DELTABLE, 0, table->name);
	nft_add(batch, &message);
	nft_start(&message, NFT_MSG_NEWTABLE, NLM_F_CREATE, table->name);
	nft_put_text(&message, NFTA_TABLE_USERDATA, table->alias);
	nft_add(batch, &message);
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++)
		add_chain(batch, table, chains[i]);
	nft_rule_start(&rule, table->name, PASSED);
	nft_count(&rule);
	nft_forward(&rule, table->port);
	nft_rule_add(batch, &rule);
	nft_rule_start(&rule, table->name, FILTERED);
	nft_count(&rule);
	nft_drop(&rule);
	nft_rule_add(batch, &rule);
}

/* What cannot be read is filtered: options, fragments and extension headers hide ports that a rule may deny. */
static void add_received(struct nft_batch *batch, const struct table *table)
{
	static const uint8_t extensions[] = {IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_AH, IPPROTO_DSTOPTS, IPPROTO_MH,
		139 /* HIP */, 140 /* Shim6 */};
	static const uint8_t ipv4 = SRV6_NEXT_IPV4, plain = 0x45, ipv6 = SRV6_NEXT_IPV6, version = 0x60, version_bits = 0xf0;
	static const uint8_t whole[2] = {0, 0}, fragment_bits[2] = {0x3f, 0xff};
	struct nft_rule rule;

	add_entry(batch, table);
	nft_rule_start(&rule, table->name, RECEIVED);
	nft_match(&rule, SRV6_AT_SRH, &ipv4, NULL, 1);
	nft_match(&rule, table->inner, &plain, NULL, 1);
	nft_match(&rule, table->inner + IPV4_FRAGMENT_AT, whole, fragment_bits, sizeof(whole));
	nft_goto(&rule, IPV4.chain);
	nft_rule_add(batch, &rule);
	for (size_t i = 0; i < sizeof(extensions); i++) {
		nft_rule_start(&rule, table->name, RECEIVED);
		nft_match(&rule, SRV6_AT_SRH, &ipv6, NULL, 1);
		nft_match(&rule, table->inner + IPV6.protocol_at, &extensions[i], NULL, 1);
		nft_goto(&rule, FILTERED);
		nft_rule_add(batch, &rule);
	}
	nft_rule_start(&rule, table->name, RECEIVED);
	nft_match(&rule, SRV6_AT_SRH, &ipv6, NULL, 1);
	nft_match(&rule, table->inner, &version, &version_bits, 1);
	nft_goto(&rule, IPV6.chain);
	nft_rule_add(batch, &rule);
	nft_rule_start(&rule, table->name, RECEIVED);
	nft_goto(&rule, FILTERED);
	nft_rule_add(batch, &rule);
}

static void match_prefix(struct nft_rule *rule, uint32_t offset, const struct prefix6 *prefix)
{
	uint32_t bytes = (prefix->length + 7U) / 8U;
	uint8_t mask[IPV6_ADDRESS_BYTES];

	if (bytes == 0)
		return;
	memset(mask, 0xff, sizeof(mask));
	mask[bytes - 1] = (uint8_t)(0xff00U >> ((prefix->length - 1U) % 8U + 1U));
	nft_match(rule, offset, prefix->address, prefix->length % 8 == 0 ? NULL : mask, bytes);
}

static void add_rule(struct nft_batch *batch, const struct table *table, const struct family *family, const struct firewall_rule *wanted,
	uint8_t protocol)
{
	struct nft_rule rule;

	nft_rule_start(&rule, table->name, family->chain);
	if (protocol != 0)
		nft_match(&rule, table->inner + family->protocol_at, &protocol, NULL, 1);
	match_prefix(&rule, table->inner + family->src_at, &wanted->src);
	match_prefix(&rule, table->inner + family->dst_at, &wanted->dst);
	if (wanted->first_port > 0 || wanted->last_port < UINT16_MAX)
		nft_match_range(&rule, table->inner + family->bytes + PORT_AT, wanted->first_port, wanted->last_port);
	nft_goto(&rule, wanted->allow ? PASSED : FILTERED);
	nft_rule_add(batch, &rule);
}

/* Ports are those of UDP and TCP: a rule that names ports alone becomes two. */
static void add_rules(struct nft_batch *batch, const struct table *table, const struct family *family, const struct firewall_rules *rules)
{
	struct nft_rule last;

	for (size_t i = 0; i < rules->count; i++) {
		const struct firewall_rule *rule = &rules->list[i];
		bool of_ports = rule->first_port > 0 || rule->last_port < UINT16_MAX;

		if (family == &IPV4 ? !rule->ipv4 : !rule->ipv6)
			continue;
		if (of_ports && rule->protocol == 0) {
			add_rule(batch, table, family, rule, IPPROTO_UDP);
			add_rule(batch, table, family, rule, IPPROTO_TCP);
		} else {
			add_rule(batch, table, family, rule, rule->protocol);
		}
	}
	nft_rule_start(&last, table->name, family->chain);
	nft_goto(&last, rules->allow ? PASSED : FILTERED);
	nft_rule_add(batch, &last);
}

static int put_table(const struct table *table, const struct firewall_rules *rules, bool dry)
{
	struct nft_batch batch;
	int netlink = nft_open(), result;

	if (netlink < 0)
		return netlink;
	nft_begin(&batch);
	add_table(&batch, table);
	add_rules(&batch, table, &IPV4, rules);
	add_rules(&batch, table, &IPV6, rules);
	add_received(&batch, table); /* last of all: from now on packets are looked at */
	result = nft_send(netlink, &batch, dry);
	(void)close(netlink);
	return result;
}

int firewall_probe(struct error *err)
{
	static struct firewall_rules rules = {.list = {{.ipv4 = true, .ipv6 = true, .first_port = 1, .last_port = 1, .src = {.length = 1}}}, .count = 1};
	const struct table table = {.name = "sextant-probe", .alias = "sextant-probe", .link = "lo", .port = 1, .inner = SRV6_BYTES(1)};
	int result = put_table(&table, &rules, true);

	if (result == 0)
		return 0;
	return fail(err, E_NOT_AVAILABLE, "", "the kernel does not take the rules of a packet filter (%s); it needs CONFIG_NF_TABLES_NETDEV "
		"and CONFIG_NFT_FWD_NETDEV: load the modules nf_tables and nft_fwd_netdev, and start sextant-srv6 again", strerror(-result));
}

int firewall_load(const struct daemon *daemon, const char *nf_id, const struct pair *pair, uint32_t segments,
	const struct firewall_rules *rules, struct error *err)
{
	struct pair_names names;
	char name[TABLE_CHARS];
	const struct table table = {.name = name, .alias = names.near_alias, .link = names.far, .port = pair->far, .inner = SRV6_BYTES(segments)};
	int result;

	name_table(daemon, nf_id, name, &names);
	result = put_table(&table, rules, false);
	if (result == 0)
		return 0;
	return fail(err, E_KERNEL, "", "the kernel does not take the rules of %s: %s", nf_id, strerror(-result));
}

struct reading {
	struct firewall_counts *counts;
	bool passed, filtered;
};

/* The attribute of a type in a nest, or NULL. */
static const struct rtattr *inside(const struct rtattr *nest, int type)
{
	const struct rtattr *at = RTA_DATA(nest);

	for (unsigned int left = (unsigned int)RTA_PAYLOAD(nest); RTA_OK(at, left); at = RTA_NEXT(at, left))
		if ((at->rta_type & NLA_TYPE_MASK) == type)
			return at;
	return NULL;
}

/* Packets that the counter among a rule's expressions has seen: it is the first of them. */
static uint64_t counted(const struct rtattr *expressions)
{
	const struct rtattr *element = inside(expressions, NFTA_LIST_ELEM);
	const struct rtattr *data = element == NULL ? NULL : inside(element, NFTA_EXPR_DATA);
	const struct rtattr *packets = data == NULL ? NULL : inside(data, NFTA_COUNTER_PACKETS);
	uint64_t value = 0;

	if (packets != NULL && RTA_PAYLOAD(packets) == sizeof(value))
		memcpy(&value, RTA_DATA(packets), sizeof(value));
	return be64toh(value);
}

static void read_rule(void *context, const struct nlmsghdr *header)
{
	const struct rtattr *at = NULL, *expressions = NULL;
	struct reading *reading = context;
	char chain[16] = "";

	while ((at = message_attribute(header, sizeof(struct nfgenmsg), at)) != NULL) {
		if ((at->rta_type & NLA_TYPE_MASK) == NFTA_RULE_CHAIN)
			message_text(at, chain, sizeof(chain));
		else if ((at->rta_type & NLA_TYPE_MASK) == NFTA_RULE_EXPRESSIONS)
			expressions = at;
	}
	if (expressions == NULL)
		return;
	if (strcmp(chain, PASSED) == 0) {
		reading->counts->passed = counted(expressions);
		reading->passed = true;
	} else if (strcmp(chain, FILTERED) == 0) {
		reading->counts->filtered = counted(expressions);
		reading->filtered = true;
	}
}

bool firewall_read(const struct daemon *daemon, const char *nf_id, struct firewall_counts *counts)
{
	static const char *const chains[] = {PASSED, FILTERED};
	struct reading reading = {.counts = counts};
	struct pair_names names;
	char name[TABLE_CHARS];
	int netlink = nft_open();

	name_table(daemon, nf_id, name, &names);
	for (int i = 0; netlink >= 0 && i < 2; i++) {
		struct message message;

		nft_start(&message, NFT_MSG_GETRULE, NLM_F_DUMP, name);
		nft_put_text(&message, NFTA_RULE_CHAIN, chains[i]);
		(void)message_dump(netlink, &message, read_rule, &reading);
	}
	if (netlink >= 0)
		(void)close(netlink);
	return reading.passed && reading.filtered;
}

static void delete_table(const char *name)
{
	struct nft_batch batch;
	struct message message;
	int netlink = nft_open();

	if (netlink < 0)
		return;
	nft_begin(&batch);
	nft_start(&message, NFT_MSG_DELTABLE, 0, name);
	nft_add(&batch, &message);
	(void)nft_send(netlink, &batch, false); /* it may have gone */
	(void)close(netlink);
}

void firewall_remove(const struct daemon *daemon, const char *nf_id)
{
	struct pair_names names;
	char name[TABLE_CHARS];

	name_table(daemon, nf_id, name, &names);
	delete_table(name);
}

struct tables {
	struct daemon *daemon;
	char (*gone)[TABLE_CHARS];
	size_t count;
};

#define SWEPT_MAX 256 /* the next start takes more */

/* Ours are told by what they say of themselves, and by the name that follows from it. */
static void judge_table(void *context, const struct nlmsghdr *header)
{
	char found[TABLE_CHARS] = "", name[TABLE_CHARS], alias[ALIAS_CHARS + 1] = "";
	const struct rtattr *at = NULL;
	struct tables *tables = context;
	struct pair_names names;
	struct pair_owner owner;
	struct pair pair;

	while ((at = message_attribute(header, sizeof(struct nfgenmsg), at)) != NULL) {
		if ((at->rta_type & NLA_TYPE_MASK) == NFTA_TABLE_NAME)
			message_text(at, found, sizeof(found));
		else if ((at->rta_type & NLA_TYPE_MASK) == NFTA_TABLE_USERDATA)
			message_text(at, alias, sizeof(alias));
	}
	if (!names_read_alias(tables->daemon->options->host, alias, &owner) || owner.kind != PAIR_FIREWALL)
		return;
	name_table(tables->daemon, owner.name, name, &names);
	if (strcmp(found, name) == 0 && !pair_find(tables->daemon, owner.kind, owner.name, &pair) && tables->count < SWEPT_MAX)
		memcpy(tables->gone[tables->count++], name, TABLE_CHARS);
}

void firewall_sweep(struct daemon *daemon)
{
	static char gone[SWEPT_MAX][TABLE_CHARS]; /* under the daemon's lock */
	struct tables tables = {.daemon = daemon, .gone = gone};
	const struct nfgenmsg body = {.nfgen_family = NFPROTO_NETDEV, .version = NFNETLINK_V0};
	struct message message;
	int netlink = nft_open();

	if (netlink < 0)
		return;
	message_start(&message, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETTABLE, NLM_F_DUMP, &body, sizeof(body));
	(void)message_dump(netlink, &message, judge_table, &tables);
	(void)close(netlink);
	for (size_t i = 0; i < tables.count; i++)
		delete_table(gone[i]);
}
