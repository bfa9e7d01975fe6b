/*
 * The free ports of a NAT's public addresses, of UDP and TCP apart: bitmaps (rte_bitmap) that are searched onwards from
 * where the last port was found, so that a port given back rests while others are free. In DPDK's shared memory.
 */
#ifndef SEXTANT_PORT_POOL_H
#define SEXTANT_PORT_POOL_H

#include "base/config.h"

#define POOL_ADDRESSES_MAX 256U

struct port_pool;

/* All addresses of the prefix, with the ports from `first` to `last`. NULL when there is no memory. */
struct port_pool *port_pool_open(const struct prefix *addresses, uint16_t first, uint16_t last);
void port_pool_close(struct port_pool *pool);

/*
 * Takes a port of protocol (IPPROTO_UDP or _TCP) that no other flow has. All flows of an inside address get the same
 * public address while that has ports (RFC 4787, REQ-2): `inside` says which. False when every port is taken.
 */
bool port_pool_allocate(struct port_pool *pool, uint8_t protocol, uint32_t inside, uint32_t *address, uint16_t *port);
void port_pool_release(struct port_pool *pool, uint8_t protocol, uint32_t address, uint16_t port);

#endif
