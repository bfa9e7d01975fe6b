/* The packets of a source, each with a stamp (stamp.h) at the begin of its payload. */
#ifndef SEXTANT_STAMPED_SOURCE_H
#define SEXTANT_STAMPED_SOURCE_H

#include "packets/packet_source.h"
#include "source/stamp.h"

struct stamped_source {
	struct packet_source packets;
	uint32_t *sequences; /* the next of each flow */
	uint16_t stream;
};

/* A source as in docs/contracts/runner.md, without `pcap`: captures have no room for stamps. -1 with the field named in `err`. */
int stamped_config_read(const json_t *source, struct source_config *config, struct error *err);

/* From the first packet of each flow on. NULL when there is no memory. payload_pool_fill must have been called. */
struct stamped_source *stamped_source_make(const struct source_config *config, uint16_t stream);
void stamped_source_free(struct stamped_source *source);

/* Writes the next packet into `out`, where PACKET_BYTES_MAX fit; returns its length. */
uint32_t stamped_source_write(struct stamped_source *source, uint64_t at_ns, uint8_t *out);

#endif
