/* What a burst costs, where the process can be pre-empted in the middle of it. */
#ifndef SEXTANT_BURST_COST_H
#define SEXTANT_BURST_COST_H

#include "nf/nf.h"

#define COST_OUTLIER 4U      /* a burst that costs this many times the usual was pre-empted */
#define COST_OUTLIERS_MAX 8U /* after so many in a row the cost is the new usual */

/* The usual cost of one NF, to recognise bursts that were pre-empted. */
struct cost {
	uint64_t usual; /* cycles a packet, times 16 */
	uint32_t outliers;
};

/*
 * Cycles of a burst for the `cycles` counter. On a shared core a burst can be pre-empted in the middle, and the clock
 * runs on; such a burst is counted at the usual cost.
 */
static inline uint64_t without_preemption(struct cost *cost, uint64_t cycles, uint32_t packets)
{
	uint64_t each;

	if (cost->usual != 0 && cycles * 16 > COST_OUTLIER * cost->usual * packets && ++cost->outliers <= COST_OUTLIERS_MAX)
		return cost->usual * packets / 16;
	each = packets == BURST ? cycles * 16 / BURST : cycles * 16 / packets; /* the first is a shift */
	cost->outliers = 0;
	cost->usual = cost->usual == 0 ? each : (cost->usual * 15 + each) / 16;
	return cycles;
}

#endif
