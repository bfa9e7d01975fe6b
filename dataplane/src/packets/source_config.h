/* What a chain's source sends: rate and arrivals, sizes, flows, payload and the match that every packet satisfies. */
#ifndef SEXTANT_SOURCE_CONFIG_H
#define SEXTANT_SOURCE_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/prefix6.h"
#include "packets/arrivals.h"
#include "packets/flow_pick.h"
#include "packets/lane.h"
#include "packets/payload.h"
#include "packets/replay.h"
#include "packets/sizes.h"

#define FLOWS_MAX 1000000
#define ON_OFF_MS_MAX 60000.0
#define TRACE_STEP_S_MAX 3600.0
#define TRACE_FACTOR_MAX 1000.0
#define ZIPF_EXPONENT_MAX 4.0

struct source_config {
	double packets_per_second; /* the mean, however they arrive; 0: nothing is sent */
	uint32_t packet_bytes;     /* the one size where `size_count` is 0 */
	uint32_t flows;
	bool ipv6;
	struct prefix6 src6, dst6; /* where `ipv6`: the whole prefixes */
	struct prefix src, dst;    /* where `ipv6`: their last 32 bits, which are those that vary */
	uint16_t dst_port; /* 0: the source varies it */
	uint8_t protocol;  /* IPPROTO_UDP or IPPROTO_TCP */
	enum flow_distribution flow_distribution;
	double zipf_exponent;
	struct lane lane; /* which of the flows it sends */
	uint64_t seed;
	uint32_t size_count;
	struct size_share sizes[SIZES_MAX];
	struct arrivals_config arrivals;
	struct payload_config payload;
	const struct replay *replay; /* NULL, or what is sent instead of packets of its own (to be freed by replay_free) */
};

#endif
