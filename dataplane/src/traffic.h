/* The traffic process: source and sink of all chains, one thread on the traffic core, and the pool's only user. */
#ifndef SEXTANT_TRAFFIC_H
#define SEXTANT_TRAFFIC_H

#include "memory.h"
#include "pacing.h"
#include "packet_source.h"
#include "shared.h"

/* What the traffic process knows of one chain beside its slot. */
struct flow_state {
	struct chain_slot *slot;
	bool live; /* between CHAIN_ACTIVE and CHAIN_FREE */
	bool sending;
	uint64_t sequence;  /* of the next packet */
	uint64_t expected;  /* the lowest sequence number that may still arrive in order */
	uint32_t in_flight; /* packets of this chain outside the pool */
	struct packet_source source;
	struct pacer pacer;
};

struct traffic {
	struct shared *shared;
	const struct memory *memory;
	uint64_t tsc_hz;
	double ns_per_cycle;
	uint32_t in_flight; /* of all chains */
	struct flow_state chains[CHAINS_MAX];
};

static inline bool source_is_paused(const struct flow_state *chain)
{
	return atomic_load_explicit(&chain->slot->seen_paused, memory_order_relaxed) != 0;
}

/* Never returns; for process_start. The argument is a struct traffic with `shared` and `memory` set. */
void traffic_main(void *argument);

/* traffic_source.c: takes up what the control process asks for; sends what is due. */
void source_control(struct traffic *traffic, struct flow_state *chain, uint32_t state);
void source_poll(struct traffic *traffic, struct flow_state *chain);

/* traffic_sink.c: takes what has arrived and frees it (true: there may be more); takes back filtered packets; empties
 * the rings of a chain whose NFs are gone. */
bool sink_poll(struct traffic *traffic, struct flow_state *chain);
void sink_take_back(struct traffic *traffic, struct flow_state *chain);
void sink_flush(struct traffic *traffic, struct flow_state *chain);

#endif
