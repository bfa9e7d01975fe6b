/* Links and filters, by rtnetlink. What changes something returns 0 or a negative errno. */
#ifndef SEXTANT_SRV6_NETLINK_H
#define SEXTANT_SRV6_NETLINK_H

#include "names.h"

struct link {
	uint32_t index;
	char name[IFNAMSIZ];
	uint8_t mac[MAC_BYTES];
	char alias[ALIAS_CHARS + 1];
	bool is_ethernet, is_loopback;
	bool is_up; /* it has a carrier, and nobody has set it down */
};

/* A socket, or a negative errno. */
int netlink_open(void);

/* All of this namespace, to be freed: how many, or a negative errno. */
int netlink_links(int netlink, struct link **all);
/* -ENODEV if there is none of this name. */
int netlink_find(int netlink, const char *name, struct link *found);

/* One link, without what it counts; -ENODEV if it is gone. */
int netlink_port(int netlink, uint32_t index, struct link *found);

/* How many packets wait to go out, of links by index; -1 of those whose queueing discipline does not say. */
struct queue_length {
	uint32_t index;
	int packets;
};
int netlink_queues(int netlink, struct queue_length *queues, int count);

/* Both ends down, in this namespace. */
int netlink_add_pair(int netlink, const struct pair_names *names, uint32_t mtu);
int netlink_set_up(int netlink, uint32_t index, const char *alias);
int netlink_delete(int netlink, uint32_t index);

/* Whether there is a filter at the ingress or the egress of an interface's clsact; or a negative errno. */
int netlink_has_filters(int netlink, uint32_t index);

#endif
