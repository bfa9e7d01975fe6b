#include "groups/nf_process.h"

#include <rte_cycles.h>

#include "base/process.h"
#include "groups/group_work.h"

#define IDLE_WAIT_NS 1000000000ULL
#define SIGNAL_AFTER 256U /* packets passed on before a sleeping next stage is woken, unless our ring empties first */

/* Before it sleeps or holds. Only an NF with nothing else to do spends this time, so it does not count as busy. */
static void signal_next(struct worker *worker)
{
	ring_signal_data(worker->slot->out);
	worker->unsignalled = 0;
}

/* Follows a command: holds as long as the command says. Neighbours are woken for everything before. */
static void follow_command(struct worker *worker)
{
	struct group_slot *slot = worker->slot;

	signal_next(worker);
	for (;;) {
		uint32_t seen = eventcount_read(&slot->events), command = atomic_load_explicit(&slot->command, memory_order_acquire);

		if (group_has_command(slot)) {
			atomic_store_explicit(&slot->acknowledged, command, memory_order_release);
			eventcount_signal(worker->run->control_events);
		}
		if (command % 2 == 0)
			return;
		group_sleep(slot, seen, IDLE_WAIT_NS);
	}
}

/* Takes one burst from the ring of NF `entry`, or follows a command; 0: the ring is empty. */
static uint32_t run_once(struct worker *worker, uint32_t entry)
{
	uint32_t done;

	do {
		if (group_has_command(worker->slot))
			follow_command(worker);
		done = group_process_burst(worker, entry);
	} while (done == 0 && group_has_command(worker->slot));
	worker->unsignalled += done;
	if (worker->unsignalled >= SIGNAL_AFTER)
		group_wake_next(worker);
	else if (done == 0 && worker->unsignalled > 0)
		signal_next(worker);
	return done;
}

static void wait_for_packets(struct group_slot *slot)
{
	uint32_t seen = eventcount_read(&slot->events);

	ring_arm_data(&slot->nfs[0]->in);
	if (ring_count(&slot->nfs[0]->in) == 0 && !group_has_command(slot))
		group_sleep(slot, seen, IDLE_WAIT_NS);
}

void nf_process_main(void *argument)
{
	struct worker worker = {
		.run = argument,
		.slot = ((const struct group_run *)argument)->slot,
		.clock = {.tsc_hz = rte_get_tsc_hz()},
	};

	process_set_oom_score(OOM_SCORE_NF);
	process_set_short_slice();
	/*
	 * Packets that waited between two of these NFs while they ran in separate processes come before all others, so the last
	 * ring is emptied first. No process adds to those rings any more.
	 */
	for (uint32_t entry = worker.slot->nf_count - 1; entry > 0; entry--)
		while (run_once(&worker, entry) > 0)
			;
	for (;;)
		if (run_once(&worker, 0) == 0)
			wait_for_packets(worker.slot);
}
