/*
 * Frames of a source: Ethernet, IPv4 or IPv6, and UDP or TCP, with valid checksums, over distinct 5-tuples inside the
 * match. What the sink must know about a packet travels beside it (memory.h), so that an NF may change or encrypt all of it.
 */
#ifndef SEXTANT_FRAME_H
#define SEXTANT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "packets/source_config.h"

#define FRAME_ETHER_BYTES 14
#define FRAME_IP_BYTES 20
#define FRAME_IPV6_BYTES 40

struct flow {
	uint32_t src, dst; /* host byte order; of IPv6 addresses the last 32 bits */
	uint16_t src_port, dst_port;
};

/* All that the packets of one source have in common, and the sums over it. */
struct frame_template {
	uint8_t bytes[PACKET_BYTES_MAX];
	uint32_t length;
	uint32_t payload_at;
	uint32_t checksum_at; /* offset of the UDP or TCP checksum */
	uint32_t src_at;      /* offset of the 32 bits of the source address that vary */
	uint32_t dst_at;
	uint32_t l4_at;
	bool ipv6;
	uint64_t ip_sum;      /* one's complement sums of the constant 16-bit words */
	uint64_t l4_sum;
};

/* Bytes before the payload; no packet of the source may be shorter. */
uint32_t frame_header_bytes(const struct source_config *config);

/* How many distinct 5-tuples the match allows. */
uint64_t flow_capacity(const struct source_config *config);

/* The 5-tuple number `index` (below flow_capacity): another index is another tuple. */
struct flow flow_at(const struct source_config *config, uint32_t index);

void frame_template_make(struct frame_template *frame, const struct source_config *config);

/* Writes the packet with that 5-tuple, its payload the sequence number (the last 8 bytes that fit, network order) and zeros. */
void frame_write(const struct frame_template *frame, struct flow flow, uint64_t sequence, uint8_t *out);

/* Writes its headers only, around a payload whose 16-bit words have that sum. */
void frame_write_headers(const struct frame_template *frame, struct flow flow, uint64_t payload_sum, uint8_t *out);

/*
 * Whether it is a whole IPv4 or IPv6 packet with the right checksums, as far as can be seen: that of IPv4's header, and
 * that of UDP or TCP if the packet carries one of them unfragmented. In IPv6 UDP has a checksum always.
 */
bool frame_is_sound(const uint8_t *bytes, uint32_t length);

#endif
