#include "chains/interruption.h"

#include <rte_cycles.h>

#define WATCH_TIMEOUT_NS 250000000ULL
#define POLL_INTERVAL_NS 100000ULL

void interruption_begin(struct chain *chain)
{
	atomic_fetch_add(&chain->slot->gap_window, 1);
}

/* Whether `watched` changes from `from` before `until`. */
static bool wait_increase(struct runner *runner, counter *watched, uint64_t from, uint64_t until)
{
	while (counter_read(watched) == from) {
		if (now_ns() >= until)
			return false;
		/* No packet signals this eventcount: the timeout is the polling interval. */
		eventcount_wait(&runner->shared->control_events, eventcount_read(&runner->shared->control_events), POLL_INTERVAL_NS);
	}
	return true;
}

int64_t interruption_end(struct runner *runner, struct chain *chain, const struct nf *nf)
{
	struct chain_slot *slot = chain->slot;
	uint64_t until = now_ns() + WATCH_TIMEOUT_NS;

	if (counter_read(&slot->last_arrival) == 0)
		return -1;
	if (!wait_increase(runner, &nf->slot->rx, counter_read(&nf->slot->rx), until) ||
	    !wait_increase(runner, &slot->delivered, counter_read(&slot->delivered), until))
		return -1;
	return peak_read(&slot->window_gap, atomic_load(&slot->gap_window));
}

uint32_t longest_gap_us(struct runner *runner, struct chain *chain)
{
	struct chain_slot *slot = chain->slot;
	uint32_t longest = peak_read(&slot->longest_gap, atomic_load(&runner->shared->peak_round));
	uint64_t last = counter_read(&slot->last_arrival), now = rte_rdtsc();
	double lasts = last == 0 || now < last ? 0 : (double)(now - last) * 1e6 / (double)rte_get_tsc_hz();

	return lasts > UINT32_MAX ? UINT32_MAX : lasts > longest ? (uint32_t)lasts : longest;
}
