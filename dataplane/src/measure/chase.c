#include "measure/chase.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "nf/nf.h"

#define LINE_BYTES 64U
#define LOADS 8192U /* a repetition of at most 1 ms: most fit between two interruptions */
#define REPEATS 15U
#define STEP_WAIT_NS 60000000000ULL

struct chase_run {
	struct eventcount events;
	_Atomic uint32_t done, failed;
	uint32_t count;
	struct chase_step steps[CHASE_STEPS_MAX];
};

struct line {
	struct line *next;
	uint8_t rest[LINE_BYTES - sizeof(void *)];
};

uint32_t chase_sizes(uint64_t most, struct chase_step *steps)
{
	uint32_t count = 0;
	double bytes = CHASE_BYTES_MIN;

	for (; bytes <= (double)most * 1.001 && count < CHASE_STEPS_MAX; bytes *= pow(2, .25))
		steps[count++] = (struct chase_step){.bytes = (uint64_t)bytes / LINE_BYTES * LINE_BYTES};
	return count;
}

/* One cycle through all lines in random order (Sattolo, 1986), so that no prefetcher knows the next. */
static void link_lines(struct line *lines, uint32_t *order, uint32_t count)
{
	uint64_t random = nf_seed(count);

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t other = nf_random(&random) % i, kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < count; i++)
		lines[order[i]].next = &lines[order[(i + 1) % count]];
}

static struct line *follow(struct line *at, uint32_t loads)
{
	for (uint32_t i = 0; i < loads; i++)
		at = at->next;
	__asm__ volatile("" : "+r"(at)); /* the compiler must not leave the walk out */
	return at;
}

/* The lowest of some repetitions: what disturbs only ever adds. */
static double chase(struct line *lines, uint32_t *order, uint32_t count)
{
	struct line *at = lines;
	double lowest = INFINITY;

	link_lines(lines, order, count);
	at = follow(at, count);
	for (uint32_t i = 0; i < REPEATS; i++) {
		uint64_t started = now_ns();
		double ns;

		at = follow(at, LOADS);
		ns = (double)(now_ns() - started) / LOADS;
		if (ns < lowest)
			lowest = ns;
	}
	return lowest;
}

static void chase_main(void *argument)
{
	struct chase_run *run = argument;
	uint64_t most = run->steps[run->count - 1].bytes;
	struct line *lines = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *order = malloc(most / LINE_BYTES * sizeof(*order));

	if (lines == MAP_FAILED || order == NULL) {
		atomic_store(&run->failed, 1);
		eventcount_signal(&run->events);
		_exit(1);
	}
	(void)madvise(lines, most, MADV_HUGEPAGE); /* else page walks count in: a hint that may be refused */
	for (uint32_t i = 0; i < run->count; i++) {
		run->steps[i].ns = chase(lines, order, (uint32_t)(run->steps[i].bytes / LINE_BYTES));
		atomic_store_explicit(&run->done, i + 1, memory_order_release);
		eventcount_signal(&run->events);
	}
	_exit(0);
}

/* Waits for step `wanted`; false when the process is gone or takes too long. */
static bool wait_step(struct chase_run *run, pid_t pid, uint32_t wanted)
{
	uint64_t until = now_ns() + STEP_WAIT_NS;

	for (;;) {
		uint32_t seen = eventcount_read(&run->events);
		siginfo_t ended = {0};

		if (atomic_load_explicit(&run->done, memory_order_acquire) > wanted)
			return true;
		(void)waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
		if (ended.si_pid != 0 || now_ns() > until)
			return atomic_load_explicit(&run->done, memory_order_acquire) > wanted;
		eventcount_wait(&run->events, seen, 100000000ULL);
	}
}

static int collect(struct chase_run *run, pid_t pid, struct chase_step *steps, void (*on_step)(const struct chase_step *),
	struct error *err)
{
	for (uint32_t i = 0; i < run->count; i++) {
		if (!wait_step(run, pid, i))
			return fail(err, E_NO_ROOM, "sweep_mib", "the sweep ended at %llu KiB: %s",
				(unsigned long long)(run->steps[i].bytes >> 10), atomic_load(&run->failed) ?
				"there is no memory for it" : "it was killed, or took over a minute for one size");
		steps[i] = run->steps[i];
		on_step(&steps[i]);
	}
	return 0;
}

int chase_measure(int core, struct chase_step *steps, uint32_t count, void (*on_step)(const struct chase_step *step),
	struct error *err)
{
	struct chase_run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t ignored = 0;
	int status;
	pid_t pid;

	if (run == MAP_FAILED)
		return fail(err, E_NO_ROOM, "", "no memory to share the sweep's results");
	run->count = count;
	memcpy(run->steps, steps, count * sizeof(*steps));
	pid = process_start("sx-chase", core, chase_main, run);
	status = pid > 0 ? collect(run, pid, steps, on_step, err)
			 : fail(err, E_START_FAILED, "", "cannot start a process (%s)", strerror(errno));
	if (pid > 0)
		process_kill(pid, &ignored);
	(void)munmap(run, sizeof(*run));
	return status;
}
