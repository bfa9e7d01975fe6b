/*
 * Reading the headers of an IPv6 packet that may be anything (RFC 8200). Nothing is read beyond the frame, and no more
 * extension headers than the bound: a packet costs at most so many steps, whoever made it.
 */
#ifndef SEXTANT_IPV6_PACKET_H
#define SEXTANT_IPV6_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define IPV6_HEADER_BYTES 40U
#define IPV6_EXTENSIONS_MAX 8U
#define IPV6_SOURCE_AT 8U /* from the header's begin */
#define IPV6_DESTINATION_AT 24U
#define IPV6_HOP_LIMIT_AT 7U

enum ipv6_read {
	IPV6_READ,
	IPV6_ABSENT,   /* another EtherType */
	IPV6_MALFORMED /* cut short, longer than its frame, a jumbogram, or headers that are wrong or too many */
};

struct ipv6_packet {
	uint32_t at;       /* of the header, from the frame's begin */
	uint32_t bytes;    /* of the packet with its header: its frame may be longer (padding) */
	uint8_t protocol;  /* of what follows the extension headers */
	uint32_t l4_at;    /* where that begins, from the frame's begin */
	uint32_t l4_bytes; /* header of UDP or TCP; 0: neither, or a fragment */
	bool fragment;     /* of a packet that is in more than one: its ports, and maybe its protocol, are not to be seen */
};

/* `out` is filled where the answer is IPV6_READ. */
enum ipv6_read ipv6_packet_read(const uint8_t *frame, uint32_t length, struct ipv6_packet *out);

/* The destination port of a packet whose `l4_bytes` are not 0. */
uint16_t ipv6_destination_port(const uint8_t *frame, const struct ipv6_packet *packet);

#endif
