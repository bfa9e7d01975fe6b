#include "source/stamp.h"

#include <endian.h>
#include <netinet/in.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "packets/checksum.h"
#include "packets/frame.h"

#define MAGIC 0x5358U
#define UDP_BYTES 8U
#define TCP_BYTES 20U

struct on_wire {
	uint16_t magic, stream;
	uint32_t flow, sequence;
	uint64_t at_ns;
} __attribute__((packed));

_Static_assert(sizeof(struct on_wire) == STAMP_BYTES, "the stamp is as long as the contract says");

uint64_t stamp_write(const struct stamp *stamp, uint8_t *out)
{
	struct on_wire wire = {.magic = htobe16(MAGIC), .stream = htobe16(stamp->stream), .flow = htobe32(stamp->flow),
		.sequence = htobe32(stamp->sequence), .at_ns = htobe64(stamp->at_ns)};

	memcpy(out, &wire, sizeof(wire));
	return checksum_sum(out, sizeof(wire));
}

/* Bytes before the payload of a UDP or TCP packet whose transport header begins at `l4_at`; 0: neither, or cut short. */
static uint32_t payload_at(const uint8_t *frame, uint32_t end, uint8_t protocol, uint32_t l4_at)
{
	uint32_t room = end - l4_at, bytes = UDP_BYTES;

	if (protocol == IPPROTO_TCP && room >= TCP_BYTES)
		bytes = (frame[l4_at + 12] >> 4) * 4U;
	else if (protocol != IPPROTO_UDP)
		return 0;
	return bytes <= room ? l4_at + bytes : 0;
}

static uint32_t payload_of_ipv6(const uint8_t *frame, uint32_t length, uint32_t *end)
{
	struct ipv6_packet packet;

	if (ipv6_packet_read(frame, length, &packet) != IPV6_READ || packet.l4_bytes == 0)
		return 0;
	*end = packet.at + packet.bytes;
	return packet.l4_at + packet.l4_bytes;
}

static uint32_t payload_of_ipv4(const uint8_t *frame, uint32_t length, uint32_t *end)
{
	const uint8_t *ip = frame + FRAME_ETHER_BYTES;
	uint32_t header, bytes;

	if (length < FRAME_ETHER_BYTES + FRAME_IP_BYTES || frame[12] != 0x08 || frame[13] != 0x00 || ip[0] >> 4 != 4)
		return 0;
	header = (ip[0] & 0xf) * 4U;
	bytes = (uint32_t)(ip[2] << 8 | ip[3]);
	if (header < FRAME_IP_BYTES || bytes < header || bytes > length - FRAME_ETHER_BYTES || (ip[6] & 0x3f) != 0 || ip[7] != 0)
		return 0;
	*end = FRAME_ETHER_BYTES + bytes;
	return payload_at(frame, *end, ip[9], FRAME_ETHER_BYTES + header);
}

bool stamp_read(const uint8_t *frame, uint32_t length, struct stamp *stamp)
{
	bool ipv6 = length >= FRAME_ETHER_BYTES && frame[12] == 0x86 && frame[13] == 0xdd;
	uint32_t end = 0, at = ipv6 ? payload_of_ipv6(frame, length, &end) : payload_of_ipv4(frame, length, &end);
	struct on_wire wire;

	if (at == 0 || end - at < sizeof(wire))
		return false;
	memcpy(&wire, frame + at, sizeof(wire));
	*stamp = (struct stamp){.stream = be16toh(wire.stream), .flow = be32toh(wire.flow), .sequence = be32toh(wire.sequence),
		.at_ns = be64toh(wire.at_ns)};
	return wire.magic == htobe16(MAGIC) && stamp->flow < FLOWS_MAX;
}
