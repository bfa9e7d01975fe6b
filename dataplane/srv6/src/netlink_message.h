/* A netlink message: put together, sent, answered. */
#ifndef SEXTANT_SRV6_NETLINK_MESSAGE_H
#define SEXTANT_SRV6_NETLINK_MESSAGE_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

/* More than the longest alias, two ends and their nests take, or all expressions of a rule. */
#define MESSAGE_BYTES 2048

struct message {
	union {
		struct nlmsghdr header;
		char bytes[MESSAGE_BYTES];
	};
};

void message_start(struct message *message, int type, int flags, const void *body, size_t size);
void message_append(struct message *message, const void *data, size_t size);
void message_put(struct message *message, int type, const void *data, size_t size);
struct rtattr *message_nest(struct message *message, int type);
void message_end(struct message *message, struct rtattr *nest);

/* The attribute behind `last`, or with NULL the first behind a body of `body` bytes; NULL after the last one. */
const struct rtattr *message_attribute(const struct nlmsghdr *header, size_t body, const struct rtattr *last);
/* What an attribute says, ended by a zero whatever the kernel sent. */
void message_text(const struct rtattr *attribute, char *room, size_t size);

/* Waits for the kernel's acknowledgement: 0 or a negative errno. */
int message_send(int netlink, struct message *message);
/* The same, with each part of the answer. */
int message_dump(int netlink, struct message *message, void (*part)(void *context, const struct nlmsghdr *header), void *context);

#endif
