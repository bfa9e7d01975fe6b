/* Reads the headers of a measured packet, from anywhere: nothing of them is believed before it was looked at. */
#ifndef SEXTANT_SRV6_DECODE_H
#define SEXTANT_SRV6_DECODE_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

struct srv6_metadata {
	uint16_t device;
	uint8_t queue;
	uint16_t queue_length;
	uint32_t in_time_us; /* CLOCK_TAI, its low 32 bits */
	uint32_t latency_ns;
	uint32_t counter;
};

/* A segment that is still to be visited (or is now), or what was measured where it was. */
struct srv6_entry {
	int is_used;
	struct in6_addr sid;
	struct srv6_metadata metadata;
};

struct srv6_headers {
	struct in6_addr source, destination;
	uint32_t flow_label;
	uint8_t hop_limit, inner_header;
	uint16_t payload_bytes, tag, map_info;
	uint8_t left, count;
	struct srv6_entry entries[SRV6_SEGMENTS_MAX]; /* as they lie in the packet: the path's last first */
	uint32_t detection_ns;
	size_t bytes; /* of the headers: the inner packet begins here */
};

/* `bytes` begin at the outer IPv6 header; what follows the headers is not looked at. Returns NULL, or in a few words why they are
 * no such headers (`headers` is undefined then). */
const char *srv6_decode(const uint8_t *bytes, size_t size, struct srv6_headers *headers);

#endif
