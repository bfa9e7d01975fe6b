/* What counts as busy time: bursts with packets, from taking them to passing them on; neither waiting nor polling an empty ring. */
#include <pthread.h>
#include <rte_cycles.h>
#include <time.h>

#include "check.h"
#include "groups/group_work.h"

#define SPIN 200000ULL /* cycles the NF works on a burst */
#define BURSTS 20U
#define WAIT_NS 50000000ULL

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
	bursts_count_whole(&worker);
	an_empty_ring_counts_nothing(&worker);
	waiting_for_space_counts_nothing();
	waking_the_next_stage_counts(&worker);
	return 0;
}
