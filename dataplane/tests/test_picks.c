/* What is drawn for each packet: its size, its flow, its payload; shares with the arithmetic written out. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "packets/checksum.h"
#include "packets/flow_pick.h"
#include "packets/payload.h"
#include "packets/sizes.h"

#define DRAWS 1200000U

/* Five standard errors of a share p over n draws. */
static bool near(uint64_t seen, double share)
{
	double n = DRAWS;

	return fabs((double)seen / n - share) <= 5 * sqrt(share * (1 - share) / n);
}

/* 7 x 64 + 4 x 594 + 1 x 1518 = 448 + 2376 + 1518 = 4342; 4342 / 12 = 361.83 bytes. */
static void imix_has_its_mean(void)
{
	static const struct size_share imix[] = IMIX_SIZES;
	uint64_t counts[3] = {0}, bytes = 0;
	struct size_pick pick;

	size_pick_start(&pick, imix, 3, 1);
	for (uint32_t i = 0; i < DRAWS; i++) {
		uint32_t index = size_pick_next(&pick);

		counts[index]++;
		bytes += imix[index].bytes;
	}
	CHECK(near(counts[0], 7.0 / 12) && near(counts[1], 4.0 / 12) && near(counts[2], 1.0 / 12));
	/* E[b^2] = (7 x 64^2 + 4 x 594^2 + 1518^2) / 12 = 312,030; less the mean's square: a deviation of 425.5 bytes. */
	CHECK(fabs((double)bytes / DRAWS - 4342.0 / 12) < 5 * 425.5 / sqrt(DRAWS));
}

static void one_size_needs_no_draw(void)
{
	struct size_share one = {.bytes = 64, .weight = 3};
	struct size_pick pick;
	uint64_t before;

	size_pick_start(&pick, &one, 1, 1);
	before = pick.random;
	CHECK(size_pick_next(&pick) == 0 && pick.random == before);
}

/* P(k) = k^-s / H(n, s), with H summed up here. */
static void zipf_ranks_have_their_shares(double exponent, uint32_t flows)
{
	uint64_t *counts = calloc(flows, sizeof(*counts));
	double harmonic = 0;
	struct flow_pick pick;

	CHECK(counts != NULL);
	for (uint32_t k = 1; k <= flows; k++)
		harmonic += pow(k, -exponent);
	flow_pick_start(&pick, FLOWS_ZIPF, flows, exponent, 1);
	for (uint32_t i = 0; i < DRAWS; i++) {
		uint32_t flow = flow_pick_next(&pick);

		CHECK(flow < flows);
		counts[flow]++;
	}
	for (uint32_t k = 1; k <= flows && k <= 20; k++)
		CHECK(near(counts[k - 1], pow(k, -exponent) / harmonic));
	free(counts);
}

static void uniform_flows_are_alike(void)
{
	uint64_t counts[12] = {0};
	struct flow_pick pick;

	flow_pick_start(&pick, FLOWS_UNIFORM, 12, 0, 9);
	for (uint32_t i = 0; i < DRAWS; i++)
		counts[flow_pick_next(&pick)]++;
	for (uint32_t i = 0; i < 12; i++)
		CHECK(near(counts[i], 1.0 / 12));
}

static void round_robin_takes_turns(void)
{
	struct flow_pick pick;

	flow_pick_start(&pick, FLOWS_ROUND_ROBIN, 3, 0, 9);
	for (uint32_t i = 0; i < 30; i++)
		CHECK(flow_pick_next(&pick) == i % 3);
}

/* The same seed draws the same, another seed something else; sizes and flows of one seed do not go together. */
static void seeds_decide(void)
{
	static const struct size_share halves[] = {{64, 1}, {128, 1}};
	struct size_pick sizes;
	struct flow_pick one, same, other;
	uint32_t differ = 0, together = 0;

	size_pick_start(&sizes, halves, 2, 5);
	flow_pick_start(&one, FLOWS_UNIFORM, 2, 0, 5);
	flow_pick_start(&same, FLOWS_UNIFORM, 2, 0, 5);
	flow_pick_start(&other, FLOWS_UNIFORM, 2, 0, 6);
	for (uint32_t i = 0; i < DRAWS; i++) {
		uint32_t flow = flow_pick_next(&one);

		CHECK(flow_pick_next(&same) == flow);
		differ += flow_pick_next(&other) != flow;
		together += size_pick_next(&sizes) == flow;
	}
	CHECK(near(differ, 0.5) && near(together, 0.5));
}

/* A fifth of the packets holds one of the two strings, each of the strings in a tenth; never more than one place. */
static void a_share_of_packets_matches(void)
{
	struct payload_config config = {.kind = PAYLOAD_MATCHES, .match_share = 0.2, .match_count = 2,
		.matches = {{.length = 9, .bytes = "malicious"}, {.length = 4, .bytes = "evil"}}};
	uint64_t first = 0, second = 0, at_start = 0, at_end = 0;
	struct payload payload;
	uint8_t out[31];

	payload_start(&payload, &config, 1);
	for (uint32_t i = 0; i < DRAWS; i++) {
		uint64_t sum = payload_write(&payload, out, sizeof(out));

		CHECK(checksum_fold(sum) == checksum_fold(checksum_sum(out, sizeof(out))));
		first += memmem(out, sizeof(out), "malicious", 9) != NULL;
		second += memmem(out, sizeof(out), "evil", 4) != NULL;
		at_start += memcmp(out, "evil", 4) == 0;
		at_end += memcmp(out + 27, "evil", 4) == 0;
	}
	CHECK(near(first, 0.1) && near(second, 0.1));
	CHECK(near(at_start, 0.1 / 28) && near(at_end, 0.1 / 28)); /* 31 - 4 + 1 places */
}

static void all_or_none_may_match(void)
{
	struct payload_config config = {.kind = PAYLOAD_MATCHES, .match_share = 1, .match_count = 1,
		.matches = {{.length = 4, .bytes = "evil"}}};
	struct payload payload;
	uint8_t out[10];

	payload_start(&payload, &config, 1);
	for (uint32_t i = 0; i < 10000; i++) {
		(void)payload_write(&payload, out, sizeof(out));
		CHECK(memmem(out, sizeof(out), "evil", 4) != NULL);
	}
	config.match_share = 0;
	payload_start(&payload, &config, 1);
	for (uint32_t i = 0; i < 10000; i++) {
		(void)payload_write(&payload, out, sizeof(out));
		CHECK(memmem(out, sizeof(out), "evil", 4) == NULL);
	}
}

/* Random bytes are no text of zeros: all 256 values are about as frequent, in packets that differ. */
static void random_bytes_are_spread(void)
{
	struct payload_config config = {.kind = PAYLOAD_RANDOM};
	uint32_t counts[256] = {0}, alike = 0;
	struct payload payload;
	uint8_t out[1000], before[1000] = {0};

	payload_start(&payload, &config, 1);
	for (uint32_t i = 0; i < 1000; i++) {
		(void)payload_write(&payload, out, sizeof(out));
		for (uint32_t at = 0; at < sizeof(out); at++)
			counts[out[at]]++;
		alike += memcmp(out, before, sizeof(out)) == 0;
		memcpy(before, out, sizeof(out));
	}
	for (uint32_t i = 0; i < 256; i++) /* 3906 each, were the bytes independent; they come from a pool of 34 KB */
		CHECK(counts[i] > 2000 && counts[i] < 6000);
	CHECK(alike <= 2);
}

int main(void)
{
	payload_pool_fill();
	imix_has_its_mean();
	one_size_needs_no_draw();
	zipf_ranks_have_their_shares(1, 1000); /* rank 1 of 1000: 1 / 7.485 = 13.4 % */
	zipf_ranks_have_their_shares(0.5, 50);
	zipf_ranks_have_their_shares(0.9999, 1000);
	zipf_ranks_have_their_shares(1.1, 1000000);
	zipf_ranks_have_their_shares(4, 100000);
	zipf_ranks_have_their_shares(2, 1);
	uniform_flows_are_alike();
	round_robin_takes_turns();
	seeds_decide();
	a_share_of_packets_matches();
	all_or_none_may_match();
	random_bytes_are_spread();
	return 0;
}
