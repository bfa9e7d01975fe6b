/* A killed group of NFs loses and doubles nothing: every state a kill can leave, and real kills and changes at random. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/process.h"
#include "check.h"
#include "groups/group_run.h"
#include "groups/group_step.h"
#include "groups/nf_process.h"

#define ROUNDS 500 /* of each way of ending a process */
#define PLACES 8192U
#define NFS 3U
#define LONG_NS 30000000000ULL

struct world {
	struct eventcount before, after, back, control;
	_Atomic uint32_t round;
	struct group_slot group;
	struct nf_slot nfs[NFS];
	struct ring sink;
	struct rte_mbuf packets[PLACES];
	uint8_t data[64];
};

static struct world *world;

/* The NFs [first, first + count) as one group. */
static void lay(uint32_t first, uint32_t count)
{
	struct group_slot *group = &world->group;

	memset(group, 0, sizeof(*group));
	group->nf_count = count;
	group->out = first + count < NFS ? &world->nfs[first + count].in : &world->sink;
	for (uint32_t i = 0; i < count; i++)
		group->nfs[i] = &world->nfs[first + i];
}

static void reset(void)
{
	memset(world, 0, sizeof(*world));
	for (uint32_t i = 0; i < NFS; i++) {
		ring_reset(&world->nfs[i].in, &world->before, &world->group.events);
		ring_reset(&world->nfs[i].returned, &world->group.events, &world->back);
	}
	ring_reset(&world->sink, &world->group.events, &world->after);
	lay(0, NFS);
	for (uint32_t i = 0; i < PLACES; i++)
		world->packets[i].buf_addr = world->data;
}

static void write_down_a_step(void)
{
	world->group.step = (struct group_step){
		.valid = 1, .entry = 0, .end = 2, .in_head = 5, .out_tail = 3, .returned_tail = 2};
	world->nfs[0].next = (struct nf_totals){.rx = 50, .tx = 30, .drops = 4, .filtered = 20, .cycles = 99};
	world->nfs[1].next = (struct nf_totals){.rx = 30, .tx = 29, .drops = 0, .filtered = 1, .cycles = 77};
	world->nfs[2].next = (struct nf_totals){.rx = 666}; /* of an earlier step, or half written */
	world->nfs[0].in.tail = 9;
}

/* The stores of a step in their order; killed after any of them, the end is the same. */
static void every_partial_step_is_finished(void)
{
	for (int done = 0; done <= 7; done++) {
		struct nf_slot *nfs = world->nfs;

		reset();
		write_down_a_step();
		if (done > 0)
			world->sink.tail = 3;
		if (done > 1)
			nfs[0].returned.tail = 2;
		if (done > 2)
			nfs[0].in.head = 5;
		if (done > 3)
			nfs[0].rx = 50;
		if (done > 4)
			nfs[0].filtered = 20;
		if (done > 5)
			nfs[1].rx = 30;
		if (done > 6)
			nfs[1].tx = 29;
		if (done % 2 == 0) /* whether or not the mark of the begun burst is gone already */
			world->group.step.begun = 5;
		step_recover(&world->group, false);
		CHECK(ring_count(&nfs[0].in) == 4 && ring_count(&world->sink) == 3 && ring_count(&nfs[0].returned) == 2);
		CHECK(nfs[0].rx == 50 && nfs[0].tx == 30 && nfs[0].drops == 4 && nfs[0].filtered == 20 && nfs[0].cycles == 99);
		CHECK(nfs[1].rx == 30 && nfs[1].tx == 29 && nfs[1].filtered == 1 && nfs[1].cycles == 77);
		CHECK(nfs[2].rx == 0); /* the step did not reach it */
		CHECK(world->group.step.valid == 0 && world->group.step.begun == 0);
	}
}

/* Killed while NFs worked on it: where that can be repeated it is as if nothing had been; elsewhere it is given back. */
static void a_begun_burst_is_repeated_or_dropped(void)
{
	struct nf_slot *nfs = world->nfs;

	for (int repeatable = 0; repeatable <= 1; repeatable++) {
		reset();
		for (uint32_t i = 0; i < 9; i++)
			ring_put(&nfs[1].in, i, &world->packets[i]);
		ring_publish(&nfs[1].in, 9);
		nfs[1].rx = nfs[1].tx = 100;
		nfs[2].next = (struct nf_totals){.rx = 666};
		step_begin(&world->group, 1, 5);
		step_recover(&world->group, repeatable);
		CHECK(world->group.step.begun == 0 && world->group.step.valid == 0 && ring_count(&world->sink) == 0);
		CHECK(ring_count(&nfs[1].in) == (repeatable ? 9 : 4) && ring_count(&nfs[0].returned) == (repeatable ? 0 : 5));
		CHECK(nfs[1].rx == (repeatable ? 100 : 105) && nfs[1].drops == (repeatable ? 0 : 5) && nfs[1].tx == 100);
		CHECK(ring_peek(&nfs[1].in, 0) == &world->packets[repeatable ? 0 : 5] && nfs[2].rx == 0);
		CHECK(repeatable || ring_peek(&nfs[0].returned, 4) == &world->packets[4]);
	}
}

static void an_unwritten_step_is_forgotten(void)
{
	reset();
	write_down_a_step();
	world->group.step.valid = 0;
	step_recover(&world->group, false);
	CHECK(ring_count(&world->nfs[0].in) == 9 && ring_count(&world->sink) == 0 && world->nfs[0].rx == 0);
}

/* NF n filters the multiples of its prime; a packet carries its number, and how often each NF has worked on it. */
static const uint32_t PRIMES[NFS] = {3, 5, 7};
static uint32_t numbers[NFS] = {0, 1, 2};

static uint32_t filter(void *state, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t number = *(const uint32_t *)state, keep = 0;

	for (uint32_t i = 0; i < count; i++) {
		packets[i]->dynfield1[1 + number]++;
		keep |= (packets[i]->dynfield1[0] % PRIMES[number] != 0 ? 1U : 0U) << i;
	}
	return keep;
}

static void *no_tables(const json_t *config, const struct scope *scope, const char *tag)
{
	(void)config;
	(void)scope;
	(void)tag;
	return NULL;
}

static const struct nf_type TEST_TYPE = {.name = "test", .open = no_tables, .process = filter};

static uint32_t filtered_by(uint32_t packet)
{
	for (uint32_t number = 0; number < NFS; number++)
		if (packet % PRIMES[number] == 0)
			return number;
	return NFS;
}

struct tally {
	bool repeatable;
	uint32_t made, kept, filtered[NFS], dropped, repeated;
	uint32_t last_kept;
};

static void feed(struct tally *tally)
{
	struct ring *in = &world->nfs[0].in;
	uint32_t room = ring_free_count(in), count = 0;

	/* A packet's place is used again only after 8192 others: at most 7 x 1024 are anywhere. */
	for (; count < room; count++) {
		struct rte_mbuf *packet = &world->packets[++tally->made % PLACES];

		memset(packet->dynfield1, 0, sizeof(packet->dynfield1));
		packet->dynfield1[0] = tally->made;
		ring_put(in, count, packet);
	}
	ring_publish(in, count);
	ring_signal_data(in);
}

/* What came out was worked on once by each NF; or more often where that does no harm. */
static void check_worked(struct tally *tally, const struct rte_mbuf *packet)
{
	for (uint32_t i = 0; i < NFS; i++) {
		CHECK(packet->dynfield1[1 + i] == 1 || (tally->repeatable && packet->dynfield1[1 + i] > 1));
		tally->repeated += packet->dynfield1[1 + i] > 1;
	}
}

static void take_back(struct tally *tally, uint32_t number)
{
	uint32_t by = filtered_by(number);

	/* Of a dropped burst those are also back that would have been filtered: the NFs' counters distinguish them. */
	if (by < NFS)
		tally->filtered[by]++;
	else
		tally->dropped++;
	CHECK(by < NFS || !tally->repeatable);
}

static void drain(struct tally *tally)
{
	uint32_t used = ring_count(&world->sink);

	for (uint32_t i = 0; i < used; i++) {
		uint32_t number = ring_peek(&world->sink, i)->dynfield1[0];

		CHECK(number > tally->last_kept && filtered_by(number) == NFS); /* in order, none twice, none that was filtered */
		tally->last_kept = number;
		check_worked(tally, ring_peek(&world->sink, i));
	}
	tally->kept += used;
	ring_consume(&world->sink, used);
	ring_signal_space(&world->sink);
	for (uint32_t nf = 0; nf < NFS; nf++) {
		struct ring *returned = &world->nfs[nf].returned;

		used = ring_count(returned);
		for (uint32_t i = 0; i < used; i++)
			take_back(tally, ring_peek(returned, i)->dynfield1[0]);
		ring_consume(returned, used);
		ring_signal_space(returned);
	}
}

static void run_for(struct tally *tally, uint64_t ns)
{
	uint64_t until = now_ns() + ns;

	while (now_ns() < until) {
		feed(tally);
		drain(tally);
	}
}

/* Every packet that was made is in one ring, or was counted once, by the NFs it passed. */
static void check_books(const struct tally *tally)
{
	struct nf_slot *nfs = world->nfs;
	uint64_t back = 0, returned = 0;
	uint32_t waiting[NFS];

	for (uint32_t i = 0; i < NFS; i++)
		waiting[i] = ring_count(&nfs[i].in);
	CHECK(counter_read(&nfs[0].rx) == tally->made - waiting[0]);
	CHECK(counter_read(&nfs[1].rx) + waiting[1] == counter_read(&nfs[0].tx));
	CHECK(counter_read(&nfs[2].rx) + waiting[2] == counter_read(&nfs[1].tx));
	CHECK(counter_read(&nfs[2].tx) == tally->kept);
	for (uint32_t i = 0; i < NFS; i++) {
		uint64_t filtered = counter_read(&nfs[i].filtered), drops = counter_read(&nfs[i].drops);

		CHECK(counter_read(&nfs[i].rx) == counter_read(&nfs[i].tx) + filtered + drops);
		CHECK(tally->repeatable ? filtered == tally->filtered[i] && drops == 0 : filtered <= tally->filtered[i]);
		back += filtered + drops;
		returned += tally->filtered[i];
	}
	CHECK(back == returned + tally->dropped);
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

static void command(uint32_t number)
{
	atomic_store(&world->group.command, number);
	eventcount_signal(&world->group.events);
}

static pid_t start(uint32_t first, uint32_t count)
{
	static struct group_run run;
	pid_t pid;

	lay(first, count);
	run = (struct group_run){.slot = &world->group, .control_events = &world->control, .peak_round = &world->round};
	for (uint32_t i = 0; i < count; i++) {
		run.nfs[i].type = &TEST_TYPE;
		run.nfs[i].state = &numbers[first + i];
	}
	command(1);
	pid = process_start("test-nf", other_core(), nf_process_main, &run);
	CHECK(pid > 0 && process_wait_value(pid, &world->group.acknowledged, 1, &world->control, LONG_NS));
	command(2);
	return pid;
}

static void random_kills_lose_nothing(bool repeatable)
{
	struct tally tally = {.repeatable = repeatable};
	uint64_t random = nf_seed(11), cpu_ns = 0;

	reset();
	for (int kill_number = 0; kill_number < ROUNDS; kill_number++) {
		pid_t pid = start(0, NFS);

		run_for(&tally, 200000 + nf_random(&random) % 1500000);
		process_kill(pid, &cpu_ns);
		step_recover(&world->group, repeatable);
		drain(&tally);
		check_books(&tally);
	}
	CHECK(tally.made > 50000 && (repeatable ? tally.dropped == 0 : tally.repeated == 0));
	(void)fprintf(stderr, "%d kills, %u packets: %u worked on again, %u dropped\n", ROUNDS, tally.made, tally.repeated,
		tally.dropped);
}

/* The NFs in every possible grouping, one process at a time, so that packets are left in every ring in between. */
static void regrouped_packets_keep_their_order(void)
{
	struct tally tally = {.repeatable = true};
	uint64_t random = nf_seed(5), cpu_ns = 0;
	uint32_t most_waiting = 0;

	reset();
	for (int change = 0; change < ROUNDS; change++) {
		uint32_t first = nf_random(&random) % NFS, count = 1 + nf_random(&random) % (NFS - first);
		pid_t pid = start(first, count);

		run_for(&tally, 200000 + nf_random(&random) % 500000);
		command(3);
		CHECK(process_wait_value(pid, &world->group.acknowledged, 3, &world->control, LONG_NS));
		CHECK(world->group.step.valid == 0); /* it holds between two steps */
		process_kill(pid, &cpu_ns);
		drain(&tally);
		check_books(&tally);
		most_waiting = RTE_MAX(most_waiting, ring_count(&world->nfs[1].in) + ring_count(&world->nfs[2].in));
	}
	CHECK(tally.made > 10000 && most_waiting > BURST);
	(void)fprintf(stderr, "%d changes, %u packets, up to %u between the NFs\n", ROUNDS, tally.made, most_waiting);
}

/* No space in either output ring: it holds at once nevertheless, with the burst still in its ring. */
static void it_holds_while_it_waits_for_room(void)
{
	struct tally tally = {.repeatable = true};
	uint64_t cpu_ns = 0;
	pid_t pid;

	reset();
	pid = start(0, NFS);
	while (ring_free_count(&world->sink) >= BURST && ring_free_count(&world->nfs[0].returned) >= BURST)
		feed(&tally);
	command(3);
	CHECK(process_wait_value(pid, &world->group.acknowledged, 3, &world->control, LONG_NS));
	command(4);
	run_for(&tally, 20000000);
	process_kill(pid, &cpu_ns);
	step_recover(&world->group, true);
	drain(&tally);
	check_books(&tally);
	CHECK(tally.made > RING_SIZE);
}

int main(void)
{
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(world != MAP_FAILED);
	every_partial_step_is_finished();
	an_unwritten_step_is_forgotten();
	a_begun_burst_is_repeated_or_dropped();
	it_holds_while_it_waits_for_room();
	random_kills_lose_nothing(true);
	random_kills_lose_nothing(false);
	regrouped_packets_keep_their_order();
	return 0;
}
