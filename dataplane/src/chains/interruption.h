/* How long a change of a running chain interrupted the packets at its sink. */
#ifndef SEXTANT_INTERRUPTION_H
#define SEXTANT_INTERRUPTION_H

#include "chains/runner.h"

/* Before the change. */
void interruption_begin(struct chain *chain);

/*
 * After it: waits, for at most 250 ms, until packets have passed `nf` and arrived, and returns the longest time between
 * two arrivals since interruption_begin, in us; -1 when too little arrived to measure it.
 */
int64_t interruption_end(struct runner *runner, struct chain *chain, const struct nf *nf);

/* The longest time between two arrivals in this round of `query`, including the present gap, in us. */
uint32_t longest_gap_us(struct runner *runner, struct chain *chain);

#endif
