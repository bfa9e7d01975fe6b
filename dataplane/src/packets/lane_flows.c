#include "packets/lane_flows.h"

#define DRAWS 32U

static bool is_own(const struct source_config *config, struct flow flow)
{
	return lane_has(&config->lane, flow.src, flow.dst, flow.src_port, flow.dst_port);
}

bool lane_has_flows(const struct source_config *config)
{
	uint32_t flow = 0;

	while (flow < config->flows && !is_own(config, flow_at(config, flow)))
		flow++;
	return flow < config->flows;
}

/*
 * Drawn again until it is an own one, so own flows keep their proportions. Who has few of the flows draws no more than
 * DRAWS times, for the traffic process serves other chains too: then it is the next own flow behind the last one drawn. Round-robin
 * passes each flow once.
 */
uint32_t lane_next_numbered_flow(const struct source_config *config, struct flow_pick *pick, struct flow *flow)
{
	uint32_t most = pick->distribution == FLOWS_ROUND_ROBIN ? config->flows : DRAWS, index = 0;

	if (!config->lane.divides) {
		index = flow_pick_next(pick);
		*flow = flow_at(config, index);
		return index;
	}
	for (uint32_t drawn = 0; drawn < most; drawn++) {
		index = flow_pick_next(pick);
		*flow = flow_at(config, index);
		if (is_own(config, *flow))
			return index;
	}
	for (uint32_t passed = 1; passed < config->flows; passed++) {
		index = index + 1 == config->flows ? 0 : index + 1;
		*flow = flow_at(config, index);
		if (is_own(config, *flow))
			break;
	}
	return index;
}

struct flow lane_next_flow(const struct source_config *config, struct flow_pick *pick)
{
	struct flow flow;

	(void)lane_next_numbered_flow(config, pick, &flow);
	return flow;
}
