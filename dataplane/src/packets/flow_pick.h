/* Which of a source's flows the next packet belongs to. */
#ifndef SEXTANT_FLOW_PICK_H
#define SEXTANT_FLOW_PICK_H

#include <stdint.h>

#include "base/random.h"
#include "packets/zipf.h"

enum flow_distribution { FLOWS_ROUND_ROBIN, FLOWS_UNIFORM, FLOWS_ZIPF };

struct flow_pick {
	enum flow_distribution distribution;
	uint32_t flows;
	uint32_t next;   /* round-robin */
	uint64_t random; /* the others */
	struct zipf zipf;
};

#define FLOW_PICK_STREAM 2U

static inline void flow_pick_start(struct flow_pick *pick, enum flow_distribution distribution, uint32_t flows,
	double exponent, uint64_t seed)
{
	pick->distribution = distribution;
	pick->flows = flows;
	pick->next = 0;
	pick->random = random_start(seed, FLOW_PICK_STREAM);
	if (distribution == FLOWS_ZIPF)
		zipf_make(&pick->zipf, flows, exponent);
}

static inline uint32_t flow_pick_next(struct flow_pick *pick)
{
	uint32_t flow;

	if (pick->distribution == FLOWS_UNIFORM)
		return random_below(&pick->random, pick->flows);
	if (pick->distribution == FLOWS_ZIPF)
		return zipf_next(&pick->zipf, &pick->random);
	flow = pick->next++;
	if (pick->next == pick->flows)
		pick->next = 0;
	return flow;
}

#endif
