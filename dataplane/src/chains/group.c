#include "chains/group.h"

#include <errno.h>
#include <rte_cycles.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json_log.h"
#include "base/process.h"
#include "base/room.h"
#include "groups/group_step.h"
#include "groups/nf_process.h"

#define HOLD_NS 1000000000ULL /* a burst of the dearest NF, on a core that others have for most of the time */

static struct nf *member(const struct group *group, uint32_t number)
{
	return group->chain->nfs[group->first + number];
}

void tables_close(struct nf *nf)
{
	if (nf->state != NULL)
		nf->type->close(nf->state);
	nf->state = NULL;
}

static void lay(struct runner *runner, struct group *group, struct group_slot *slot)
{
	struct chain *chain = group->chain;
	uint32_t after = group->first + group->nf_count;

	memset(slot, 0, sizeof(*slot));
	slot->nf_count = group->nf_count;
	slot->out = after < chain->nf_count ? &chain->nfs[after]->slot->in : &chain->slot->sink;
	group->run.slot = slot;
	group->run.control_bell = &runner->shared->control_bell;
	group->run.peak_round = &runner->shared->peak_round;
	for (uint32_t i = 0; i < group->nf_count; i++)
		slot->nfs[i] = member(group, i)->slot;
}

struct group *group_take(struct runner *runner, struct chain *chain, uint32_t first, uint32_t nf_count)
{
	uint32_t i = 0;
	struct group *group;

	while (runner->groups[i].used)
		i++;
	group = &runner->groups[i];
	memset(group, 0, sizeof(*group));
	group->used = true;
	group->number = ++runner->serial;
	group->chain = chain;
	group->first = first;
	group->nf_count = nf_count;
	group->core = chain->nfs[first]->core;
	lay(runner, group, &runner->shared->groups[i]);
	return group;
}

static void order(struct group_slot *slot, uint32_t number)
{
	atomic_store_explicit(&slot->order, number, memory_order_release);
	bell_ring(&slot->bell);
}

static bool is_holding(const struct group_slot *slot)
{
	return slot->order % 2 == 1;
}

/* Answers the CPU time of the ended process. */
static uint64_t reap(struct group *group)
{
	uint64_t cpu_ns = 0;

	if (group->pid > 0)
		process_end(group->pid, &cpu_ns);
	group->pid = 0;
	return cpu_ns;
}

int group_start(struct runner *runner, struct group *group, const char *field, struct error *err)
{
	struct group_slot *slot = group->run.slot;
	char name[16];

	for (uint32_t i = 0; i < group->nf_count; i++) {
		group->run.nfs[i].type = member(group, i)->type;
		group->run.nfs[i].state = member(group, i)->state;
	}
	(void)snprintf(name, sizeof(name), group->nf_count > 1 ? "nf-%.8s+%u" : "nf-%.12s",
		member(group, 0)->type->name, group->nf_count - 1);
	atomic_store(&slot->obeyed, 0);
	atomic_store(&slot->order, 1);
	group->cpu_seen_ns = 0;
	group->pid = process_start(name, group->core, nf_process_main, &group->run);
	if (group->pid > 0 && process_wait(group->pid, &slot->obeyed, 1, &runner->shared->control_bell, READY_WITHIN_NS))
		return 0;
	if (group->pid < 0)
		(void)fail(err, E_START_FAILED, field, "no process can be started (%s)", strerror(errno));
	else if (process_lacks_core(group->pid))
		(void)fail(err, E_CORE, field, "the kernel lets nothing of this runner run on core %d; is it offline, or "
			"taken from the cpuset?", group->core);
	else
		(void)fail(err, E_START_FAILED, field, "its process ended at once or was not ready within 5 s");
	(void)reap(group);
	return -1;
}

void group_go(struct group *group)
{
	if (group->pid > 0 && is_holding(group->run.slot))
		order(group->run.slot, group->run.slot->order + 1);
}

bool group_hold(struct runner *runner, struct group *group)
{
	struct group_slot *slot = group->run.slot;

	if (!is_holding(slot))
		order(slot, slot->order + 1);
	return process_wait(group->pid, &slot->obeyed, slot->order, &runner->shared->control_bell, HOLD_NS);
}

/* Adds `spent` to a figure of each NF, by the cycles that each has counted; to the first's if no packet came. */
static void divide(struct group *group, uint64_t spent, const uint64_t cycles[], uint64_t *(*figure)(struct nf *nf))
{
	uint64_t all = 0, shared = 0;

	for (uint32_t i = 0; i < group->nf_count; i++)
		all += cycles[i];
	for (uint32_t i = 0; i < group->nf_count && all > 0; i++) {
		uint64_t share = (uint64_t)((double)spent * (double)cycles[i] / (double)all);

		*figure(member(group, i)) += share;
		shared += share;
	}
	if (spent > shared) /* what rounding left, or all of it */
		*figure(member(group, 0)) += spent - shared;
}

static uint64_t *cpu_time(struct nf *nf)
{
	return &nf->cpu_ns;
}

static uint64_t *busy_time(struct nf *nf)
{
	return &nf->busy_ns;
}

/*
 * Time for packets since the last call, ns. Its clock runs on while others have the core, and not each such burst is
 * told by its cost: so it is never more than the CPU time that the process had.
 */
static uint64_t take_busy(struct group *group, uint64_t spent)
{
	uint64_t now = counter_read(&group->run.slot->busy);
	uint64_t busy = (uint64_t)((double)(now - group->busy_seen) * 1e9 / (double)rte_get_tsc_hz());

	group->busy_seen = now;
	return busy < spent ? busy : spent;
}

void group_account(struct group *group, uint64_t process_cpu_ns)
{
	uint64_t spent = process_cpu_ns > group->cpu_seen_ns ? process_cpu_ns - group->cpu_seen_ns : 0;
	uint64_t cycles[CHAIN_NFS_MAX];

	for (uint32_t i = 0; i < group->nf_count; i++) {
		struct nf *nf = member(group, i);
		uint64_t now = counter_read(&nf->slot->cycles);

		cycles[i] = now - nf->cycles_seen;
		nf->cycles_seen = now;
	}
	divide(group, spent, cycles, cpu_time);
	divide(group, take_busy(group, spent), cycles, busy_time);
	group->cpu_seen_ns += spent;
}

/* After its process has ended, however. */
static void recover(struct group *group)
{
	bool repeatable = true;

	for (uint32_t i = 0; i < group->nf_count; i++)
		repeatable = repeatable && member(group, i)->type->repeatable;
	step_recover(group->run.slot, repeatable);
}

void group_end(struct group *group)
{
	if (group->pid == 0)
		return;
	group_account(group, reap(group));
	recover(group);
}

void group_retire(struct group *group)
{
	(void)reap(group);
	group->used = false;
}

static void describe_end(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && room_claim_kill())
		(void)snprintf(text, size, "killed by signal 9 (Killed): the kernel had no memory left");
	else if (WIFSIGNALED(status))
		(void)snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
	else
		(void)snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
}

void group_crashed(struct group *group, int status, const struct rusage *usage)
{
	pid_t pid = group->pid;

	group->pid = 0;
	recover(group);
	group_account(group, (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ULL +
		(uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ULL);
	for (uint32_t i = 0; i < group->nf_count; i++) {
		struct nf *nf = member(group, i);

		describe_end(nf->exit, sizeof(nf->exit), status);
		tables_close(nf);
		log_error("NF %s (pid %d) %s", nf->id, (int)pid, nf->exit);
	}
}
