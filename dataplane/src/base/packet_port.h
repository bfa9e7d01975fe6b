/*
 * An AF_PACKET socket that this process inherits, bound to an interface at which it gets frames and gives some back. Nothing here takes
 * a privilege.
 */
#ifndef SEXTANT_PACKET_PORT_H
#define SEXTANT_PACKET_PORT_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"

struct packet_port {
	int fd;
	uint32_t mtu; /* of the interface: a frame has 14 bytes more */
};

/* Checks what was inherited. -1 with `err` filled. */
int packet_port_open(struct packet_port *port, int fd, struct error *err);

/* How many frames it took into `messages`; sleeps until there is one. 0: nothing after all, try again. */
uint32_t packet_port_receive(const struct packet_port *port, struct mmsghdr *messages, uint32_t count);

/* How many of them it sent; the rest it could not. Waits for space. */
uint32_t packet_port_send(const struct packet_port *port, struct mmsghdr *messages, uint32_t count);

/* Frames that the socket had no space for since the last call. */
uint64_t packet_port_lost(const struct packet_port *port);

#endif
