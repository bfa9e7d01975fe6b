/* Waiting, with a time limit, until the traffic process has applied a change, or until a chain's rings are empty. */
#ifndef SEXTANT_TRAFFIC_SYNC_H
#define SEXTANT_TRAFFIC_SYNC_H

#include "chains/runner.h"

/* -1 with `err` filled: it has not applied it within 5 s. */
int traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err);
int traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err);
int traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err);
/* Waits until the rings of a draining chain are empty, for at most a second. */
void chain_wait_drained(struct runner *runner, const struct chain *chain);

#endif
