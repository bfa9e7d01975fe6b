#include "base/process.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_INTERVAL_NS 20000000ULL
#define SHORT_SLICE_NS 100000ULL

static void become_child(const char *name, int core, pid_t parent)
{
	sigset_t none;

	/* The request first, then the check: a parent that died before it is seen here, one that dies after it kills us. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	(void)close_range(STDERR_FILENO + 1, ~0U, 0); /* no socket of the control process stays open in a child */
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group: the control process ends its children */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_NAME, name);
	if (core != ANY_CORE && process_pin(getpid(), core) != core)
		_exit(PROCESS_CORE_REFUSED);
}

pid_t process_start(const char *name, int core, process_main run, void *argument)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	become_child(name, core, parent);
	run(argument);
	_exit(1);
}

static siginfo_t exit_info(pid_t pid)
{
	siginfo_t ended = {0};

	(void)waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
	return ended;
}

bool process_wait_value(pid_t pid, _Atomic uint32_t *word, uint32_t value, struct eventcount *events, uint64_t timeout_ns)
{
	uint64_t until = now_ns() + timeout_ns;

	for (;;) {
		uint32_t seen = eventcount_read(events);

		if (atomic_load_explicit(word, memory_order_acquire) == value)
			return true;
		if (exit_info(pid).si_pid != 0 || now_ns() >= until)
			return false;
		eventcount_wait(events, seen, POLL_INTERVAL_NS);
	}
}

bool process_core_refused(pid_t pid)
{
	siginfo_t ended = exit_info(pid);

	return ended.si_pid != 0 && ended.si_code == CLD_EXITED && ended.si_status == PROCESS_CORE_REFUSED;
}

void process_set_oom_score(int score)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "r+e");
	int before;

	if (file == NULL)
		return;
	if (fscanf(file, "%d", &before) == 1 && before < score) {
		rewind(file);
		(void)fprintf(file, "%d", score);
	}
	(void)fclose(file);
}

void process_kill(pid_t pid, uint64_t *cpu_ns)
{
	struct rusage usage;
	int status;

	(void)kill(pid, SIGKILL);
	if (wait4(pid, &status, 0, &usage) != pid)
		return;
	*cpu_ns += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ULL +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
}

uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000ULL + (uint64_t)used.tv_nsec;
}

uint64_t process_start_time(pid_t pid)
{
	char path[64], text[1024], *field;
	FILE *file;
	size_t length;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	text[length] = '\0';
	field = strrchr(text, ')'); /* the name before it may hold anything; field 3 follows */
	for (int number = 2; field != NULL && number < 22; number++)
		field = strchr(field + 1, ' ');
	return field == NULL ? 0 : strtoull(field + 1, NULL, 10);
}

void process_set_short_slice(void)
{
	/* The kernel's sched_attr in its first version: its header cannot be had beside <sched.h>. */
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} own;

	if (syscall(SYS_sched_getattr, 0, &own, sizeof(own), 0) < 0 || own.policy != SCHED_OTHER)
		return;
	own.runtime = SHORT_SLICE_NS;
	(void)syscall(SYS_sched_setattr, 0, &own, 0);
}

bool process_is_pinned(pid_t pid, int core)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	return sched_getaffinity(pid, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) == 1 && CPU_ISSET((size_t)core, &cores);
}

int process_pin(pid_t pid, int core)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	CPU_SET((size_t)core, &cores);
	if (sched_setaffinity(pid, sizeof(cores), &cores) < 0)
		return -1;
	return process_is_pinned(pid, core) ? core : -1;
}
