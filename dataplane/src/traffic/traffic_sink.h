/* The sink of a chain, in the traffic process. */
#ifndef SEXTANT_TRAFFIC_SINK_H
#define SEXTANT_TRAFFIC_SINK_H

#include "traffic/traffic_state.h"

/* Takes what has arrived and frees it; true: there may be more. */
bool sink_poll(struct traffic *traffic, struct flow_state *chain);

/* Takes back filtered packets. */
void sink_take_back(struct traffic *traffic, struct flow_state *chain);

/* Empties the rings of a chain whose NFs are gone. */
void sink_flush(struct traffic *traffic, struct flow_state *chain);

#endif
