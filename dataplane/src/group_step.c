#include "group_step.h"

void step_plan(struct group_slot *group, const struct burst *burst, uint32_t entry, uint32_t end)
{
	struct ring *in = &group->nfs[entry]->in, *returned = &group->nfs[0]->returned;
	struct group_step *step = &group->step;

	for (uint32_t i = 0; i < burst->live_count; i++)
		ring_put(group->out, i, burst->live[i]);
	for (uint32_t i = 0; i < burst->back_count; i++)
		ring_put(returned, i, burst->back[i]);
	step->entry = entry;
	step->end = end;
	step->out_tail = atomic_load_explicit(&group->out->tail, memory_order_relaxed) + burst->live_count;
	step->returned_tail = atomic_load_explicit(&returned->tail, memory_order_relaxed) + burst->back_count;
	step->in_head = atomic_load_explicit(&in->head, memory_order_relaxed) + burst->count;
	atomic_store_explicit(&step->valid, 1, memory_order_release);
}

static void apply_totals(struct nf_slot *nf)
{
	atomic_store_explicit(&nf->rx, nf->next.rx, memory_order_relaxed);
	atomic_store_explicit(&nf->tx, nf->next.tx, memory_order_relaxed);
	atomic_store_explicit(&nf->drops, nf->next.drops, memory_order_relaxed);
	atomic_store_explicit(&nf->filtered, nf->next.filtered, memory_order_relaxed);
	atomic_store_explicit(&nf->cycles, nf->next.cycles, memory_order_relaxed);
}

void step_apply(struct group_slot *group)
{
	struct group_step *step = &group->step;

	atomic_store_explicit(&group->out->tail, step->out_tail, memory_order_release);
	atomic_store_explicit(&group->nfs[0]->returned.tail, step->returned_tail, memory_order_release);
	atomic_store_explicit(&group->nfs[step->entry]->in.head, step->in_head, memory_order_release);
	for (uint32_t i = step->entry; i < step->end; i++)
		apply_totals(group->nfs[i]);
	atomic_store_explicit(&step->valid, 0, memory_order_release);
}

void step_recover(struct group_slot *group)
{
	if (atomic_load_explicit(&group->step.valid, memory_order_acquire) != 0)
		step_apply(group);
	/* It may have died before it woke its neighbours. */
	bell_ring(atomic_load(&group->out->consumer));
	bell_ring(atomic_load(&group->nfs[0]->returned.consumer));
	bell_ring(atomic_load(&group->nfs[0]->in.producer));
}
