/* What a chain's source sends: rate, size, flows, and the match that every packet satisfies. */
#ifndef SEXTANT_SOURCE_CONFIG_H
#define SEXTANT_SOURCE_CONFIG_H

#include <jansson.h>
#include <stdint.h>

#include "config.h"

#define PACKET_BYTES_MIN 64
#define PACKET_BYTES_MAX 1518
#define FLOWS_MAX 1000000
#define RATE_MPPS_MAX 148.8 /* 100 GbE of 64-byte packets */

struct source_config {
	double packets_per_second;
	uint32_t packet_bytes;
	uint32_t flows;
	struct prefix src, dst;
	uint16_t dst_port; /* 0: the source varies it */
	uint8_t protocol;  /* IPPROTO_UDP or IPPROTO_TCP */
};

/* Reads `source`; returns -1 with the field named in `err`. */
int source_config_read(const json_t *source, struct source_config *config, struct error *err);

#endif
