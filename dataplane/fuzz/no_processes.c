#include "no_processes.h"

#include <signal.h>

#define NOBODYS_PID (1 << 22) /* the kernel's PID_MAX_LIMIT: it gives none from there on */

pid_t __wrap_process_start(const char *name, int core, process_main run, void *argument)
{
	static pid_t next = NOBODYS_PID;

	return core == ANY_CORE ? __real_process_start(name, core, run, argument) : ++next;
}

bool __wrap_process_wait_value(pid_t pid, _Atomic uint32_t *word, uint32_t value, struct eventcount *events, uint64_t timeout_ns)
{
	(void)pid;
	(void)events;
	(void)timeout_ns;
	atomic_store(word, value);
	return true;
}

void __wrap_process_kill(pid_t pid, uint64_t *cpu_ns)
{
	if (pid < NOBODYS_PID)
		__real_process_kill(pid, cpu_ns);
}

int __wrap_process_pin(pid_t pid, int core)
{
	(void)pid;
	return core;
}

int __wrap_traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err)
{
	(void)runner;
	(void)err;
	atomic_store(&slot->applied_state, state);
	if (state == CHAIN_FLUSHING)
		atomic_store(&slot->state, CHAIN_FREE);
	return 0;
}

int __wrap_traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	(void)runner;
	(void)err;
	atomic_store(&slot->applied_paused, atomic_load(&slot->paused));
	return 0;
}

int __wrap_traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err)
{
	(void)runner;
	(void)err;
	atomic_store(&slot->applied_source, atomic_load(&slot->requested_source));
	return 0;
}

void kill_a_process(struct runner *runner, uint32_t which)
{
	const struct rusage usage = {0};

	for (uint32_t i = 0; i < GROUPS_MAX; i++) {
		const struct group *group = &runner->groups[(which + i) % GROUPS_MAX];

		if (!group->used || group->pid == 0)
			continue;
		(void)nf_handle_exit(runner, group->pid, SIGKILL, &usage);
		return;
	}
}
