/* What the traffic process knows beside the shared memory: of every chain where its source and sink stand. */
#ifndef SEXTANT_TRAFFIC_STATE_H
#define SEXTANT_TRAFFIC_STATE_H

#include "packets/packet_source.h"
#include "shared/memory.h"
#include "shared/shared.h"
#include "traffic/pacing.h"

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

#endif
