#include "shell/measured.h"

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <srv6/layout.h>
#include <string.h>

#include "base/ipv6_packet.h"

#define AT_TYPE 12U
#define AT_OUTER ((uint32_t)sizeof(struct rte_ether_hdr))
#define AT_PAYLOAD_BYTES 4U
#define AT_IPV4_BYTES 2U
#define IPV4_BYTES_MIN 20U

static uint32_t u16_at(const uint8_t *at)
{
	return (uint32_t)(at[0] << 8 | at[1]);
}

uint32_t measured_inner_bytes(const uint8_t *packet, uint32_t room)
{
	uint32_t bytes = 0;

	if (room >= IPV4_BYTES_MIN && packet[0] >> 4 == 4 && (packet[0] & 0xf) * 4U >= IPV4_BYTES_MIN) {
		bytes = u16_at(packet + AT_IPV4_BYTES);
		bytes = bytes < (packet[0] & 0xf) * 4U ? 0 : bytes;
	} else if (room >= IPV6_HEADER_BYTES && packet[0] >> 4 == 6) {
		bytes = IPV6_HEADER_BYTES + u16_at(packet + AT_PAYLOAD_BYTES);
	}
	return bytes <= room ? bytes : 0;
}

/* Bytes of the outer headers from the IPv6 header on; 0: they are not those of the contract. */
static uint32_t headers_bytes(const uint8_t *outer, uint32_t room)
{
	const uint8_t *srh = outer + SRV6_AT_SRH;
	uint32_t count, bytes;

	if (room < SRV6_AT_ENTRIES || srh[2] != SRV6_ROUTING_TYPE || srh[4] >= SRV6_SEGMENTS_MAX)
		return 0;
	count = srh[4] + 1U;
	bytes = SRV6_BYTES(count);
	if (srh[1] != 2 * count + 1 || srh[3] >= count || srh[5] != SRV6_FLAG_INT || room < bytes)
		return 0;
	if (outer[SRV6_AT_TLV(count)] != SRV6_TLV_TYPE || outer[SRV6_AT_TLV(count) + 1] != SRV6_TLV_LENGTH)
		return 0;
	return bytes;
}

enum measured_read measured_read(const uint8_t *frame, uint32_t length, struct measured *out)
{
	const uint8_t *outer = frame + AT_OUTER;
	uint32_t room, headers;
	uint8_t version;

	if (length < AT_OUTER + SRV6_AT_SRH || u16_at(frame + AT_TYPE) != RTE_ETHER_TYPE_IPV6 || outer[0] >> 4 != 6 ||
	    outer[SRV6_AT_NEXT_HEADER] != SRV6_NEXT_ROUTING)
		return MEASURED_FOREIGN;
	room = SRV6_AT_SRH + u16_at(outer + AT_PAYLOAD_BYTES);
	if (room > length - AT_OUTER)
		return MEASURED_MALFORMED;
	headers = headers_bytes(outer, room);
	if (headers == 0)
		return MEASURED_MALFORMED;
	out->outer_bytes = AT_OUTER + headers;
	out->inner_bytes = measured_inner_bytes(outer + headers, room - headers);
	if (out->inner_bytes == 0)
		return MEASURED_MALFORMED;
	version = outer[headers] >> 4;
	if (outer[SRV6_AT_SRH] != (version == 4 ? SRV6_NEXT_IPV4 : SRV6_NEXT_IPV6))
		return MEASURED_MALFORMED;
	out->inner_type = version == 4 ? RTE_BE16(RTE_ETHER_TYPE_IPV4) : RTE_BE16(RTE_ETHER_TYPE_IPV6);
	return MEASURED_READ;
}

uint32_t measured_age_ns(const uint8_t *frame, uint64_t now_ns)
{
	const uint8_t *outer = frame + AT_OUTER, *given;

	if (outer[SRV6_AT_LEFT] >= outer[SRV6_AT_LAST])
		return 0;
	given = outer + SRV6_AT_ENTRY(outer[SRV6_AT_LEFT] + 1U) + SRV6_AT_LATENCY;
	return (uint32_t)now_ns - (u16_at(given) << 16 | u16_at(given + 2));
}

void measured_set_inner_bytes(uint8_t *frame, const struct measured *measured, uint32_t inner_bytes)
{
	uint16_t bytes = rte_cpu_to_be_16((uint16_t)(measured->outer_bytes - AT_OUTER - SRV6_AT_SRH + inner_bytes));

	memcpy(frame + AT_OUTER + AT_PAYLOAD_BYTES, &bytes, sizeof(bytes));
}
