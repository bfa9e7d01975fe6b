/* What a burst costs, where the process can be pre-empted in the middle of it. */
#ifndef SEXTANT_BURST_COST_H
#define SEXTANT_BURST_COST_H

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <stdbool.h>
#include <time.h>

#include "nf/nf.h"

#define COST_OUTLIER 4U      /* a burst that costs this many times the usual was pre-empted */
#define COST_OUTLIERS_MAX 8U /* after so many in a row the cost is the new usual */
#define LONG_BURST 10000U    /* parts of a second: 100 us, of which reading the CPU clock three times is little */
#define AWAY 100000U         /* parts of a second: 10 us, which no reading of two clocks takes */

/* The usual cost of one NF. */
struct cost {
	uint64_t usual; /* cycles a packet, times 16 */
	uint32_t outliers;
};

/*
 * How a burst is timed. The time-stamp counter costs next to nothing, and runs on while others have the core. A short burst that
 * was pre-empted reads many times the usual; a long one may not, and is likely to be: so the thread's CPU clock, which is a
 * system call, is read as well, and tells for how long it was away.
 */
struct burst_clock {
	uint64_t tsc_hz; /* 0: not known, and no CPU clock is read */
	bool cpu;        /* this burst is timed by it, too */
	uint64_t began, part_began; /* by the CPU clock, in cycles: the burst, and the part of it that goes on */
};

static inline uint64_t burst_cpu_cycles(const struct burst_clock *clock)
{
	struct timespec used;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
		return 0;
	return (uint64_t)(((double)used.tv_sec + (double)used.tv_nsec * 1e-9) * (double)clock->tsc_hz);
}

/* When a burst of `packets` begins; by what it usually costs, it is timed by the CPU clock, too, and so is the first. */
static inline uint64_t burst_start(struct burst_clock *clock, const struct cost *cost, uint32_t packets)
{
	bool may_be_long = cost->usual == 0 || cost->usual * packets / 16 >= clock->tsc_hz / LONG_BURST;

	clock->cpu = may_be_long && clock->tsc_hz > 0;
	if (unlikely(clock->cpu))
		clock->began = clock->part_began = burst_cpu_cycles(clock);
	return rte_rdtsc();
}

static inline uint64_t cost_learn(struct cost *cost, uint64_t cycles, uint32_t packets)
{
	uint64_t each = packets == BURST ? cycles * 16 / BURST : cycles * 16 / packets; /* the first is a shift */

	cost->outliers = 0;
	cost->usual = cost->usual == 0 ? each : (cost->usual * 15 + each) / 16;
	return cycles;
}

/*
 * Of a long burst, or a part of it, since `began` by the CPU clock. One that was pre-empted is counted at the usual cost, and at
 * no more than its CPU time, which holds the switches to and fro, too. Where hardly any is not pre-empted, each ninth
 * counts as it is.
 */
static __rte_noinline __rte_unused uint64_t long_without_preemption(
	struct burst_clock *clock, struct cost *cost, uint64_t *began, uint64_t cycles, uint32_t packets)
{
	uint64_t now = burst_cpu_cycles(clock), own = RTE_MIN(now - *began, cycles), usual = cost->usual * packets / 16;
	bool away = cycles > own + clock->tsc_hz / AWAY || cycles > COST_OUTLIER * usual;

	*began = now;
	if (away && usual != 0 && ++cost->outliers <= COST_OUTLIERS_MAX)
		return RTE_MIN(usual, own);
	return cost_learn(cost, own, packets);
}

/* Cycles of a burst, which has taken this many by the time-stamp counter, for the counters. A short one that was pre-empted
 * is counted at the usual cost. */
static inline uint64_t without_preemption(struct burst_clock *clock, struct cost *cost, uint64_t cycles, uint32_t packets)
{
	if (unlikely(clock->cpu))
		return long_without_preemption(clock, cost, &clock->began, cycles, packets);
	if (cost->usual != 0 && cycles * 16 > COST_OUTLIER * cost->usual * packets && ++cost->outliers <= COST_OUTLIERS_MAX)
		return cost->usual * packets / 16;
	return cost_learn(cost, cycles, packets);
}

/* The same of a part of a burst; the next part begins with its end. */
static inline uint64_t part_without_preemption(struct burst_clock *clock, struct cost *cost, uint64_t cycles, uint32_t packets)
{
	if (unlikely(clock->cpu))
		return long_without_preemption(clock, cost, &clock->part_began, cycles, packets);
	return without_preemption(clock, cost, cycles, packets);
}

#endif
