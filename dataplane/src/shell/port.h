/*
 * An AF_PACKET socket that this process inherits, bound to the interface at which an NF gets its frames and gives them back. Nothing
 * here takes a privilege.
 */
#ifndef SEXTANT_PORT_H
#define SEXTANT_PORT_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"
#include "nf/nf.h"

struct port {
	int fd;
	uint32_t mtu; /* of the interface: a frame has 14 bytes more */
};

/* Checks what was inherited. -1 with `err` filled. */
int port_open(struct port *port, int fd, struct error *err);

/* How many frames it took into `messages`; sleeps until there is one. 0: nothing after all, try again. */
uint32_t port_receive(const struct port *port, struct mmsghdr *messages, uint32_t count);

/* How many of them it sent; the rest it could not. Waits for space. */
uint32_t port_send(const struct port *port, struct mmsghdr *messages, uint32_t count);

/* Frames that the socket had no space for since the last call. */
uint64_t port_lost(const struct port *port);

#endif
