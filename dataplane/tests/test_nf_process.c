/* A killed NF loses and doubles nothing: every state a kill can leave, and hundreds of real kills at random moments. */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "nf_process.h"
#include "process.h"

#define KILLS 1500
#define PLACES 4096U

struct world {
	struct bell before, after, back, control;
	struct nf_slot slot;
	struct ring sink;
	struct rte_mbuf packets[PLACES];
	uint8_t data[64];
};

static struct world *world;

static void reset(void)
{
	memset(world, 0, sizeof(*world));
	ring_reset(&world->slot.in, &world->before, &world->slot.bell);
	ring_reset(&world->slot.returned, &world->slot.bell, &world->back);
	ring_reset(&world->sink, &world->slot.bell, &world->after);
	world->slot.out = &world->sink;
	for (uint32_t i = 0; i < PLACES; i++)
		world->packets[i].buf_addr = world->data;
}

/* A step is eight stores after `valid`; killed after any of them, the end is the same. */
static void every_partial_step_is_finished(void)
{
	for (int done = 0; done <= 8; done++) {
		struct nf_slot *slot = &world->slot;

		reset();
		slot->step = (struct nf_step){.valid = 1, .in_head = 5, .out_tail = 3, .returned_tail = 2,
			.rx = 50, .tx = 30, .drops = 4, .filtered = 20, .cycles = 99};
		slot->in.tail = 9;
		if (done > 0)
			slot->out->tail = 3;
		if (done > 1)
			slot->returned.tail = 2;
		if (done > 2)
			slot->in.head = 5;
		if (done > 3)
			slot->rx = 50;
		if (done > 4)
			slot->tx = 30;
		if (done > 5)
			slot->drops = 4;
		if (done > 6)
			slot->filtered = 20;
		nf_recover(slot);
		CHECK(ring_used(&slot->in) == 4 && ring_used(slot->out) == 3 && ring_used(&slot->returned) == 2);
		CHECK(slot->rx == 50 && slot->tx == 30 && slot->drops == 4 && slot->filtered == 20 && slot->cycles == 99);
		CHECK(slot->step.valid == 0);
	}
}

static void an_unwritten_step_is_forgotten(void)
{
	reset();
	world->slot.in.tail = 9;
	world->slot.step = (struct nf_step){.in_head = 5, .out_tail = 5, .rx = 5};
	nf_recover(&world->slot);
	CHECK(ring_used(&world->slot.in) == 9 && ring_used(&world->sink) == 0 && world->slot.rx == 0);
}

/* Filters every third packet by its number, which the timestamp field of this test's packets carries. */
static uint32_t keep_two_of_three(void *state, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t keep = 0;

	(void)state;
	for (uint32_t i = 0; i < count; i++)
		keep |= (packets[i]->dynfield1[0] % 3 != 0 ? 1U : 0U) << i;
	return keep;
}

static void *no_tables(const json_t *config, const struct scope *scope, const char *tag)
{
	(void)config;
	(void)scope;
	(void)tag;
	return NULL;
}

static const struct nf_type TEST_TYPE = {.name = "test", .open = no_tables, .process = keep_two_of_three};

struct tally {
	uint32_t made, kept, filtered;  /* packets that went in; that came out on either side */
	uint32_t last_kept, last_filtered;
};

static void feed(struct tally *tally)
{
	struct ring *in = &world->slot.in;
	uint32_t room = ring_free(in), count = 0;

	/* A packet's place is used again only after 4096 others: at most 3 x 1024 are anywhere. */
	for (; count < room; count++) {
		struct rte_mbuf *packet = &world->packets[++tally->made % PLACES];

		packet->dynfield1[0] = tally->made;
		ring_put(in, count, packet);
	}
	ring_publish(in, count);
	ring_signal_data(in);
}

static uint32_t drain(struct ring *ring, uint32_t *last, bool filtered)
{
	uint32_t used = ring_used(ring);

	for (uint32_t i = 0; i < used; i++) {
		uint32_t number = ring_peek(ring, i)->dynfield1[0];

		CHECK(number > *last && (number % 3 == 0) == filtered); /* in order, none twice, each on its side */
		*last = number;
	}
	ring_consume(ring, used);
	ring_signal_room(ring);
	return used;
}

static void drain_both(struct tally *tally)
{
	tally->kept += drain(&world->sink, &tally->last_kept, false);
	tally->filtered += drain(&world->slot.returned, &tally->last_filtered, true);
}

static void run_for(struct tally *tally, uint64_t ns)
{
	uint64_t until = now_ns() + ns;

	while (now_ns() < until) {
		feed(tally);
		drain_both(tally);
	}
}

/* Another core than ours where there is one: then the signal meets any instruction, not only those at a switch. */
static int other_core(void)
{
	cpu_set_t allowed;
	int last = sched_getcpu();

	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET((size_t)core, &allowed) && core != sched_getcpu())
			last = core;
	return last;
}

static void random_kills_lose_nothing(void)
{
	struct nf_run run = {.slot = &world->slot, .type = &TEST_TYPE, .control_bell = &world->control};
	struct tally tally = {0};
	uint64_t random = nf_seed(11), cpu_ns = 0;

	reset();
	for (int kill_number = 0; kill_number < KILLS; kill_number++) {
		pid_t pid = process_start("test-nf", other_core(), nf_process_main, &run);

		CHECK(pid > 0);
		run_for(&tally, 200000 + nf_random(&random) % 1500000);
		process_end(pid, &cpu_ns);
		nf_recover(&world->slot);
		drain_both(&tally);
		CHECK(tally.made - ring_used(&world->slot.in) == tally.kept + tally.filtered);
		CHECK(counter_read(&world->slot.rx) == tally.kept + tally.filtered);
		CHECK(counter_read(&world->slot.tx) == tally.kept);
		CHECK(counter_read(&world->slot.filtered) == tally.filtered);
	}
	CHECK(tally.made > 100000);
	(void)fprintf(stderr, "%d kills, %u packets\n", KILLS, tally.made);
}

int main(void)
{
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(world != MAP_FAILED);
	every_partial_step_is_finished();
	an_unwritten_step_is_forgotten();
	random_kills_lose_nothing();
	return 0;
}
