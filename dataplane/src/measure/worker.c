#include "measure/worker.h"

#include <rte_cycles.h>
#include <time.h>
#include <unistd.h>

#define WARM_ROUNDS 2U /* every flow (or packet of a capture) twice: once into the tables, once found there */
#define MIN_WARM_PACKETS 65536U
#define WARM_TIMEOUT_NS 20000000000ULL
#define WRITTEN_BURSTS 4096U

struct mark {
	uint64_t cycle, cpu_ns;
	double counts[COUNTERS];
};

static uint64_t cpu_ns(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000ULL + (uint64_t)used.tv_nsec;
}

static uint32_t warm_up(struct load *load)
{
	const struct replay *replay = load->traffic.replay;
	uint64_t wanted = (uint64_t)(replay != NULL ? replay->count : load->traffic.flows) * WARM_ROUNDS;
	uint64_t until = now_ns() + WARM_TIMEOUT_NS;

	if (wanted < MIN_WARM_PACKETS)
		wanted = MIN_WARM_PACKETS;
	for (uint64_t done = 0; done < wanted; done += BURST) {
		(void)load_burst(load);
		if (done % 8192 == 0 && now_ns() > until)
			return WORKER_TOO_SLOW;
	}
	return WORKER_READY;
}

/* What a packet's writing counts: taken off later (counters.h). */
static void count_building(const struct worker *worker)
{
	struct worker_record *record = worker->record;
	double before[COUNTERS], after[COUNTERS];

	if (!counters_read(&record->counters, before))
		return;
	for (uint32_t i = 0; i < WRITTEN_BURSTS; i++)
		load_build(worker->load);
	if (!counters_read(&record->counters, after))
		return;
	for (uint32_t i = 0; i < COUNTERS; i++)
		record->writing[i] = (after[i] - before[i]) / (WRITTEN_BURSTS * BURST);
}

static void take_mark(const struct worker *worker, struct mark *mark)
{
	mark->cpu_ns = cpu_ns();
	(void)counters_read(&worker->record->counters, mark->counts);
	mark->cycle = rte_rdtsc();
}

/* Touches no memory and waits for no other core: keeps its core busy without interference. */
static void spin(void)
{
	for (uint32_t i = 0; i < 64; i++)
		__asm__ volatile("" : : "r"(i));
}

static void run_slice(const struct worker *worker, struct slice *slice, uint64_t until, bool spins)
{
	uint64_t now;

	while ((now = rte_rdtsc()) < until) {
		if (spins || !pace_is_due(&worker->load->pace, now)) {
			spin();
			continue;
		}
		slice->nf_cycles += load_burst(worker->load);
		slice->packets += BURST;
	}
}

static void record_slice(const struct worker *worker, uint32_t number, const struct slice *filled,
	const struct mark *from, const struct mark *to)
{
	struct slice *slice = &worker->record->slices[number];

	*slice = *filled;
	slice->cpu_ns = to->cpu_ns - from->cpu_ns;
	slice->wall_ns = (uint64_t)((double)(to->cycle - from->cycle) * 1e9 / (double)worker->tsc_hz);
	for (uint32_t i = 0; i < COUNTERS; i++)
		slice->counts[i] = to->counts[i] - from->counts[i];
	atomic_store_explicit(&worker->record->recorded, number + 1, memory_order_release);
}

/* Slices lie on the common grid; one that was pre-empted for long leaves those it overslept empty. */
static void measure(const struct worker *worker, uint64_t start)
{
	const struct timetable *timetable = worker->timetable;
	uint64_t each = worker->tsc_hz / 1000000 * timetable->slice_us;
	uint32_t total = timetable_slices(timetable);
	struct mark from, to;

	take_mark(worker, &from);
	for (uint32_t number = 0; number < total;) {
		struct slice slice = {0};
		uint32_t next;

		run_slice(worker, &slice, start + (number + 1) * each,
			worker->swaps && timetable_spins(timetable, number / timetable->phase_slices));
		take_mark(worker, &to);
		record_slice(worker, number, &slice, &from, &to);
		from = to;
		next = (uint32_t)((to.cycle - start) / each);
		number = next > number ? next : number + 1;
	}
}

void worker_main(void *argument)
{
	const struct worker *worker = argument;
	struct worker_record *record = worker->record;
	uint32_t state = warm_up(worker->load);
	uint64_t start;

	load_warm(worker->load);
	counters_open(&record->counters, counter_events());
	count_building(worker);
	atomic_store_explicit(&record->ready, state, memory_order_release);
	eventcount_signal(worker->parent);
	while ((start = atomic_load_explicit(&record->start_cycle, memory_order_acquire)) == 0)
		eventcount_wait(&record->go, 0, 1000000000ULL);
	while (rte_rdtsc() < start)
		;
	measure(worker, start);
	_exit(0);
}
