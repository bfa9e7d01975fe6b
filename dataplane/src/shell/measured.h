/*
 * Finds the tenant's packet in a frame that carries its own measurements (docs/contracts/srv6.md). The frame may be anything: nothing
 * is read beyond it.
 */
#ifndef SEXTANT_MEASURED_H
#define SEXTANT_MEASURED_H

#include <stdint.h>

enum measured_read {
	MEASURED_READ,
	MEASURED_FOREIGN,  /* no IPv6 with a routing header: neighbour discovery, for example */
	MEASURED_MALFORMED /* cut short, other headers than the contract's, or the packet inside is not whole */
};

struct measured {
	uint32_t outer_bytes; /* from the frame's begin to the tenant's packet */
	uint32_t inner_bytes; /* of the tenant's packet by its own header: its frame may be longer */
	uint16_t inner_type;  /* its EtherType, in network order */
};

/* `out` is filled where the answer is MEASURED_READ. */
enum measured_read measured_read(const uint8_t *frame, uint32_t length, struct measured *out);

/* Bytes of the IPv4 or IPv6 packet that begins there, at most `room`; 0: none, or one that is longer. */
uint32_t measured_inner_bytes(const uint8_t *packet, uint32_t room);

/* How long ago, in ns and modulo 2^32, the frame was given to the NF that has it now; 0 where it bears no such time. `frame` was read. */
uint32_t measured_age_ns(const uint8_t *frame, uint64_t now_ns);

/* Writes how many bytes follow the outer IPv6 header, now that the tenant's packet has so many. */
void measured_set_inner_bytes(uint8_t *frame, const struct measured *measured, uint32_t inner_bytes);

#endif
