/*
 * Frames of a source: Ethernet, IPv4 and UDP or TCP with valid checksums, over distinct 5-tuples inside the match.
 * The payload starts with the packet's sequence number in its chain (8 bytes, network order) and is zero after it.
 */
#ifndef SEXTANT_FRAME_H
#define SEXTANT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "source_config.h"

#define FRAME_ETHER_BYTES 14
#define FRAME_IP_BYTES 20

struct flow {
	uint32_t src, dst; /* host byte order */
	uint16_t src_port, dst_port;
};

/* All that the packets of one source have in common, and the sums over it. */
struct frame_template {
	uint8_t bytes[PACKET_BYTES_MAX];
	uint32_t length;
	uint32_t payload_at;  /* offset of the sequence number */
	uint32_t checksum_at; /* offset of the UDP or TCP checksum */
	uint64_t ip_sum;      /* one's complement sums of the constant 16-bit words */
	uint64_t l4_sum;
};

/* How many distinct 5-tuples the match allows. */
uint64_t flow_capacity(const struct source_config *config);

/* The 5-tuple number `index` (below flow_capacity): another index is another tuple. */
struct flow flow_at(const struct source_config *config, uint32_t index);

void frame_template_make(struct frame_template *frame, const struct source_config *config);

/* Writes `frame->length` bytes: the packet with that 5-tuple and sequence number. */
void frame_write(const struct frame_template *frame, struct flow flow, uint64_t sequence, uint8_t *out);

/* Reads the sequence number of a frame; false when it is no frame of a source or its IPv4 checksum is wrong. */
bool frame_read(const uint8_t *bytes, uint32_t length, bool verify, uint64_t *sequence);

#endif
