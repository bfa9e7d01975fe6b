/* The source of a chain, in the traffic process. */
#ifndef SEXTANT_TRAFFIC_SOURCE_H
#define SEXTANT_TRAFFIC_SOURCE_H

#include "traffic/traffic_state.h"

/* Takes up what the control process asks for. */
void source_control(struct traffic *traffic, struct flow_state *chain, uint32_t state);

/* Sends what is due. */
void source_poll(struct traffic *traffic, struct flow_state *chain);

#endif
