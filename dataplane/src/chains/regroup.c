#include "chains/regroup.h"

#include <signal.h>
#include <stdio.h>

#include "base/process.h"
#include "chains/group.h"

/* How many NFs from `first` on would share a process. */
static uint32_t count_sharing(const struct chain *chain, const struct chain_layout *layout, uint32_t first)
{
	uint32_t next = first + 1;

	while (layout->execution == RUN_TO_COMPLETION && next < chain->nf_count &&
	       layout->cores[next] == layout->cores[first])
		next++;
	return next - first;
}

struct chain_layout chain_current_layout(const struct chain *chain)
{
	struct chain_layout found = {.execution = chain->execution};

	for (uint32_t i = 0; i < chain->nf_count; i++)
		found.cores[i] = chain->nfs[i]->core;
	return found;
}

/* Sets which process signals which, for the present groups. */
static void connect_rings(struct runner *runner, struct chain *chain)
{
	struct eventcount *traffic = &runner->shared->traffic_events, *before = traffic;

	for (uint32_t i = 0; i < chain->nf_count; i++) {
		struct nf_slot *nf = chain->nfs[i]->slot;
		struct eventcount *own = &chain->nfs[i]->group->run.slot->events;

		ring_connect(&nf->in, before, own);
		ring_connect(&nf->returned, own, traffic);
		before = own;
	}
	ring_connect(&chain->slot->sink, before, traffic);
}

static void assign_group(struct chain *chain, struct group *group)
{
	for (uint32_t i = 0; i < group->nf_count; i++)
		chain->nfs[group->first + i]->group = group;
}

int chain_start_groups(struct runner *runner, struct chain *chain, struct error *err)
{
	struct chain_layout layout = chain_current_layout(chain);
	char at[ERROR_FIELD_MAX];

	for (uint32_t first = 0; first < chain->nf_count;) {
		struct group *group = group_create(runner, chain, first, count_sharing(chain, &layout, first));

		assign_group(chain, group);
		first += group->nf_count;
	}
	connect_rings(runner, chain);
	for (uint32_t i = 0; i < chain->nf_count; i += chain->nfs[i]->group->nf_count) {
		(void)snprintf(at, sizeof(at), "nfs.%u", i);
		if (group_start(runner, chain->nfs[i]->group, at, err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < chain->nf_count; i++)
		chain->nfs[i]->starts++;
	return 0;
}

void chain_resume_groups(struct chain *chain)
{
	for (uint32_t i = 0; i < chain->nf_count; i++)
		group_resume(chain->nfs[i]->group);
}

void chain_kill_groups(struct runner *runner, struct chain *chain)
{
	for (uint32_t i = 0; i < GROUPS_MAX; i++) {
		struct group *group = &runner->groups[i];

		if (!group->used || group->chain != chain)
			continue;
		group_kill(group);
		group->used = false;
	}
}

/* A change in progress: the groups that end, their successors, and the groups that only get another core. */
struct change {
	struct group *old[CHAIN_NFS_MAX], *new[CHAIN_NFS_MAX], *moved[CHAIN_NFS_MAX];
	uint32_t old_count, new_count, moved_count;
};

/* Something else has changed where its process may run: the kernel is asked, since this program would not know. */
static bool is_astray(const struct group *group)
{
	return group->pid > 0 && !process_is_pinned(group->pid, group->core);
}

static void plan_change(struct runner *runner, struct chain *chain, const struct chain_layout *layout, struct change *change)
{
	for (uint32_t first = 0, count; first < chain->nf_count; first += count) {
		struct group *there = chain->nfs[first]->group;

		count = count_sharing(chain, layout, first);
		if (there->first == first && there->nf_count == count) {
			if (there->core != layout->cores[first] || is_astray(there))
				change->moved[change->moved_count++] = there;
			continue;
		}
		change->new[change->new_count] = group_create(runner, chain, first, count);
		change->new[change->new_count++]->core = layout->cores[first];
		for (uint32_t i = first; i < first + count; i++) {
			struct group *old = chain->nfs[i]->group;

			if (change->old_count == 0 || change->old[change->old_count - 1] != old)
				change->old[change->old_count++] = old;
		}
	}
}

static void roll_back(struct change *change)
{
	for (uint32_t i = 0; i < change->new_count; i++)
		group_destroy(change->new[i]);
	for (uint32_t i = 0; i < change->old_count; i++)
		group_resume(change->old[i]);
}

static int check_not_crashed(const struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->old_count; i++)
		if (change->old[i]->pid == 0)
			return fail(err, E_BAD_REQUEST, "nf", "the NF '%s' has crashed; restart it first",
				change->old[i]->chain->nfs[change->old[i]->first]->id);
	return 0;
}

/* The successors are forked while the old processes still run: only the switch itself interrupts. */
static int start_new_groups(struct runner *runner, struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->new_count; i++)
		if (group_start(runner, change->new[i], "core", err) < 0)
			return -1;
	return 0;
}

/* From the first of the chain to the last, so that each one's output ring is still being emptied. */
static int hold_old_groups(struct runner *runner, struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->old_count; i++) {
		struct group *old = change->old[i];

		if (group_hold(runner, old))
			continue;
		(void)kill(old->pid, SIGKILL); /* if it hangs; its death is noticed like any other */
		return fail(err, E_INTERNAL, "nf", "the process of the NF '%s' did not stop between two bursts within 1 s and was killed; it can be "
			"restarted", old->chain->nfs[old->first]->id);
	}
	return 0;
}

/* All hold: the successors start, and the old processes are ended. */
static void switch_over(struct runner *runner, struct chain *chain, struct change *change)
{
	for (uint32_t i = 0; i < change->old_count; i++)
		group_account(change->old[i], process_cpu_ns(change->old[i]->pid));
	for (uint32_t i = 0; i < change->new_count; i++)
		assign_group(chain, change->new[i]);
	connect_rings(runner, chain);
	for (uint32_t i = 0; i < change->new_count; i++)
		group_resume(change->new[i]);
	for (uint32_t i = 0; i < change->old_count; i++)
		group_destroy(change->old[i]);
}

/* Groups that only get another core keep their process. */
static int move_groups(struct change *change, const struct chain_layout *layout, struct error *err)
{
	for (uint32_t i = 0; i < change->moved_count; i++) {
		struct group *group = change->moved[i];
		int core = layout->cores[group->first];

		if (group->pid > 0 && process_pin(group->pid, core) != core)
			return fail(err, E_CORE, "core", "the kernel does not let the NF run on core %d; is it offline, or taken from "
				"the cpuset?", core);
		group->core = core;
	}
	return 0;
}

int chain_apply_layout(struct runner *runner, struct chain *chain, const struct chain_layout *layout, struct error *err)
{
	struct change change = {0};

	plan_change(runner, chain, layout, &change);
	if (check_not_crashed(&change, err) < 0 || start_new_groups(runner, &change, err) < 0 || hold_old_groups(runner, &change, err) < 0 ||
	    move_groups(&change, layout, err) < 0) {
		roll_back(&change);
		return -1;
	}
	if (change.new_count > 0)
		switch_over(runner, chain, &change);
	chain->execution = layout->execution;
	for (uint32_t i = 0; i < chain->nf_count; i++)
		chain->nfs[i]->core = layout->cores[i];
	return 0;
}
