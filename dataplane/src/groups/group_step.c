#include "groups/group_step.h"

void step_record(struct group_slot *group, const struct burst *burst, uint32_t end)
{
	struct group_step *step = &group->step;
	struct ring *in = &group->nfs[step->entry]->in, *returned = &group->nfs[0]->returned;

	for (uint32_t i = 0; i < burst->live_count; i++)
		ring_put(group->out, i, burst->live[i]);
	for (uint32_t i = 0; i < burst->back_count; i++)
		ring_put(returned, i, burst->back[i]);
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
	atomic_store_explicit(&step->begun, 0, memory_order_relaxed); /* before `valid`: recovery looks at that first */
	atomic_store_explicit(&step->valid, 0, memory_order_release);
}

/* The ring to the pool has space: the dead process checked that before it began. */
static void return_burst(struct group_slot *group, uint32_t count)
{
	struct nf_slot *nf = group->nfs[group->step.entry];
	struct burst burst = {.count = count, .back_count = count};

	for (uint32_t i = 0; i < count; i++)
		burst.back[i] = ring_peek(&nf->in, i);
	nf->next = (struct nf_totals){
		.rx = counter_read(&nf->rx) + count,
		.tx = counter_read(&nf->tx),
		.drops = counter_read(&nf->drops) + count,
		.filtered = counter_read(&nf->filtered),
		.cycles = counter_read(&nf->cycles),
	};
	step_record(group, &burst, group->step.entry + 1);
	step_apply(group);
}

void step_recover(struct group_slot *group, bool repeatable)
{
	uint32_t begun = atomic_load_explicit(&group->step.begun, memory_order_acquire);

	if (atomic_load_explicit(&group->step.valid, memory_order_acquire) != 0)
		step_apply(group);
	else if (begun > 0 && !repeatable)
		return_burst(group, begun);
	atomic_store_explicit(&group->step.begun, 0, memory_order_relaxed);
	/* It may have died before it woke its neighbours. */
	eventcount_signal(atomic_load(&group->out->consumer));
	eventcount_signal(atomic_load(&group->nfs[0]->returned.consumer));
	eventcount_signal(atomic_load(&group->nfs[0]->in.producer));
}
