#include "chains/regroup.h"

#include <signal.h>
#include <stdio.h>

#include "base/process.h"
#include "chains/group.h"

/* How many NFs from `first` on share a process. */
static uint32_t extent(const struct chain *chain, const struct arrangement *wanted, uint32_t first)
{
	uint32_t next = first + 1;

	while (wanted->execution == RUN_TO_COMPLETION && next < chain->nf_count &&
	       wanted->cores[next] == wanted->cores[first])
		next++;
	return next - first;
}

struct arrangement arrangement_of(const struct chain *chain)
{
	struct arrangement found = {.execution = chain->execution};

	for (uint32_t i = 0; i < chain->nf_count; i++)
		found.cores[i] = chain->nfs[i]->core;
	return found;
}

/* Who rings whom, for the groups the NFs are in now. */
static void lay_bells(struct runner *runner, struct chain *chain)
{
	struct bell *traffic = &runner->shared->traffic_bell, *before = traffic;

	for (uint32_t i = 0; i < chain->nf_count; i++) {
		struct nf_slot *nf = chain->nfs[i]->slot;
		struct bell *own = &chain->nfs[i]->group->run.slot->bell;

		ring_hand_over(&nf->in, before, own);
		ring_hand_over(&nf->returned, own, traffic);
		before = own;
	}
	ring_hand_over(&chain->slot->sink, before, traffic);
}

static void enter(struct chain *chain, struct group *group)
{
	for (uint32_t i = 0; i < group->nf_count; i++)
		chain->nfs[group->first + i]->group = group;
}

int groups_start(struct runner *runner, struct chain *chain, struct error *err)
{
	struct arrangement wanted = arrangement_of(chain);
	char at[ERROR_FIELD_MAX];

	for (uint32_t first = 0; first < chain->nf_count;) {
		struct group *group = group_take(runner, chain, first, extent(chain, &wanted, first));

		enter(chain, group);
		first += group->nf_count;
	}
	lay_bells(runner, chain);
	for (uint32_t i = 0; i < chain->nf_count; i += chain->nfs[i]->group->nf_count) {
		(void)snprintf(at, sizeof(at), "nfs.%u", i);
		if (group_start(runner, chain->nfs[i]->group, at, err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < chain->nf_count; i++)
		chain->nfs[i]->starts++;
	return 0;
}

void groups_go(struct chain *chain)
{
	for (uint32_t i = 0; i < chain->nf_count; i++)
		group_go(chain->nfs[i]->group);
}

void groups_end(struct runner *runner, struct chain *chain)
{
	for (uint32_t i = 0; i < GROUPS_MAX; i++) {
		struct group *group = &runner->groups[i];

		if (!group->used || group->chain != chain)
			continue;
		group_end(group);
		group->used = false;
	}
}

/* A change in work: the groups that go, those that come, and those that only get another core. */
struct change {
	struct group *old[CHAIN_NFS_MAX], *new[CHAIN_NFS_MAX], *moved[CHAIN_NFS_MAX];
	uint32_t old_count, new_count, moved_count;
};

static void compare(struct runner *runner, struct chain *chain, const struct arrangement *wanted, struct change *change)
{
	for (uint32_t first = 0, count; first < chain->nf_count; first += count) {
		struct group *there = chain->nfs[first]->group;

		count = extent(chain, wanted, first);
		if (there->first == first && there->nf_count == count) {
			if (there->core != wanted->cores[first])
				change->moved[change->moved_count++] = there;
			continue;
		}
		change->new[change->new_count] = group_take(runner, chain, first, count);
		change->new[change->new_count++]->core = wanted->cores[first];
		for (uint32_t i = first; i < first + count; i++) {
			struct group *old = chain->nfs[i]->group;

			if (change->old_count == 0 || change->old[change->old_count - 1] != old)
				change->old[change->old_count++] = old;
		}
	}
}

static void give_up(struct change *change)
{
	for (uint32_t i = 0; i < change->new_count; i++)
		group_retire(change->new[i]);
	for (uint32_t i = 0; i < change->old_count; i++)
		group_go(change->old[i]);
}

static int refuse_crashed(const struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->old_count; i++)
		if (change->old[i]->pid == 0)
			return fail(err, E_BAD_REQUEST, "nf", "the NF '%s' has crashed; restart it first",
				change->old[i]->chain->nfs[change->old[i]->first]->id);
	return 0;
}

/* The successors are forked while the old processes still work: only the hand-over itself interrupts. */
static int start_new(struct runner *runner, struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->new_count; i++)
		if (group_start(runner, change->new[i], "core", err) < 0)
			return -1;
	return 0;
}

/* From the first of the chain to the last, so that each one's way out is still being emptied. */
static int hold_old(struct runner *runner, struct change *change, struct error *err)
{
	for (uint32_t i = 0; i < change->old_count; i++) {
		struct group *old = change->old[i];

		if (group_hold(runner, old))
			continue;
		(void)kill(old->pid, SIGKILL); /* if it hangs; its death is noticed like any other */
		return fail(err, E_INTERNAL, "nf", "the process of the NF '%s' did not hold within 1 s; it is ended, and can be "
			"restarted", old->chain->nfs[old->first]->id);
	}
	return 0;
}

/* All hold: the successors take over, and the old processes are ended. */
static void hand_over(struct runner *runner, struct chain *chain, struct change *change)
{
	for (uint32_t i = 0; i < change->old_count; i++)
		group_account(change->old[i], process_cpu_ns(change->old[i]->pid));
	for (uint32_t i = 0; i < change->new_count; i++)
		enter(chain, change->new[i]);
	lay_bells(runner, chain);
	for (uint32_t i = 0; i < change->new_count; i++)
		group_go(change->new[i]);
	for (uint32_t i = 0; i < change->old_count; i++)
		group_retire(change->old[i]);
}

/* Groups that only get another core keep their process. */
static int move_whole(struct change *change, const struct arrangement *wanted, struct error *err)
{
	for (uint32_t i = 0; i < change->moved_count; i++) {
		struct group *group = change->moved[i];
		int core = wanted->cores[group->first];

		if (group->pid > 0 && process_move(group->pid, core) != core)
			return fail(err, E_CORE, "core", "the kernel does not let the NF run on core %d; is it offline, or taken from "
				"the cpuset?", core);
		group->core = core;
	}
	return 0;
}

int chain_arrange(struct runner *runner, struct chain *chain, const struct arrangement *wanted, struct error *err)
{
	struct change change = {0};

	compare(runner, chain, wanted, &change);
	if (refuse_crashed(&change, err) < 0 || start_new(runner, &change, err) < 0 || hold_old(runner, &change, err) < 0 ||
	    move_whole(&change, wanted, err) < 0) {
		give_up(&change);
		return -1;
	}
	if (change.new_count > 0)
		hand_over(runner, chain, &change);
	chain->execution = wanted->execution;
	for (uint32_t i = 0; i < chain->nf_count; i++)
		chain->nfs[i]->core = wanted->cores[i];
	return 0;
}
