/* What counts as busy time: bursts with packets, from taking them to passing them on; neither waiting nor polling an empty ring. */
#include <pthread.h>
#include <rte_cycles.h>
#include <time.h>

#include "check.h"
#include "groups/group_work.h"

#define SPIN 200000ULL /* cycles the NF works on a burst */
#define BURSTS 20U
#define WAIT_NS 50000000ULL
#define LONG_NS 2000000ULL

static struct world {
	struct eventcount before, after, back;
	_Atomic uint32_t round;
	struct group_slot group;
	struct nf_slot nf;
	struct ring sink;
	struct rte_mbuf packets[RING_SIZE];
	uint8_t data[64];
} world;

static uint32_t spin(void *state, struct rte_mbuf **packets, uint32_t count)
{
	uint64_t until = rte_rdtsc() + SPIN;

	(void)state;
	(void)packets;
	while (rte_rdtsc() < until)
		;
	return count == BURST ? UINT32_MAX : (1U << count) - 1;
}

static const struct nf_type SPINNER = {.name = "spinner", .process = spin};
static struct group_run run = {.slot = &world.group, .peak_round = &world.round, .nfs = {{.type = &SPINNER}}};

static void reset(void)
{
	ring_reset(&world.nf.in, &world.before, &world.group.events);
	ring_reset(&world.nf.returned, &world.group.events, &world.back);
	ring_reset(&world.sink, &world.group.events, &world.after);
	world.group = (struct group_slot){.nf_count = 1, .out = &world.sink, .nfs = {&world.nf}};
	for (uint32_t i = 0; i < RING_SIZE; i++)
		world.packets[i].buf_addr = world.data;
}

static void offer(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ring_put(&world.nf.in, i, &world.packets[i]);
	ring_publish(&world.nf.in, count);
}

static uint64_t busy(void)
{
	return counter_read(&world.group.busy);
}

/* 20 bursts of 200,000 cycles: at least 4,000,000, and no more than have passed. */
static void bursts_count_whole(struct worker *worker)
{
	uint64_t began = rte_rdtsc();

	offer(BURSTS * BURST);
	for (uint32_t i = 0; i < BURSTS; i++)
		CHECK(group_process_burst(worker, 0) == BURST);
	CHECK(busy() >= BURSTS * SPIN && busy() <= rte_rdtsc() - began);
	CHECK(busy() >= counter_read(&world.nf.cycles)); /* taking and handing on are in it, too */
}

static void an_empty_ring_counts_nothing(struct worker *worker)
{
	uint64_t before = busy();

	for (int look = 0; look < 100000; look++)
		CHECK(group_process_burst(worker, 0) == 0);
	CHECK(busy() == before);
}

static void *make_space(void *argument)
{
	const struct timespec while_it_waits = {.tv_nsec = WAIT_NS};

	(void)argument;
	(void)nanosleep(&while_it_waits, NULL);
	ring_consume(&world.sink, ring_count(&world.sink));
	ring_signal_space(&world.sink);
	return NULL;
}

/*
 * The next stage takes nothing for 50 ms: the burst counts when there is space for it, and the wait does not. With a worker that
 * knows no usual cost yet: another would take so long a burst for a pre-empted one.
 */
static void waiting_for_space_counts_nothing(void)
{
	struct worker worker = {.run = &run, .slot = &world.group};
	uint64_t before = busy(), began = rte_rdtsc(), passed;
	pthread_t other;

	ring_publish(&world.sink, ring_free_count(&world.sink));
	CHECK(pthread_create(&other, NULL, make_space, NULL) == 0);
	offer(BURST);
	CHECK(group_process_burst(&worker, 0) == BURST);
	passed = rte_rdtsc() - began;
	CHECK(pthread_join(other, NULL) == 0);
	CHECK(passed > 100 * SPIN); /* it did wait: 50 ms are 50,000,000 cycles of the slowest counter */
	CHECK(busy() - before >= SPIN && busy() - before < passed / 2);
}

static uint64_t cpu_ns(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000ULL + (uint64_t)used.tv_nsec;
}

/* The time-stamp counter, and what time it is then. */
static uint64_t cycle_at(uint64_t *ns)
{
	uint64_t cycle;

	do {
		cycle = rte_rdtsc();
		*ns = now_ns();
	} while (rte_rdtsc() - cycle > 20000); /* pre-empted between the two */
	return cycle;
}

static uint64_t measured_tsc_hz(void)
{
	const struct timespec apart = {.tv_nsec = WAIT_NS};
	uint64_t from_ns, to_ns, from = cycle_at(&from_ns), to;

	(void)nanosleep(&apart, NULL);
	to = cycle_at(&to_ns);
	return (uint64_t)((double)(to - from) * 1e9 / (double)(to_ns - from_ns));
}

static bool away;

/* Takes LONG_NS of CPU time; while it is `away`, others have its core for as long in the middle of it. */
static uint32_t work_long(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct timespec others = {.tv_nsec = LONG_NS};
	uint64_t until = cpu_ns() + LONG_NS;

	(void)state;
	(void)packets;
	if (away)
		(void)nanosleep(&others, NULL);
	while (cpu_ns() < until)
		;
	return count == BURST ? UINT32_MAX : (1U << count) - 1;
}

/* Twice the usual time, which no burst that is timed by the time-stamp counter could be known by. */
static void what_others_take_in_the_middle_of_a_long_burst_counts_nothing(void)
{
	static const struct nf_type slow = {.name = "slow", .process = work_long};
	struct group_run slow_run = {.slot = &world.group, .peak_round = &world.round, .nfs = {{.type = &slow}}};
	struct worker worker = {.run = &slow_run, .slot = &world.group, .clock = {.tsc_hz = measured_tsc_hz()}};
	double each = (double)worker.clock.tsc_hz / 1e9 * LONG_NS, busy_cycles, nf_cycles;
	uint64_t busy_before, cycles_before;

	offer((BURSTS + 1) * BURST);
	CHECK(group_process_burst(&worker, 0) == BURST); /* what is usual */
	busy_before = busy();
	cycles_before = counter_read(&world.nf.cycles);
	away = true;
	for (uint32_t i = 0; i < BURSTS; i++)
		CHECK(group_process_burst(&worker, 0) == BURST);
	busy_cycles = (double)(busy() - busy_before);
	nf_cycles = (double)(counter_read(&world.nf.cycles) - cycles_before);
	CHECK(nf_cycles > 0.99 * BURSTS * each && nf_cycles <= busy_cycles);
	CHECK(busy_cycles < 1.2 * BURSTS * each);
}

/* A reading of the CPU clock costs as much as many a burst. */
static void short_bursts_are_timed_without_the_kernel(void)
{
	const struct cost cost = {.usual = 16 * 100}; /* 100 cycles a packet */
	struct burst_clock clock = {.tsc_hz = 2000000000};

	(void)burst_start(&clock, &cost, BURST);
	CHECK(!clock.cpu);
}

/* Waking the next stage is part of processing packets; finding that it is awake is not. */
static void waking_the_next_stage_counts(struct worker *worker)
{
	uint64_t before = busy();

	group_wake_next(worker);
	CHECK(busy() == before);
	ring_arm_data(&world.sink);
	group_wake_next(worker);
	CHECK(busy() > before);
}

int main(void)
{
	static struct worker worker = {.run = &run, .slot = &world.group};

	reset();
	short_bursts_are_timed_without_the_kernel();
	bursts_count_whole(&worker);
	an_empty_ring_counts_nothing(&worker);
	waiting_for_space_counts_nothing();
	waking_the_next_stage_counts(&worker);
	reset();
	what_others_take_in_the_middle_of_a_long_burst_counts_nothing();
	return 0;
}
