/* How long a change of a running chain kept packets from its sink. */
#ifndef SEXTANT_INTERRUPTION_H
#define SEXTANT_INTERRUPTION_H

#include "chains/runner.h"

/* Before the change. */
void interruption_begin(struct chain *chain);

/*
 * After it: waits, for at most 250 ms, until packets have passed `nf` and arrived, and answers the longest time between
 * two arrivals since interruption_begin, in us; -1 when nothing arrived by which it could be told.
 */
int64_t interruption_end(struct runner *runner, struct chain *chain, const struct nf *nf);

/* The longest time between two arrivals in this round of `query`, the one that still lasts included, in us. */
uint32_t longest_gap_us(struct runner *runner, struct chain *chain);

#endif
