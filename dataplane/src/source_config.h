/* What a chain's source sends: rate and arrivals, sizes, flows, payload and the match that every packet satisfies. */
#ifndef SEXTANT_SOURCE_CONFIG_H
#define SEXTANT_SOURCE_CONFIG_H

#include <jansson.h>
#include <stdint.h>

#include "arrivals.h"
#include "config.h"
#include "flow_pick.h"
#include "payload.h"
#include "replay.h"
#include "sizes.h"

#define PACKET_BYTES_MIN 64
#define PACKET_BYTES_MAX 1518
#define FLOWS_MAX 1000000
#define RATE_MPPS_MAX 148.8 /* 100 GbE of 64-byte packets */
#define ON_OFF_MS_MAX 60000.0
#define TRACE_STEP_S_MAX 3600.0
#define TRACE_FACTOR_MAX 1000.0
#define ZIPF_EXPONENT_MAX 4.0

struct source_config {
	double packets_per_second; /* the mean, however they arrive; 0: nothing is sent */
	uint32_t packet_bytes;     /* the one size where `size_count` is 0 */
	uint32_t flows;
	struct prefix src, dst;
	uint16_t dst_port; /* 0: the source varies it */
	uint8_t protocol;  /* IPPROTO_UDP or IPPROTO_TCP */
	enum flow_distribution flow_distribution;
	double zipf_exponent;
	uint64_t seed;
	uint32_t size_count;
	struct size_share sizes[SIZES_MAX];
	struct arrivals_config arrivals;
	struct payload_config payload;
	const struct replay *replay; /* NULL, or what is sent instead of packets of its own (to be freed by replay_free) */
};

/*
 * Reads `source`; returns -1 with the field named in `err`. Where it names a capture, that is loaded, and the caller
 * owns `config->replay`.
 */
int source_config_read(const json_t *source, struct source_config *config, struct error *err);

/* source_arrivals.c: what `arrivals` says, once the rate and the seed are known. */
int source_arrivals_read(const json_t *source, struct source_config *config, struct error *err);

/* source_packets.c: sizes, distribution of flows, payload; once the match is known. */
int source_packets_read(const json_t *source, struct source_config *config, struct error *err);

#endif
