/* The memory walker: which lines it touches, how many, and what memory it takes and gives back. */
#include <stdlib.h>

#include "nf/bubble_walk.h"
#include "packets.h"

#define COUNT 1000U

/* In steps of 7 lines, as bursts come: a whole round of `stride` or `chase` touches every line once. */
static void every_line_has_its_turn(enum pattern pattern, uint32_t stride)
{
	static struct line lines[COUNT];
	struct working_set set = {
		.lines = lines, .count = COUNT, .stride = stride, .write_share = WRITE_ALL, .pattern = pattern};
	struct walk walk;

	walk_begin(&set, &walk);
	for (uint32_t left = COUNT; left > 0; left -= left < 7 ? left : 7)
		walk_step(&set, &walk, left < 7 ? left : 7);
	for (uint32_t i = 0; i < COUNT; i++)
		CHECK(lines[i].written == 1);
	CHECK(counter_read(&walk.touched) == COUNT && counter_read(&walk.written) == COUNT);
}

/* 100 touches a line on average: Poisson, so that 40 or 160 would be six standard deviations away. */
static void random_lines_are_spread_evenly(void)
{
	static struct line lines[COUNT];
	struct working_set set = {.lines = lines, .count = COUNT, .stride = 1, .write_share = WRITE_ALL, .pattern = RANDOM};
	struct walk walk;

	walk_begin(&set, &walk);
	walk_step(&set, &walk, 100 * COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		CHECK(lines[i].written > 40 && lines[i].written < 160);
}

/* The share is exact over any stretch, to one line. */
static void the_share_of_writes_is_exact(void)
{
	void *bubble = open_nf(&NF_BUBBLE, "{\"working_set_bytes\": 65536, \"lines_per_packet\": 10, \"write_share\": 0.25}");
	void *reader = open_nf(&NF_BUBBLE, "{\"working_set_bytes\": 65536, \"pattern\": \"chase\"}");
	struct rte_mbuf *packets[] = {udp_to(1, 1), udp_to(2, 2), udp_to(3, 3)};

	for (int i = 1; i <= 50; i++) {
		CHECK(NF_BUBBLE.process(bubble, packets, 3) == 7);
		CHECK(figure(&NF_BUBBLE, bubble, "touched_lines") == 30 * i && figure(&NF_BUBBLE, bubble, "written_lines") == 30 * i / 4);
	}
	CHECK(NF_BUBBLE.process(reader, packets, 2) == 3);
	CHECK(figure(&NF_BUBBLE, reader, "touched_lines") == 2 * 16 && figure(&NF_BUBBLE, reader, "written_lines") == 0);
	rte_pktmbuf_free_bulk(packets, 3);
	NF_BUBBLE.close(bubble);
	NF_BUBBLE.close(reader);
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	long kib = -1;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "RssShmem: %ld", &kib) == 1)
			break;
	(void)fclose(file);
	CHECK(kib >= 0);
	return kib;
}

/* Of 256 MiB one bubble of 160 is let in, two are not; once it is closed, its pages are the system's again. */
static void memory_is_bounded_and_given_back(void)
{
	static const char config[] =
		"{\"working_set_bytes\": 167772160, \"pattern\": \"chase\", \"lines_per_packet\": 16, \"write_share\": 1}";
	struct rte_mbuf *packets[BURST] = {0}; /* never looked at */
	long before = resident_kib();

	for (int i = 0; i < 3; i++) {
		void *bubble = open_nf(&NF_BUBBLE, config);

		CHECK(resident_kib() - before < 1024); /* filled by another process: this one's death would end all NFs */
		refuses_why(&NF_BUBBLE, config, E_NO_ROOM, "", "no 163840 KiB left");
		for (uint32_t mapped = 0; mapped < 160; mapped += 2) /* MiB, a piece a burst */
			CHECK(NF_BUBBLE.process(bubble, packets, BURST) == UINT32_MAX);
		CHECK(resident_kib() - before > 150 * 1024);
		NF_BUBBLE.close(bubble);
		CHECK(resident_kib() - before < 1024);
	}
}

static void it_refuses(void)
{
	refuses(&NF_BUBBLE, "{\"working_set_bytes\": 268435520}", ".working_set_bytes");
	refuses(&NF_BUBBLE, "{\"working_set_bytes\": 4095}", ".working_set_bytes");
	refuses_why(&NF_BUBBLE, "{\"working_set_bytes\": 4100}", E_BAD_CONFIG, ".working_set_bytes", "a multiple of 64");
	refuses(&NF_BUBBLE, "{\"lines_per_packet\": 4097}", ".lines_per_packet");
	refuses(&NF_BUBBLE, "{\"pattern\": \"zigzag\"}", ".pattern");
	refuses(&NF_BUBBLE, "{\"pattern\": null}", ".pattern");
	refuses(&NF_BUBBLE, "{\"stride_bytes\": 65}", ".stride_bytes");
	refuses(&NF_BUBBLE, "{\"working_set_bytes\": 4096, \"stride_bytes\": 4160}", ".stride_bytes");
	refuses(&NF_BUBBLE, "{\"write_share\": 1.01}", ".write_share");
	refuses(&NF_BUBBLE, "{\"loops\": 1}", ".loops");
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	every_line_has_its_turn(STRIDE, 1);
	every_line_has_its_turn(STRIDE, 3);
	every_line_has_its_turn(STRIDE, 10);
	every_line_has_its_turn(STRIDE, COUNT);
	every_line_has_its_turn(CHASE, 1);
	random_lines_are_spread_evenly();
	the_share_of_writes_is_exact();
	memory_is_bounded_and_given_back();
	it_refuses();
	packets_end();
	return 0;
}
