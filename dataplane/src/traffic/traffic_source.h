/* The source of a chain, in the traffic process. */
#ifndef SEXTANT_TRAFFIC_SOURCE_H
#define SEXTANT_TRAFFIC_SOURCE_H

#include "traffic/traffic_state.h"

/* Applies what the control process requests: another source, a pause, the chain's end. */
void traffic_source_update(struct traffic *traffic, struct traffic_chain *chain, uint32_t state);

/* Sends what is due. */
void traffic_source_poll(struct traffic *traffic, struct traffic_chain *chain);

#endif
