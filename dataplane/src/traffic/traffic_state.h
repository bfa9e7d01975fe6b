/* The traffic process's private state: of every chain how far its source and sink have come. */
#ifndef SEXTANT_TRAFFIC_STATE_H
#define SEXTANT_TRAFFIC_STATE_H

#include "packets/packet_source.h"
#include "shared/memory.h"
#include "shared/shared.h"
#include "traffic/pacing.h"

/* Of one chain, beside its slot in shared memory. */
struct traffic_chain {
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
	struct traffic_chain chains[CHAINS_MAX];
};

static inline bool traffic_source_is_paused(const struct traffic_chain *chain)
{
	return atomic_load_explicit(&chain->slot->applied_paused, memory_order_relaxed) != 0;
}

#endif
