/* The packets of a source one after the other, whoever sends them and when: what they hold follows from the
 * configuration alone. */
#ifndef SEXTANT_PACKET_SOURCE_H
#define SEXTANT_PACKET_SOURCE_H

#include "packets/frame.h"

struct packet_source {
	struct source_config config;
	struct flow_pick flows;
	struct size_pick sizes;
	struct payload payload;
	uint32_t replayed;                       /* the next packet of a capture */
	uint64_t unmatched, malformed;           /* frames of the capture so far that were left out */
	struct frame_template frames[SIZES_MAX]; /* one a size */
};

/* From the first packet on. payload_pool_fill must have been called. */
void packet_source_start(struct packet_source *source, const struct source_config *config);

/* Writes the next packet into `out`, where PACKET_BYTES_MAX fit; returns its length. */
uint32_t packet_source_write(struct packet_source *source, uint64_t sequence, uint8_t *out);

#endif
