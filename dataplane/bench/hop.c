/*
 * What one more NF costs a packet: cycles a packet through one group of 1 to 8 simple-forward NFs that do nothing, or
 * through as many groups of one. Rings are filled and emptied outside the clock, in this one process: source,
 * sink and context switches are not in it. Each figure is the quickest of many passes of 1024 packets, for others on
 * this machine only ever make a pass longer.
 *
 *     bench-hop [PASSES]      as JSON lines, for make bench-dataplane
 */
#include <rte_cycles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups/group_work.h"
#include "nf/nf.h"

#define NFS_MOST 8U

struct bench {
	struct eventcount neighbour;
	_Atomic uint32_t round;
	struct group_slot groups[NFS_MOST];
	struct nf_slot nfs[NFS_MOST];
	struct ring sink;
	struct group_run runs[NFS_MOST];
	struct worker workers[NFS_MOST];
	struct rte_mbuf packets[RING_SIZE];
	uint8_t data[RING_SIZE][64];
};

static struct bench bench;
static void *forward;
static long passes = 20000;

/* One eventcount for every end: no ring is ever waited for. */
static void connect(uint32_t nfs, uint32_t nfs_a_group)
{
	memset(&bench, 0, offsetof(struct bench, packets));
	for (uint32_t i = 0; i < nfs; i++) {
		struct group_slot *group = &bench.groups[i / nfs_a_group];
		struct group_run *run = &bench.runs[i / nfs_a_group];

		ring_reset(&bench.nfs[i].in, &bench.neighbour, &bench.neighbour);
		ring_reset(&bench.nfs[i].returned, &bench.neighbour, &bench.neighbour);
		run->nfs[group->nf_count].type = &NF_SIMPLE_FORWARD;
		run->nfs[group->nf_count].state = forward;
		run->slot = group;
		run->peak_round = &bench.round;
		group->nfs[group->nf_count++] = &bench.nfs[i];
		group->out = i + 1 < nfs ? &bench.nfs[i + 1].in : &bench.sink;
		bench.workers[i / nfs_a_group] = (struct worker){.run = run, .slot = group};
	}
	ring_reset(&bench.sink, &bench.neighbour, &bench.neighbour);
	for (uint32_t i = 0; i < RING_SIZE; i++)
		bench.packets[i].buf_addr = bench.data[i];
}

static void fill(uint32_t burst)
{
	for (uint32_t i = 0; i < burst; i++)
		ring_put(&bench.nfs[0].in, i, &bench.packets[i]);
	ring_publish(&bench.nfs[0].in, burst);
}

/* Cycles a packet of `groups` groups, each taking all there is in its ring, by bursts of `burst`. */
static double pass(uint32_t groups, uint32_t burst)
{
	uint64_t cycles = 0, started;

	for (uint32_t done = 0; done < RING_SIZE; done += burst) {
		fill(burst);
		started = rte_rdtsc();
		for (uint32_t group = 0; group < groups; group++)
			while (group_process_burst(&bench.workers[group], 0) > 0)
				;
		cycles += rte_rdtsc() - started;
		ring_consume(&bench.sink, burst);
	}
	return (double)cycles / RING_SIZE;
}

static double quickest(uint32_t nfs, uint32_t nfs_a_group, uint32_t burst)
{
	double best = 1e9;

	connect(nfs, nfs_a_group);
	for (long i = 0; i < passes; i++) {
		double found = pass(nfs / nfs_a_group, burst);

		best = found < best ? found : best;
	}
	return best;
}

static void row(const char *what, bool one_group, uint32_t burst)
{
	(void)printf("{\"what\": \"%s\", \"cycles\": [", what);
	for (uint32_t nfs = 1; nfs <= NFS_MOST; nfs++)
		(void)printf("%s%.2f", nfs == 1 ? "" : ", ", quickest(nfs, one_group ? nfs : 1, burst));
	(void)printf("]}\n");
}

/* The NF's own work, which a hop is not: its function called alone, on the same bursts. */
static double own_work(uint32_t burst)
{
	struct rte_mbuf *packets[BURST];
	double best = 1e9;

	for (uint32_t i = 0; i < burst; i++)
		packets[i] = &bench.packets[i];
	for (long i = 0; i < passes; i++) {
		uint64_t started = rte_rdtsc();
		double found;

		for (int again = 0; again < 100; again++)
			(void)NF_SIMPLE_FORWARD.process(forward, packets, burst);
		found = (double)(rte_rdtsc() - started) / 100 / burst;
		best = found < best ? found : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = &err};

	if (argc > 1)
		passes = strtol(argv[1], NULL, 10);
	forward = NF_SIMPLE_FORWARD.open(json_pack("{s:i}", "loops", 0), &scope, "bench");
	if (forward == NULL)
		return 1;
	(void)printf("{\"own_work\": %.2f}\n", own_work(32));
	row("run to completion, bursts of 32", true, 32);
	row("run to completion, bursts of 8", true, 8);
	row("run to completion, single packets", true, 1);
	row("isolated, bursts of 32: rings only", false, 32);
	return 0;
}
