#include "base/bounded.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/process.h"

struct job {
	void (*work)(void *argument, void *memory);
	void *argument, *memory;
	unsigned int seconds;
	size_t bytes_most;
};

/* Bytes of private writable memory that this process has: what RLIMIT_DATA counts. */
static size_t data_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void run_job(void *argument)
{
	const struct job *job = argument;
	struct rlimit cpu = {job->seconds, job->seconds}, data = {0}, none = {0};

	data.rlim_cur = data.rlim_max = data_bytes() + job->bytes_most;
	process_set_oom_score(OOM_SCORE_TRIAL);
	if (setrlimit(RLIMIT_CPU, &cpu) < 0 || setrlimit(RLIMIT_DATA, &data) < 0 || setrlimit(RLIMIT_CORE, &none) < 0)
		_exit(1);
	job->work(job->argument, job->memory);
	_exit(0);
}

static _Thread_local int cancel_fd = -1;

void bounded_cancel_on(int descriptor)
{
	cancel_fd = descriptor;
}

/* Whether it ended by itself before `until`. */
static bool wait_child(int child, uint64_t until)
{
	struct pollfd polled[] = {{.fd = child, .events = POLLIN}, {.fd = cancel_fd, .events = POLLIN}};
	uint64_t now;
	int woken;

	do { /* a signal may end the poll early */
		now = now_ns();
		woken = child < 0 || now >= until ? 0 : poll(polled, 2, (int)((until - now) / 1000000) + 1);
	} while (woken < 0);
	return woken > 0 && polled[0].revents != 0;
}

static enum bounded_result wait_end(pid_t pid, unsigned int seconds)
{
	int child = pidfd_open(pid, 0), status = 1;
	uint64_t until = now_ns() + BOUNDED_CLOCK_FACTOR * seconds * 1000000000ULL, ignored = 0;
	bool ended = wait_child(child, until);

	if (child >= 0)
		(void)close(child);
	if (!ended) {
		process_kill(pid, &ignored);
		return now_ns() < until ? BOUNDED_TIMED_OUT : BOUNDED_STARVED;
	}
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return BOUNDED_DONE;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && free_memory_claim_oom_kill())
		return BOUNDED_OUT_OF_MEMORY;
	/* The limit on CPU time kills at once: its soft and its hard value are the same. */
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU) ? BOUNDED_TIMED_OUT :
		BOUNDED_CRASHED;
}

enum bounded_result bounded_run(void (*work)(void *argument, void *memory), void *argument, void *memory,
	unsigned int seconds, size_t bytes_most)
{
	struct job job = {work, argument, memory, seconds, bytes_most};
	pid_t pid = process_start("sx-bounded", ANY_CORE, run_job, &job);

	return pid <= 0 ? BOUNDED_CRASHED : wait_end(pid, seconds);
}

void *bounded_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void bounded_memory_free(void *memory, size_t bytes)
{
	if (memory != NULL)
		(void)munmap(memory, bytes);
}
