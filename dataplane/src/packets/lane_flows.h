/* The flows of a source of which a lane sends its own. */
#ifndef SEXTANT_LANE_FLOWS_H
#define SEXTANT_LANE_FLOWS_H

#include "packets/frame.h"

/* Whether any of the source's flows is the lane's own. */
bool lane_has_flows(const struct source_config *config);

/* The next flow of the lane, where it has any; of a source without lanes the next of all. */
struct flow lane_next_flow(const struct source_config *config, struct flow_pick *pick);

/* The same, with its number among all flows of the source. */
uint32_t lane_next_numbered_flow(const struct source_config *config, struct flow_pick *pick, struct flow *flow);

#endif
