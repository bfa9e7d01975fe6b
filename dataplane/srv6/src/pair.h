/* Pairs of interfaces: at the near end our program, at the far end whoever holds a packet socket, or a table of nf_tables. */
#ifndef SEXTANT_SRV6_PAIR_H
#define SEXTANT_SRV6_PAIR_H

#include "daemon.h"
#include "netlink.h"

struct pair {
	uint32_t near, far;
	char link[IFNAMSIZ];
	uint8_t near_mac[MAC_BYTES], far_mac[MAC_BYTES];
};

/* Finds it, makes it, or makes it whole. */
int pair_ensure(struct daemon *daemon, enum pair_kind kind, const char *name, uint32_t mtu, struct pair *pair, struct error *err);
/* Whether there is a whole one. */
bool pair_find(struct daemon *daemon, enum pair_kind kind, const char *name, struct pair *pair);
/* Its near end's index; 0: there is none. */
uint32_t pair_port(struct daemon *daemon, enum pair_kind kind, const char *name);
int pair_remove(struct daemon *daemon, const struct pair *pair, struct error *err);

/* Over all pairs of this host. */
typedef void (*pair_visit)(void *context, enum pair_kind kind, const char *name, const struct link *near);
int pair_each(struct daemon *daemon, pair_visit visit, void *context);

#endif
