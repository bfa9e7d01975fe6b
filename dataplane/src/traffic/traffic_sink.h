/* The sink of a chain, in the traffic process. */
#ifndef SEXTANT_TRAFFIC_SINK_H
#define SEXTANT_TRAFFIC_SINK_H

#include "traffic/traffic_state.h"

/* Counts and frees packets that have arrived; true: there may be more. */
bool traffic_sink_poll(struct traffic *traffic, struct traffic_chain *chain);

/* Frees packets that NFs have filtered. */
void traffic_sink_reclaim(struct traffic *traffic, struct traffic_chain *chain);

/* Empties the rings of a chain whose NFs have ended. */
void traffic_sink_flush(struct traffic *traffic, struct traffic_chain *chain);

#endif
