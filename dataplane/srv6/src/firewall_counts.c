#include "firewall.h"

#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>
#include <unistd.h>

#include "firewall_table.h"

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

static uint64_t number_in(const struct rtattr *data, int type)
{
	const struct rtattr *at = inside(data, type);
	uint64_t value = 0;

	if (at != NULL && RTA_PAYLOAD(at) == sizeof(value))
		memcpy(&value, RTA_DATA(at), sizeof(value));
	return be64toh(value);
}

/* What the counter among a rule's expressions has seen. */
static struct firewall_count counted(const struct rtattr *expressions)
{
	const struct rtattr *at = RTA_DATA(expressions);

	for (unsigned int left = (unsigned int)RTA_PAYLOAD(expressions); RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		const struct rtattr *name = inside(at, NFTA_EXPR_NAME), *data = inside(at, NFTA_EXPR_DATA);
		char text[16] = "";

		if (name != NULL)
			message_text(name, text, sizeof(text));
		if (data != NULL && strcmp(text, "counter") == 0)
			return (struct firewall_count){number_in(data, NFTA_COUNTER_PACKETS), number_in(data, NFTA_COUNTER_BYTES)};
	}
	return (struct firewall_count){0};
}

static void add_decided(struct firewall_counts *counts, const struct rtattr *number_at, struct firewall_count count)
{
	uint16_t number;

	if (number_at == NULL || RTA_PAYLOAD(number_at) != sizeof(number))
		return;
	memcpy(&number, RTA_DATA(number_at), sizeof(number));
	if (number > FIREWALL_DEFAULT)
		return;
	counts->by_rule[number].packets += count.packets;
	counts->by_rule[number].bytes += count.bytes;
	if (number < FIREWALL_DEFAULT && number >= counts->rules)
		counts->rules = number + 1U;
}

static void read_rule(void *context, const struct nlmsghdr *header)
{
	const struct rtattr *at = NULL, *expressions = NULL, *number = NULL;
	struct reading *reading = context;
	struct firewall_count count;
	char chain[16] = "";

	while ((at = message_attribute(header, sizeof(struct nfgenmsg), at)) != NULL) {
		if ((at->rta_type & NLA_TYPE_MASK) == NFTA_RULE_CHAIN)
			message_text(at, chain, sizeof(chain));
		else if ((at->rta_type & NLA_TYPE_MASK) == NFTA_RULE_EXPRESSIONS)
			expressions = at;
		else if ((at->rta_type & NLA_TYPE_MASK) == NFTA_RULE_USERDATA)
			number = at;
	}
	if (expressions == NULL)
		return;
	count = counted(expressions);
	if (strcmp(chain, PASSED) == 0) {
		reading->counts->passed = count.packets;
		reading->passed = true;
	} else if (strcmp(chain, FILTERED) == 0) {
		reading->counts->filtered = count.packets;
		reading->filtered = true;
	} else {
		add_decided(reading->counts, number, count);
	}
}

bool firewall_read(const struct daemon *daemon, const char *nf_id, struct firewall_counts *counts)
{
	static const char *const chains[] = {PASSED, FILTERED, OF_IPV4, OF_IPV6};
	struct reading reading = {.counts = counts};
	struct pair_names names;
	char name[TABLE_CHARS];
	int netlink = nft_open();

	*counts = (struct firewall_counts){0};
	firewall_name_table(daemon, nf_id, name, &names);
	for (size_t i = 0; netlink >= 0 && i < sizeof(chains) / sizeof(chains[0]); i++) {
		struct message message;

		nft_start(&message, NFT_MSG_GETRULE, NLM_F_DUMP, name);
		nft_put_text(&message, NFTA_RULE_CHAIN, chains[i]);
		(void)message_dump(netlink, &message, read_rule, &reading);
	}
	if (netlink >= 0)
		(void)close(netlink);
	return reading.passed && reading.filtered;
}
