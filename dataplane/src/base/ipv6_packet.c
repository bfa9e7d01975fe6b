#include "base/ipv6_packet.h"

#include <netinet/in.h>

#define ETHER_BYTES 14U
#define ETHER_TYPE_AT 12U
#define PAYLOAD_LENGTH_AT 4U
#define NEXT_HEADER_AT 6U
#define EXTENSION_UNIT 8U /* bytes; every extension header has one at least */
#define UDP_BYTES 8U
#define TCP_BYTES 20U

enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60, MOBILITY = 135, HIP = 139, SHIM6 = 140 };

static uint32_t word_at(const uint8_t *bytes, uint32_t at)
{
	return (uint32_t)bytes[at] << 8 | bytes[at + 1];
}

static bool is_extension(uint8_t header)
{
	switch (header) {
	case HOP_BY_HOP:
	case ROUTING:
	case FRAGMENT:
	case AUTHENTICATION:
	case DESTINATION:
	case MOBILITY:
	case HIP:
	case SHIM6:
		return true;
	default:
		return false;
	}
}

/* By its second byte; that of a fragment header is reserved. */
static uint32_t extension_bytes(uint8_t header, uint8_t length)
{
	if (header == FRAGMENT)
		return EXTENSION_UNIT;
	return header == AUTHENTICATION ? (length + 2U) * 4U : (length + 1U) * EXTENSION_UNIT;
}

/* Past the extension headers; false where one is cut short, stands where it must not, or they are too many. */
static bool skip_extensions(const uint8_t *frame, uint32_t end, struct ipv6_packet *packet)
{
	for (uint32_t count = 0; is_extension(packet->protocol); count++) {
		const uint8_t *header = frame + packet->l4_at;
		uint32_t bytes;

		if (count == IPV6_EXTENSIONS_MAX || end - packet->l4_at < EXTENSION_UNIT)
			return false;
		if (packet->protocol == HOP_BY_HOP && count > 0) /* it comes first or not at all */
			return false;
		bytes = extension_bytes(packet->protocol, header[1]);
		if (bytes > end - packet->l4_at)
			return false;
		if (packet->protocol == FRAGMENT && (word_at(header, 2) & 0xfff9U) != 0) { /* its offset, and 'more fragments' */
			packet->fragment = true;
			packet->protocol = header[0];
			packet->l4_at += bytes;
			return true;
		}
		packet->protocol = header[0];
		packet->l4_at += bytes;
	}
	return true;
}

/* Bytes of the header of UDP or TCP; 0 where it is neither. False where it is cut short or wrong. */
static bool read_l4(const uint8_t *frame, uint32_t end, struct ipv6_packet *packet)
{
	uint32_t room = end - packet->l4_at;

	if (packet->protocol == IPPROTO_UDP) {
		packet->l4_bytes = UDP_BYTES;
		return room >= UDP_BYTES && word_at(frame, packet->l4_at + 4) >= UDP_BYTES && word_at(frame, packet->l4_at + 4) <= room;
	}
	if (packet->protocol != IPPROTO_TCP)
		return true;
	if (room < TCP_BYTES)
		return false;
	packet->l4_bytes = (frame[packet->l4_at + 12] >> 4) * 4U;
	return packet->l4_bytes >= TCP_BYTES && packet->l4_bytes <= room;
}

enum ipv6_read ipv6_packet_read(const uint8_t *frame, uint32_t length, struct ipv6_packet *out)
{
	const uint8_t *header = frame + ETHER_BYTES;
	uint32_t payload, end;

	if (length < ETHER_BYTES || word_at(frame, ETHER_TYPE_AT) != 0x86dd)
		return IPV6_ABSENT;
	if (length < ETHER_BYTES + IPV6_HEADER_BYTES || header[0] >> 4 != 6)
		return IPV6_MALFORMED;
	payload = word_at(header, PAYLOAD_LENGTH_AT);
	end = ETHER_BYTES + IPV6_HEADER_BYTES + payload;
	*out = (struct ipv6_packet){.at = ETHER_BYTES, .bytes = IPV6_HEADER_BYTES + payload,
		.protocol = header[NEXT_HEADER_AT], .l4_at = ETHER_BYTES + IPV6_HEADER_BYTES};
	if (end > length) /* a jumbogram says 0 here, and its length in an option that then has no room */
		return IPV6_MALFORMED;
	if (!skip_extensions(frame, end, out) || (!out->fragment && !read_l4(frame, end, out)))
		return IPV6_MALFORMED;
	return IPV6_READ;
}

uint16_t ipv6_destination_port(const uint8_t *frame, const struct ipv6_packet *packet)
{
	return (uint16_t)word_at(frame, packet->l4_at + 2);
}
