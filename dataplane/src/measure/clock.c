#include "measure/clock.h"

#include <rte_cycles.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"

#define BATCHES 200U
#define CHAIN 16384U /* some 15 us: short against a scheduler's turn, so that most batches are undisturbed */

struct clock_run {
	struct eventcount events;
	_Atomic uint32_t ready;
	double imul_ns[BATCHES];
};

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double quantile(double *values, uint32_t count, double share)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[(uint32_t)((double)(count - 1) * share + .5)];
}

static uint64_t chain(uint64_t value)
{
	for (uint32_t i = 0; i < CHAIN / 8; i++) {
#if defined(__x86_64__)
		__asm__ volatile("imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
			"imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0" : "+r"(value));
#else
		for (int j = 0; j < 8; j++) {
			value *= value;
			__asm__ volatile("" : "+r"(value));
		}
#endif
	}
	return value;
}

static void clock_main(void *argument)
{
	struct clock_run *run = argument;
	uint64_t value = 3;

	for (uint32_t i = 0; i < BATCHES; i++) {
		uint64_t started = now_ns();

		value = chain(value);
		run->imul_ns[i] = (double)(now_ns() - started) / CHAIN;
	}
	__asm__ volatile("" : : "r"(value)); /* the compiler keeps the chain */
	atomic_store_explicit(&run->ready, 1, memory_order_release);
	eventcount_signal(&run->events);
	_exit(0);
}

int clock_measure(int core, double *imul_ns, struct error *err)
{
	struct clock_run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t ignored = 0;
	bool ended;
	pid_t pid;

	if (run == MAP_FAILED)
		return fail(err, E_NO_ROOM, "", "no memory to measure the clock");
	pid = process_start("sx-clock", core, clock_main, run);
	ended = pid > 0 && process_wait_value(pid, &run->ready, 1, &run->events, READY_TIMEOUT_NS);
	if (pid > 0)
		process_kill(pid, &ignored);
	if (ended)
		*imul_ns = quantile(run->imul_ns, BATCHES, .5);
	(void)munmap(run, sizeof(*run));
	return ended ? 0 : fail(err, E_START_FAILED, "", "core %d was too busy for 5 s to measure its clock", core);
}

double clock_tsc_hz(void)
{
	uint64_t ns = now_ns(), ticks = rte_rdtsc(), passed;

	while ((passed = now_ns() - ns) < 50000000ULL)
		;
	return (double)(rte_rdtsc() - ticks) * 1e9 / (double)passed;
}
