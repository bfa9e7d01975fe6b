#include "nft.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_BYTES (4 << 20) /* more than the largest batch */
#define ANSWER_BYTES 65536
#define ROOM_BYTES 65536

int nft_open(void)
{
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	const int bytes = SEND_BYTES;

	if (netlink < 0)
		return -errno;
	if (setsockopt(netlink, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) == 0)
		return netlink;
	(void)close(netlink);
	return -EPERM;
}

static void append(struct nft_batch *batch, const void *bytes, size_t size)
{
	size_t after = batch->used + NLMSG_ALIGN(size);

	if (after > batch->room && !batch->out_of_memory) {
		size_t room = 2 * after + ROOM_BYTES;
		char *larger = realloc(batch->bytes, room);

		batch->out_of_memory = larger == NULL;
		if (larger != NULL) {
			batch->bytes = larger;
			batch->room = room;
		}
	}
	if (batch->out_of_memory)
		return;
	memset(batch->bytes + batch->used, 0, NLMSG_ALIGN(size));
	memcpy(batch->bytes + batch->used, bytes, size);
	batch->used = after;
}

static void add_bound(struct nft_batch *batch, int type)
{
	const struct nfgenmsg body = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)};
	struct message message;

	message_start(&message, type, 0, &body, sizeof(body));
	nft_add(batch, &message);
}

void nft_begin(struct nft_batch *batch)
{
	*batch = (struct nft_batch){0};
	add_bound(batch, NFNL_MSG_BATCH_BEGIN);
}

void nft_start(struct message *message, int type, int flags, const char *table)
{
	const struct nfgenmsg body = {.nfgen_family = NFPROTO_NETDEV, .version = NFNETLINK_V0};

	message_start(message, NFNL_SUBSYS_NFTABLES << 8 | type, flags, &body, sizeof(body));
	nft_put_text(message, NFTA_TABLE_NAME, table); /* of chains and rules it is the first attribute, too */
}

void nft_add(struct nft_batch *batch, struct message *message)
{
	message->header.nlmsg_seq = (uint32_t)batch->used; /* rising, and different for each */
	append(batch, message, message->header.nlmsg_len);
}

/* Where nothing is refused there is one answer: the last message asked for it. */
static int first_refusal(int netlink)
{
	char *room = malloc(ANSWER_BYTES);
	int result = room == NULL ? -ENOMEM : 0;
	bool answered = false;
	ssize_t got = 0;

	while (room != NULL && (got = recv(netlink, room, ANSWER_BYTES, MSG_DONTWAIT)) > 0) { /* the kernel has answered by now */
		unsigned int left = (unsigned int)got;

		for (struct nlmsghdr *at = (struct nlmsghdr *)room; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
			const struct nlmsgerr *error = NLMSG_DATA(at);

			answered |= at->nlmsg_type == NLMSG_ERROR;
			if (result == 0 && at->nlmsg_type == NLMSG_ERROR)
				result = error->error;
		}
	}
	if (result == 0 && !answered)
		result = got < 0 && errno != EAGAIN ? -errno : -EPROTO;
	free(room);
	return result;
}

int nft_send(int netlink, struct nft_batch *batch, bool dry)
{
	struct nlmsghdr *last = NULL;
	int result = 0;

	if (!batch->out_of_memory) {
		size_t at = 0;

		for (; at < batch->used; at += NLMSG_ALIGN(last->nlmsg_len))
			last = (struct nlmsghdr *)(batch->bytes + at);
		last->nlmsg_flags |= NLM_F_ACK;
	}
	if (!dry) /* without it the kernel takes back what it has judged */
		add_bound(batch, NFNL_MSG_BATCH_END);
	if (batch->out_of_memory)
		result = -ENOMEM;
	else if (send(netlink, batch->bytes, batch->used, 0) < 0)
		result = -errno;
	else
		result = first_refusal(netlink);
	free(batch->bytes);
	*batch = (struct nft_batch){0};
	return result;
}

void nft_put_number(struct message *message, int type, uint32_t number)
{
	const uint32_t value = htonl(number);

	message_put(message, type, &value, sizeof(value));
}

void nft_put_text(struct message *message, int type, const char *text)
{
	message_put(message, type, text, strlen(text) + 1);
}

static struct rtattr *nest(struct message *message, int type)
{
	return message_nest(message, type | NLA_F_NESTED);
}

static void put_value(struct message *message, int type, const void *bytes, size_t size)
{
	struct rtattr *data = nest(message, type);

	message_put(message, NFTA_DATA_VALUE, bytes, size);
	message_end(message, data);
}

void nft_rule_start(struct nft_rule *rule, const char *table, const char *chain)
{
	nft_start(&rule->message, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, table);
	nft_put_text(&rule->message, NFTA_RULE_CHAIN, chain);
	rule->expressions = nest(&rule->message, NFTA_RULE_EXPRESSIONS);
}

void nft_rule_add(struct nft_batch *batch, struct nft_rule *rule)
{
	message_end(&rule->message, rule->expressions);
	nft_add(batch, &rule->message);
}

void nft_rule_add_numbered(struct nft_batch *batch, struct nft_rule *rule, uint16_t number)
{
	message_end(&rule->message, rule->expressions);
	message_put(&rule->message, NFTA_RULE_USERDATA, &number, sizeof(number));
	nft_add(batch, &rule->message);
}

struct expression {
	struct rtattr *element, *data;
};

static struct expression open_expression(struct nft_rule *rule, const char *name)
{
	struct expression opened = {.element = nest(&rule->message, NFTA_LIST_ELEM)};

	nft_put_text(&rule->message, NFTA_EXPR_NAME, name);
	opened.data = nest(&rule->message, NFTA_EXPR_DATA);
	return opened;
}

static void close_expression(struct nft_rule *rule, const struct expression *opened)
{
	message_end(&rule->message, opened->data);
	message_end(&rule->message, opened->element);
}

/* Into the register that all expressions here use. */
static void load(struct nft_rule *rule, uint32_t offset, uint32_t size)
{
	const struct expression payload = open_expression(rule, "payload");

	nft_put_number(&rule->message, NFTA_PAYLOAD_DREG, NFT_REG_1);
	nft_put_number(&rule->message, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	nft_put_number(&rule->message, NFTA_PAYLOAD_OFFSET, offset);
	nft_put_number(&rule->message, NFTA_PAYLOAD_LEN, size);
	close_expression(rule, &payload);
}

static void keep_bits(struct nft_rule *rule, const void *mask, uint32_t size)
{
	static const uint8_t zero[16];
	const struct expression bitwise = open_expression(rule, "bitwise");

	nft_put_number(&rule->message, NFTA_BITWISE_SREG, NFT_REG_1);
	nft_put_number(&rule->message, NFTA_BITWISE_DREG, NFT_REG_1);
	nft_put_number(&rule->message, NFTA_BITWISE_LEN, size);
	put_value(&rule->message, NFTA_BITWISE_MASK, mask, size);
	put_value(&rule->message, NFTA_BITWISE_XOR, zero, size);
	close_expression(rule, &bitwise);
}

void nft_match(struct nft_rule *rule, uint32_t offset, const void *bytes, const void *mask, uint32_t size)
{
	struct expression compare;

	load(rule, offset, size);
	if (mask != NULL)
		keep_bits(rule, mask, size);
	compare = open_expression(rule, "cmp");
	nft_put_number(&rule->message, NFTA_CMP_SREG, NFT_REG_1);
	nft_put_number(&rule->message, NFTA_CMP_OP, NFT_CMP_EQ);
	put_value(&rule->message, NFTA_CMP_DATA, bytes, size);
	close_expression(rule, &compare);
}

void nft_match_range(struct nft_rule *rule, uint32_t offset, uint16_t first, uint16_t last)
{
	const uint16_t from = htons(first), to = htons(last);
	struct expression range;

	load(rule, offset, sizeof(from));
	range = open_expression(rule, "range");
	nft_put_number(&rule->message, NFTA_RANGE_SREG, NFT_REG_1);
	nft_put_number(&rule->message, NFTA_RANGE_OP, NFT_RANGE_EQ);
	put_value(&rule->message, NFTA_RANGE_FROM_DATA, &from, sizeof(from));
	put_value(&rule->message, NFTA_RANGE_TO_DATA, &to, sizeof(to));
	close_expression(rule, &range);
}

void nft_count(struct nft_rule *rule)
{
	const struct expression counter = open_expression(rule, "counter");

	close_expression(rule, &counter);
}

static void decide(struct nft_rule *rule, int code, const char *chain)
{
	const struct expression immediate = open_expression(rule, "immediate");
	struct rtattr *data, *verdict;

	nft_put_number(&rule->message, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = nest(&rule->message, NFTA_IMMEDIATE_DATA);
	verdict = nest(&rule->message, NFTA_DATA_VERDICT);
	nft_put_number(&rule->message, NFTA_VERDICT_CODE, (uint32_t)code);
	if (chain != NULL)
		nft_put_text(&rule->message, NFTA_VERDICT_CHAIN, chain);
	message_end(&rule->message, verdict);
	message_end(&rule->message, data);
	close_expression(rule, &immediate);
}

void nft_drop(struct nft_rule *rule)
{
	decide(rule, NF_DROP, NULL);
}

void nft_goto(struct nft_rule *rule, const char *chain)
{
	decide(rule, NFT_GOTO, chain);
}

void nft_forward(struct nft_rule *rule, uint32_t port)
{
	struct expression expression = open_expression(rule, "immediate");

	nft_put_number(&rule->message, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_value(&rule->message, NFTA_IMMEDIATE_DATA, &port, sizeof(port));
	close_expression(rule, &expression);
	expression = open_expression(rule, "fwd");
	nft_put_number(&rule->message, NFTA_FWD_SREG_DEV, NFT_REG_1);
	close_expression(rule, &expression);
}
