/*
 * Frames changed at random, to every program. Whatever comes: no error, and what goes on is what the decoder, which shares no code
 * with the programs, takes for headers of an edge of ours.
 */
#include <string.h>

#include "check.h"
#include "decode/decode.h"
#include "frames.h"
#include "rig.h"

#define ROUNDS 60000U
#define SHORTEST 54U /* a test run takes no shorter IPv6 frame; on a wire 60 is the shortest */

static const char *const SEEDS[] = {
	ETHERNET_IPV4 INNER_IPV4,
	ETHERNET_IPV6 INNER_IPV6,
	ETHERNET_IPV6 "60000000 0020 2b 40" IPV6_ADDRESSES "11 02 04 00 00 01 0007" SID_NF "00000000 00000000",
	ETHERNET_IPV6 "60012345 0050 2b 40" EDGE SID_NF "04 05 04 01 01 01 0007" SID_EGRESS SID_NF EMPTY_TLV INNER_IPV4,
	ETHERNET_IPV6 "60012345 0050 2b 3f" EDGE SID_EGRESS "04 05 04 00 01 01 0007" SID_EGRESS
		METADATA("00000001", "00000002", "00000003") EMPTY_TLV INNER_IPV4,
};
static uint32_t state = 20;

static uint32_t below(uint32_t bound)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % bound;
}

static struct frame damaged(void)
{
	static const uint8_t edges[] = {0, 1, 4, 0x2b, 0x3c, 0x2c, 0x7f, 0x80, 0xff};
	struct frame frame = rig_frame(SEEDS[below(sizeof(SEEDS) / sizeof(SEEDS[0]))]);

	for (uint32_t i = below(4); i > 0; i--) {
		uint8_t *byte = &frame.bytes[12 + below((uint32_t)frame.size - 12)];

		*byte = below(2) == 0 ? edges[below(sizeof(edges))] : (uint8_t)(*byte ^ 1U << below(8));
	}
	if (below(8) == 0)
		frame.size = SHORTEST + below((uint32_t)frame.size);
	frame.size = frame.size < SHORTEST ? SHORTEST : frame.size;
	return frame;
}

/* Wrapped: with what came in inside it, which has no routing header and goes to no segment. */
static void check_edge(const struct frame *in, const struct frame *out)
{
	struct srv6_headers headers;
	const uint8_t *inner = in->bytes + 14;

	CHECK(srv6_decode(out->bytes + 14, out->size - 14, &headers) == NULL && headers.bytes == 88);
	CHECK(out->size == in->size + 88 && memcmp(out->bytes + 14 + 88, inner, in->size - 14) == 0);
	CHECK(inner[0] >> 4 != 6 || inner[6] != 43);
	CHECK(inner[0] >> 4 != 6 || memcmp(inner + 24, "\xfc\0\0\0", 4) != 0);
}

static void check_core(const struct frame *in, const struct frame *out)
{
	struct srv6_headers before, after;
	struct srv6_address source = rig_address("fc00:0:1::");

	CHECK(srv6_decode(in->bytes + 14, in->size - 14, &before) == NULL);
	CHECK(memcmp(&before.source, &source, sizeof(source)) == 0 && before.tag == TAG);
	if (before.left == 0) {
		CHECK(out->size == in->size - before.bytes && memcmp(out->bytes + 14, in->bytes + 14 + before.bytes, out->size - 14) == 0);
		return;
	}
	CHECK(srv6_decode(out->bytes + 14, out->size - 14, &after) == NULL && after.left == before.left - 1);
}

static void check_nf_port(const struct frame *in, const struct frame *out)
{
	struct srv6_headers headers;

	CHECK(srv6_decode(in->bytes + 14, in->size - 14, &headers) == NULL && headers.tag == TAG);
	CHECK(headers.entries[headers.left + 1].metadata.device == DEVICE && out->size == in->size);
}

static uint32_t run(const char *program, void (*check)(const struct frame *, const struct frame *), struct frame in)
{
	struct frame out = in;
	uint32_t verdict = rig_run(program, &out);

	CHECK(verdict == TC_ACT_SHOT || verdict == UNSPEC || verdict == TC_ACT_REDIRECT);
	if (verdict == TC_ACT_REDIRECT)
		check(&in, &out);
	return verdict == TC_ACT_REDIRECT;
}

int main(int argc, char **argv)
{
	uint32_t wrapped = 0, taken = 0, returned = 0;

	(void)argc;
	rig_load(argv);
	rig_set_up();
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct frame frame = damaged(), back = rig_frame(SEEDS[3]);

		wrapped += run("srv6_edge", check_edge, frame);
		taken += run("srv6_core", check_core, frame);
		if (i % 4 != 0)
			continue;
		CHECK(rig_run("srv6_core", &back) == TC_ACT_REDIRECT);
		if (below(3) > 0)
			back.bytes[14 + below(88)] ^= (uint8_t)(1U << below(8));
		returned += run("srv6_nf_port", check_nf_port, back);
	}
	/* Some of each were left as they should be: the checks above were made. */
	CHECK(wrapped > ROUNDS / 20 && taken > ROUNDS / 20 && returned > ROUNDS / 20);
	CHECK(rig_count(SRV6_INTERNAL) == 0);
	return 0;
}
