/* The deepest that a ring was: of one that its producer fills up while the NF works, the last place counts. */
#include "check.h"
#include "groups/group_work.h"

static struct world {
	struct eventcount before, after, back;
	_Atomic uint32_t round;
	struct group_slot group;
	struct nf_slot nf;
	struct ring sink;
	struct rte_mbuf packets[RING_SIZE];
	uint8_t data[64];
} world;

static void offer(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ring_put(&world.nf.in, i, &world.packets[i]);
	ring_publish(&world.nf.in, count);
}

/* So many packets come while it works on a burst. */
static uint32_t coming;

static uint32_t work(void *state, struct rte_mbuf **packets, uint32_t count)
{
	(void)state;
	(void)packets;
	offer(coming);
	coming = 0;
	return count == BURST ? UINT32_MAX : (1U << count) - 1;
}

static const struct nf_type WORKER = {.name = "worker", .process = work};
static struct group_run run = {.slot = &world.group, .peak_round = &world.round, .nfs = {{.type = &WORKER}}};

static uint32_t peak(void)
{
	return peak_read(&world.nf.depth, atomic_load(&world.round));
}

static void reset(void)
{
	ring_reset(&world.nf.in, &world.before, &world.group.events);
	ring_reset(&world.nf.returned, &world.group.events, &world.back);
	ring_reset(&world.sink, &world.group.events, &world.after);
	world.group = (struct group_slot){.nf_count = 1, .out = &world.sink, .nfs = {&world.nf}};
	for (uint32_t i = 0; i < RING_SIZE; i++)
		world.packets[i].buf_addr = world.data;
}

/* 1024 places, bursts of 32. Between two bursts 992 are taken: 32 come while it works on the next one, which makes 1024. */
static void a_ring_that_stays_full_is_seen_full(struct worker *worker)
{
	offer(RING_SIZE - BURST);
	coming = BURST;
	CHECK(group_process_burst(worker, 0) == BURST);
	CHECK(peak() == RING_SIZE);
	CHECK(ring_count(&world.nf.in) == RING_SIZE - BURST);
}

/* In the next round nothing comes: 992 at the end of its first burst, and fewer ever after. */
static void each_round_has_its_own(struct worker *worker)
{
	atomic_fetch_add(&world.round, 1);
	CHECK(peak() == 0);
	for (int burst = 0; burst < 3; burst++)
		CHECK(group_process_burst(worker, 0) == BURST && peak() == RING_SIZE - BURST);
}

int main(void)
{
	static struct worker worker = {.run = &run, .slot = &world.group};

	reset();
	a_ring_that_stays_full_is_seen_full(&worker);
	each_round_has_its_own(&worker);
	return 0;
}
