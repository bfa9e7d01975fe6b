#include "firewall.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "firewall_table.h"
#include "layout.h"

#define RECEIVED "received" /* what comes in at the far end */

/* Offsets from the inner packet's begin. */
#define IPV4_FRAGMENT_AT 6
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define PORT_AT 2 /* the destination's, of UDP and TCP */

struct family {
	const char *chain;
	uint32_t protocol_at, src_at, dst_at, bytes;
};
static const struct family IPV4 = {OF_IPV4, 9, 12, 16, IPV4_BYTES}, IPV6 = {OF_IPV6, 6, 8, 24, IPV6_BYTES};

struct table {
	const char *name, *alias;
	const char *link; /* where packets come in */
	uint32_t port;    /* where they go out: the same */
	uint32_t inner;   /* where the inner packet begins */
};

void firewall_name_table(const struct daemon *daemon, const char *nf_id, char *name, struct pair_names *names)
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
	static const char *const chains[] = {PASSED, FILTERED, OF_IPV4, OF_IPV6};
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

/* What a rule has decided is counted under its number, in each of the kernel's rules that it becomes. */
static void add_verdict(struct nft_batch *batch, struct nft_rule *rule, bool allow, size_t number)
{
	nft_count(rule);
	nft_goto(rule, allow ? PASSED : FILTERED);
	nft_rule_add_numbered(batch, rule, (uint16_t)number);
}

static void add_rule(struct nft_batch *batch, const struct table *table, const struct family *family, const struct firewall_rules *rules,
	size_t number, uint8_t protocol)
{
	const struct firewall_rule *wanted = &rules->list[number];
	struct nft_rule rule;

	nft_rule_start(&rule, table->name, family->chain);
	if (protocol != 0)
		nft_match(&rule, table->inner + family->protocol_at, &protocol, NULL, 1);
	match_prefix(&rule, table->inner + family->src_at, &wanted->src);
	match_prefix(&rule, table->inner + family->dst_at, &wanted->dst);
	if (wanted->first_port > 0 || wanted->last_port < UINT16_MAX)
		nft_match_range(&rule, table->inner + family->bytes + PORT_AT, wanted->first_port, wanted->last_port);
	add_verdict(batch, &rule, wanted->allow, number);
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
			add_rule(batch, table, family, rules, i, IPPROTO_UDP);
			add_rule(batch, table, family, rules, i, IPPROTO_TCP);
		} else {
			add_rule(batch, table, family, rules, i, rule->protocol);
		}
	}
	nft_rule_start(&last, table->name, family->chain);
	add_verdict(batch, &last, rules->allow, FIREWALL_DEFAULT);
}

static void add_families(struct nft_batch *batch, const struct table *table, const struct firewall_rules *rules)
{
	add_rules(batch, table, &IPV4, rules);
	add_rules(batch, table, &IPV6, rules);
}

static int put_table(const struct table *table, const struct firewall_rules *rules, bool dry)
{
	struct nft_batch batch;
	int netlink = nft_open(), result;

	if (netlink < 0)
		return netlink;
	nft_begin(&batch);
	add_table(&batch, table);
	add_families(&batch, table, rules);
	add_received(&batch, table); /* last of all: from now on packets are looked at */
	result = nft_send(netlink, &batch, dry);
	(void)close(netlink);
	return result;
}

/* Of both chains that rules are in. The others stay with what they have counted. The kernel makes a batch's generation the current one at
 * once, and a packet is judged by the one in which it came: whichever chain it goes to, it meets the old rules or the new. */
static int put_rules(const struct table *table, const struct firewall_rules *rules)
{
	const struct family *const families[] = {&IPV4, &IPV6};
	struct nft_batch batch;
	struct message message;
	int netlink = nft_open(), result;

	if (netlink < 0)
		return netlink;
	nft_begin(&batch);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		nft_start(&message, NFT_MSG_DELRULE, 0, table->name);
		nft_put_text(&message, NFTA_RULE_CHAIN, families[i]->chain); /* and no handle: all of them */
		nft_add(&batch, &message);
	}
	add_families(&batch, table, rules);
	result = nft_send(netlink, &batch, false);
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

	firewall_name_table(daemon, nf_id, name, &names);
	result = put_table(&table, rules, false);
	if (result == 0)
		return 0;
	return fail(err, E_KERNEL, "", "the kernel does not take the rules of %s: %s", nf_id, strerror(-result));
}

int firewall_change(const struct daemon *daemon, const char *nf_id, uint32_t segments, const struct firewall_rules *rules, struct error *err)
{
	struct pair_names names;
	char name[TABLE_CHARS];
	const struct table table = {.name = name, .inner = SRV6_BYTES(segments)};
	int result;

	firewall_name_table(daemon, nf_id, name, &names);
	result = put_rules(&table, rules);
	if (result == 0)
		return 0;
	if (result == -ENOENT)
		return fail(err, E_NOT_FOUND, "nf_id", "the rules of %s have gone: somebody flushed or deleted them; add it again", nf_id);
	return fail(err, E_KERNEL, "", "the kernel does not take the new rules of %s, and the old ones stay: %s", nf_id, strerror(-result));
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

	firewall_name_table(daemon, nf_id, name, &names);
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
	firewall_name_table(tables->daemon, owner.name, name, &names);
	if (strcmp(found, name) == 0 && !pair_find(tables->daemon, owner.kind, owner.name, &pair) &&
	    tables->count < SWEPT_MAX)
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
