/* nf_tables, by nfnetlink: batches that the kernel takes whole or not at all, and the expressions of rules. All tables are of the
 * family `netdev`. What it is told are numbers and names of our own: no text of a request reaches the kernel. */
#ifndef SEXTANT_SRV6_NFT_H
#define SEXTANT_SRV6_NFT_H

#include <stdbool.h>

#include "netlink_message.h"

struct nft_batch {
	char *bytes;
	size_t used, room;
	bool out_of_memory;
};

/* A socket, or a negative errno. */
int nft_open(void);

void nft_begin(struct nft_batch *batch);
/* One message: a type NFT_MSG_*, of a table. */
void nft_start(struct message *message, int type, int flags, const char *table);
void nft_add(struct nft_batch *batch, struct message *message);
/* 0 or a negative errno, of the first message that the kernel refuses. `dry`: it is judged, and nothing is done. The batch is freed. */
int nft_send(int netlink, struct nft_batch *batch, bool dry);

void nft_put_number(struct message *message, int type, uint32_t number);
void nft_put_text(struct message *message, int type, const char *text);

/* A rule of a chain, with its expressions in turn: where one does not hold, the next rule is looked at. */
struct nft_rule {
	struct message message;
	struct rtattr *expressions;
};
void nft_rule_start(struct nft_rule *rule, const char *table, const char *chain);
void nft_rule_add(struct nft_batch *batch, struct nft_rule *rule);
/* The same, with a number that whoever reads the rule finds again. */
void nft_rule_add_numbered(struct nft_batch *batch, struct nft_rule *rule, uint16_t number);

/* `size` bytes, 16 at most, at an offset from the packet's network header, are `bytes`, of which only those bits count that are set in
 * `mask` (NULL: all). */
void nft_match(struct nft_rule *rule, uint32_t offset, const void *bytes, const void *mask, uint32_t size);
/* The 16 bits there, in network order, are in [first, last]. */
void nft_match_range(struct nft_rule *rule, uint32_t offset, uint16_t first, uint16_t last);
void nft_count(struct nft_rule *rule);
void nft_drop(struct nft_rule *rule);
void nft_goto(struct nft_rule *rule, const char *chain);
/* Out of an interface, as it is. */
void nft_forward(struct nft_rule *rule, uint32_t port);

#endif
