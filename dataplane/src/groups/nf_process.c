#include "groups/nf_process.h"

#include "base/process.h"
#include "groups/group_work.h"

#define IDLE_WAIT_NS 1000000000ULL
#define SIGNAL_AFTER 256U /* packets passed on before a sleeping next stage is woken, unless our ring empties first */

/* Before it sleeps or holds: time that only an NF with nothing else to do spends, so it does not count as busy. */
static void signal_next(struct worker *worker)
{
	ring_signal_data(worker->slot->out);
	worker->unsignalled = 0;
}

/* Obeys: holds as long as that is ordered. Neighbours have been told of everything before. */
static void obey(struct worker *worker)
{
	struct group_slot *slot = worker->slot;

	signal_next(worker);
	for (;;) {
		uint32_t seen = bell_read(&slot->bell), order = atomic_load_explicit(&slot->order, memory_order_acquire);

		if (group_is_ordered(slot)) {
			atomic_store_explicit(&slot->obeyed, order, memory_order_release);
			bell_ring(worker->run->control_bell);
		}
		if (order % 2 == 0)
			return;
		group_sleep(slot, seen, IDLE_WAIT_NS);
	}
}

/* Takes one burst of the ring of NF `entry`, or does what was ordered; 0: the ring is empty. */
static uint32_t turn(struct worker *worker, uint32_t entry)
{
	uint32_t done;

	do {
		if (group_is_ordered(worker->slot))
			obey(worker);
		done = group_work(worker, entry);
	} while (done == 0 && group_is_ordered(worker->slot));
	worker->unsignalled += done;
	if (worker->unsignalled >= SIGNAL_AFTER)
		group_signal(worker);
	else if (done == 0 && worker->unsignalled > 0)
		signal_next(worker);
	return done;
}

static void wait_work(struct group_slot *slot)
{
	uint32_t seen = bell_read(&slot->bell);

	ring_want_data(&slot->nfs[0]->in);
	if (ring_used(&slot->nfs[0]->in) == 0 && !group_is_ordered(slot))
		group_sleep(slot, seen, IDLE_WAIT_NS);
}

void nf_process_main(void *argument)
{
	struct worker worker = {.run = argument, .slot = ((const struct group_run *)argument)->slot};

	process_expendable(EXPENDABLE_NF);
	process_take_short_turns();
	/*
	 * Packets that waited between two of these NFs when they ran apart are ahead of all others: the last ring first.
	 * Nobody puts any more into those.
	 */
	for (uint32_t entry = worker.slot->nf_count - 1; entry > 0; entry--)
		while (turn(&worker, entry) > 0)
			;
	for (;;)
		if (turn(&worker, 0) == 0)
			wait_work(worker.slot);
}
