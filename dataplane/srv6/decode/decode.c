#include "decode/decode.h"

#include <string.h>

static uint16_t u16_at(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t u32_at(const uint8_t *at)
{
	return (uint32_t)u16_at(at) << 16 | u16_at(at + 2);
}

static const char *read_ipv6(const uint8_t *bytes, size_t size, struct srv6_headers *headers)
{
	if (size < SRV6_AT_ENTRIES)
		return "shorter than an IPv6 header and a segment routing header";
	if (bytes[0] >> 4 != 6)
		return "not IPv6";
	if (bytes[SRV6_AT_NEXT_HEADER] != SRV6_NEXT_ROUTING)
		return "no routing header";
	headers->flow_label = u32_at(bytes) & 0xfffff;
	headers->payload_bytes = u16_at(bytes + 4);
	headers->hop_limit = bytes[SRV6_AT_HOP_LIMIT];
	memcpy(&headers->source, bytes + SRV6_AT_SOURCE, sizeof(headers->source));
	memcpy(&headers->destination, bytes + SRV6_AT_DESTINATION, sizeof(headers->destination));
	return NULL;
}

static const char *read_srh(const uint8_t *srh, struct srv6_headers *headers)
{
	headers->inner_header = srh[0];
	if (srh[2] != SRV6_ROUTING_TYPE)
		return "not a segment routing header";
	headers->left = srh[3];
	headers->count = (uint8_t)(srh[4] + 1);
	if (headers->count == 0 || headers->count > SRV6_SEGMENTS_MAX)
		return "more segments than 8";
	if (srh[1] != 2 * headers->count + 1)
		return "its length does not fit its number of segments";
	if (headers->left >= headers->count)
		return "more segments left than there are";
	if (srh[5] != SRV6_FLAG_INT)
		return "not flagged as measured";
	headers->tag = u16_at(srh + 6);
	if (headers->inner_header != SRV6_NEXT_IPV4 && headers->inner_header != SRV6_NEXT_IPV6)
		return "neither IPv4 nor IPv6 inside";
	return NULL;
}

static void read_entry(const uint8_t *at, struct srv6_entry *entry, int is_used)
{
	memset(entry, 0, sizeof(*entry));
	entry->is_used = is_used;
	if (!is_used) {
		memcpy(&entry->sid, at, sizeof(entry->sid));
		return;
	}
	entry->metadata.device = u16_at(at);
	entry->metadata.queue = at[2] >> 4;
	entry->metadata.queue_length = u16_at(at + 2) & 0xfff;
	entry->metadata.in_time_us = u32_at(at + 4);
	entry->metadata.latency_ns = u32_at(at + 8);
	entry->metadata.counter = u32_at(at + 12);
}

const char *srv6_decode(const uint8_t *bytes, size_t size, struct srv6_headers *headers)
{
	const char *why = read_ipv6(bytes, size, headers);
	const uint8_t *tlv;

	why = why != NULL ? why : read_srh(bytes + SRV6_AT_SRH, headers);
	if (why != NULL)
		return why;
	headers->bytes = SRV6_BYTES((size_t)headers->count);
	if (size < headers->bytes || headers->payload_bytes < headers->bytes - SRV6_AT_SRH)
		return "ends within its headers";
	for (uint8_t i = 0; i < headers->count; i++)
		read_entry(bytes + SRV6_AT_ENTRY(i), &headers->entries[i], i > headers->left);
	if (memcmp(&headers->entries[headers->left].sid, &headers->destination, sizeof(headers->destination)) != 0)
		return "its destination is not its current segment";
	tlv = bytes + SRV6_AT_TLV(headers->count);
	if (tlv[0] != SRV6_TLV_TYPE || tlv[1] != SRV6_TLV_LENGTH)
		return "no MapInfo";
	headers->map_info = u16_at(tlv + 2);
	headers->detection_ns = u32_at(tlv + 4);
	return NULL;
}
