/*
 * One NF in a closed loop: a burst of frames is written into packets that are used in turn, the NF works on it, and its
 * cycles are counted. There is no ring and no other process in the way. Frames are written anew every time, because
 * NFs change them; the writing is outside the counted cycles and inside the throughput.
 */
#ifndef SEXTANT_MEASURE_LOAD_H
#define SEXTANT_MEASURE_LOAD_H

#include <jansson.h>

#include "measure/pace.h"
#include "nf/nf.h"
#include "packets/packet_source.h"

#define LOADS_MAX 16U
#define LOAD_PACKETS 512U /* as many as a NIC's ring holds: they stay in the second-level cache */

struct load {
	const struct nf_type *type;
	const json_t *config; /* of the request, which outlives the load */
	struct source_config traffic; /* as asked for */
	struct packet_source source;
	struct pace pace; /* of a competitor with a rate */
	int core;
	char at[32]; /* where it stands in the request: `nf`, `others.0` */
	bool may_have_rate; /* competitors, solo ones too: an NF that is asked about takes what it can */
	void *state;
	bool primitive; /* measure the library's own work, on tables that the NF's has filled */
	uint32_t (*work)(void *state, struct rte_mbuf **packets, uint32_t count);
	struct rte_mbuf *packets[LOAD_PACKETS];
	uint32_t next_packet;
	uint64_t sequence;
};

/* Reads `{"type", "config", "source", "core"}`; -1 with the field named. */
int load_read(const json_t *object, struct load *load, struct error *err);

/* Builds the NF's tables and takes the packets, before any fork. `number` is unique. */
int load_open(struct load *load, struct rte_mempool *pool, uint32_t number, struct error *err);

/* Writes BURST frames and does nothing with them: what a burst costs without the NF. */
void load_build(struct load *load);

/* From now on bursts are worked on as asked for; before, by the NF. */
void load_warm(struct load *load);

/* Writes BURST frames and gives them to the NF; returns the cycles inside the NF. */
uint64_t load_burst(struct load *load);

#endif
