#include "chains/group.h"

#include <errno.h>
#include <rte_cycles.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/free_memory.h"
#include "base/json_log.h"
#include "base/process.h"
#include "groups/group_step.h"
#include "groups/nf_process.h"

#define HOLD_TIMEOUT_NS 1000000000ULL /* enough for a burst of the most expensive NF on a core that is mostly busy otherwise */

static struct nf *group_nf(const struct group *group, uint32_t number)
{
	return group->chain->nfs[group->first + number];
}

void nf_close_tables(struct nf *nf)
{
	if (nf->state != NULL)
		nf->type->close(nf->state);
	nf->state = NULL;
}

static void group_init_slot(struct runner *runner, struct group *group, struct group_slot *slot)
{
	struct chain *chain = group->chain;
	uint32_t after = group->first + group->nf_count;

	memset(slot, 0, sizeof(*slot));
	slot->nf_count = group->nf_count;
	slot->out = after < chain->nf_count ? &chain->nfs[after]->slot->in : &chain->slot->sink;
	group->run.slot = slot;
	group->run.control_events = &runner->shared->control_events;
	group->run.peak_round = &runner->shared->peak_round;
	for (uint32_t i = 0; i < group->nf_count; i++)
		slot->nfs[i] = group_nf(group, i)->slot;
}

struct group *group_create(struct runner *runner, struct chain *chain, uint32_t first, uint32_t nf_count)
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
	group_init_slot(runner, group, &runner->shared->groups[i]);
	return group;
}

static void order(struct group_slot *slot, uint32_t number)
{
	atomic_store_explicit(&slot->command, number, memory_order_release);
	eventcount_signal(&slot->events);
}

static bool is_holding(const struct group_slot *slot)
{
	return slot->command % 2 == 1;
}

/* Returns the CPU time of the ended process, in ns. */
static uint64_t reap_process(struct group *group)
{
	uint64_t cpu_ns = 0;

	if (group->pid > 0)
		process_kill(group->pid, &cpu_ns);
	group->pid = 0;
	return cpu_ns;
}

int group_start(struct runner *runner, struct group *group, const char *field, struct error *err)
{
	struct group_slot *slot = group->run.slot;
	char name[16];

	for (uint32_t i = 0; i < group->nf_count; i++) {
		group->run.nfs[i].type = group_nf(group, i)->type;
		group->run.nfs[i].state = group_nf(group, i)->state;
	}
	(void)snprintf(name, sizeof(name), group->nf_count > 1 ? "nf-%.8s+%u" : "nf-%.12s",
		group_nf(group, 0)->type->name, group->nf_count - 1);
	atomic_store(&slot->acknowledged, 0);
	atomic_store(&slot->command, 1);
	group->cpu_seen_ns = 0;
	group->pid = process_start(name, group->core, nf_process_main, &group->run);
	if (group->pid > 0 && process_wait_value(group->pid, &slot->acknowledged, 1, &runner->shared->control_events, READY_TIMEOUT_NS))
		return 0;
	if (group->pid < 0)
		(void)fail(err, E_START_FAILED, field, "cannot start a process (%s)", strerror(errno));
	else if (process_core_refused(group->pid))
		(void)fail(err, E_CORE, field, "the kernel does not let this runner use core %d; is it offline, or "
			"taken from the cpuset?", group->core);
	else
		(void)fail(err, E_START_FAILED, field, "its process ended at once or was not ready within 5 s; see the runner's log");
	(void)reap_process(group);
	return -1;
}

void group_resume(struct group *group)
{
	if (group->pid > 0 && is_holding(group->run.slot))
		order(group->run.slot, group->run.slot->command + 1);
}

bool group_hold(struct runner *runner, struct group *group)
{
	struct group_slot *slot = group->run.slot;

	if (!is_holding(slot))
		order(slot, slot->command + 1);
	return process_wait_value(group->pid, &slot->acknowledged, slot->command, &runner->shared->control_events, HOLD_TIMEOUT_NS);
}

/* Distributes `spent` by the cycles that each NF has counted; all of it to the first if no packet came. */
static void distribute(struct group *group, uint64_t spent, const uint64_t cycles[], uint64_t *(*figure)(struct nf *nf))
{
	uint64_t all = 0, shared = 0;

	for (uint32_t i = 0; i < group->nf_count; i++)
		all += cycles[i];
	for (uint32_t i = 0; i < group->nf_count && all > 0; i++) {
		uint64_t share = (uint64_t)((double)spent * (double)cycles[i] / (double)all);

		*figure(group_nf(group, i)) += share;
		shared += share;
	}
	if (spent > shared) /* the rounding error, or all of it */
		*figure(group_nf(group, 0)) += spent - shared;
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
 * Busy time since the last call, ns. The time-stamp counter runs on while another process has the core, and not every such
 * burst is recognised by its cost: so it is limited to the CPU time of the process.
 */
static uint64_t busy_since_last(struct group *group, uint64_t spent)
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
		struct nf *nf = group_nf(group, i);
		uint64_t now = counter_read(&nf->slot->cycles);

		cycles[i] = now - nf->cycles_seen;
		nf->cycles_seen = now;
	}
	distribute(group, spent, cycles, cpu_time);
	distribute(group, busy_since_last(group, spent), cycles, busy_time);
	group->cpu_seen_ns += spent;
}

/* After its process has ended, for whatever reason. */
static void recover_step(struct group *group)
{
	bool repeatable = true;

	for (uint32_t i = 0; i < group->nf_count; i++)
		repeatable = repeatable && group_nf(group, i)->type->repeatable;
	step_recover(group->run.slot, repeatable);
}

void group_kill(struct group *group)
{
	if (group->pid == 0)
		return;
	group_account(group, reap_process(group));
	recover_step(group);
}

void group_destroy(struct group *group)
{
	(void)reap_process(group);
	group->used = false;
}

static void describe_exit(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && free_memory_claim_oom_kill())
		(void)snprintf(text, size, "killed by signal 9 (Killed): the kernel had no memory left");
	else if (WIFSIGNALED(status))
		(void)snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
	else
		(void)snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
}

void group_handle_crash(struct group *group, int status, const struct rusage *usage)
{
	pid_t pid = group->pid;

	group->pid = 0;
	recover_step(group);
	group_account(group, (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ULL +
		(uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ULL);
	for (uint32_t i = 0; i < group->nf_count; i++) {
		struct nf *nf = group_nf(group, i);

		describe_exit(nf->exit, sizeof(nf->exit), status);
		nf_close_tables(nf);
		log_error("NF %s (pid %d) %s", nf->id, (int)pid, nf->exit);
	}
}
