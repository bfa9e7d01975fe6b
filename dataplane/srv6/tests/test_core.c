/* End.T.INT and End.DT.INT, byte for byte, and what a core port refuses. */
#include <string.h>
#include <time.h>

#include "check.h"
#include "decode/decode.h"
#include "frames.h"
#include "rig.h"

#define SRH(left) "04 05 04" left "01 01 0007"
#define TO_NF ETHERNET_IPV6 "60012345 0050 2b 40" EDGE SID_NF SRH("01") SID_EGRESS SID_NF EMPTY_TLV INNER_IPV4
#define MEASURED SID_EGRESS METADATA("00000001", "00000002", "00000003") EMPTY_TLV
#define TO_EGRESS ETHERNET_IPV6 "60012345 0050 2b 3f" EDGE SID_EGRESS SRH("00") MEASURED INNER_IPV4
#define TO_EGRESS_IPV6 ETHERNET_IPV6 "60012345 0064 2b 3f" EDGE SID_EGRESS "29 05 04 00 01 01 0007" MEASURED INNER_IPV6

static struct srv6_mirror mirrored;
static int mirrors;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	CHECK(clock_gettime(clock, &now) == 0);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void gives_to_the_nf(void)
{
	struct srv6_nf_state state = {.given = 41, .latency_ns = 0x1234};
	struct frame frame = rig_frame(TO_NF);
	uint32_t number = NF, before_us = (uint32_t)(now_ns(CLOCK_TAI) / 1000);
	struct srv6_headers headers;

	rig_put("srv6_nf_states", &number, &state);
	CHECK(rig_run("srv6_core", &frame) == TC_ACT_REDIRECT);
	CHECK(srv6_decode(frame.bytes + 14, frame.size - 14, &headers) == NULL);
	CHECK(headers.left == 0 && headers.entries[1].is_used && headers.entries[1].metadata.device == DEVICE);
	CHECK(headers.entries[1].metadata.in_time_us - before_us < 10000000);
	memset(frame.bytes + 14 + SRV6_AT_ENTRY(1) + 4, 0, 8); /* the two times */
	CHECK(rig_equals(&frame, ETHERNET_IPV6 "60012345 0050 2b 3f" EDGE SID_EGRESS SRH("00") SID_EGRESS
		METADATA("00000000", "00000000", "0000002a") "84 06 001d 00001234" INNER_IPV4));
	CHECK(rig_state().given == 42 && rig_state().returned == 0 && rig_count(SRV6_GIVEN) == 1);
}

static int keep(void *unused, void *data, size_t size)
{
	(void)unused;
	CHECK(size >= sizeof(mirrored));
	memcpy(&mirrored, data, sizeof(mirrored));
	mirrors++;
	return 0;
}

static void hands_over(const char *wrapped, const char *inner)
{
	struct ring_buffer *ring = ring_buffer__new(rig_map("srv6_mirrors"), keep, NULL, NULL);
	struct frame frame = rig_frame(wrapped), original = frame;
	int before = mirrors;

	CHECK(ring != NULL && rig_run("srv6_core", &frame) == TC_ACT_REDIRECT);
	CHECK(rig_equals(&frame, inner));
	CHECK(ring_buffer__consume(ring) == 1 && mirrors == before + 1);
	CHECK(mirrored.bytes == 88 && mirrored.frame_bytes == frame.size);
	CHECK(memcmp(mirrored.headers, original.bytes + 14, 88) == 0);
	ring_buffer__free(ring);
}

static int refuses(const char *hex, size_t at, uint8_t byte, enum srv6_count cause)
{
	struct frame frame = rig_frame(hex);

	frame.bytes[14 + at] = byte;
	return rig_refuses("srv6_core", &frame, cause);
}

static void guards(void)
{
	CHECK(refuses(TO_NF, SRV6_AT_SOURCE + 15, 9, SRV6_STRANGE_SOURCE));
	CHECK(refuses(TO_NF, 47, 8, SRV6_UNKNOWN_SEGMENT)); /* another chain's tag */
	CHECK(refuses(TO_NF, SRV6_AT_HOP_LIMIT, 1, SRV6_HOP_LIMIT));
	CHECK(refuses(TO_NF, SRV6_AT_DESTINATION + 15, 2, SRV6_MALFORMED)); /* not its current segment */
	CHECK(refuses(TO_NF, 41, 3, SRV6_MALFORMED));                      /* length */
	CHECK(refuses(TO_NF, 42, 0, SRV6_MALFORMED));                      /* type of routing header */
	CHECK(refuses(TO_NF, 43, 2, SRV6_MALFORMED));                      /* segments left */
	CHECK(refuses(TO_NF, 44, 255, SRV6_MALFORMED));                    /* last entry */
	CHECK(refuses(TO_NF, 45, 0, SRV6_MALFORMED));                      /* flags */
	CHECK(refuses(TO_NF, SRV6_AT_TLV(2), 5, SRV6_MALFORMED));
	CHECK(refuses(TO_NF, 5, 0x51, SRV6_MALFORMED)); /* payload length */
	CHECK(refuses(TO_NF, SRV6_AT_NEXT_HEADER, 17, SRV6_MALFORMED)); /* a segment of ours without a routing header */
	CHECK(refuses(TO_EGRESS, SRV6_BYTES(2), 0x60, SRV6_MALFORMED)); /* another family inside than it says */
}

static void leaves_others_to_the_kernel(void)
{
	struct frame plain = rig_frame(ETHERNET_IPV6 INNER_IPV6), tenant = rig_frame(ETHERNET_IPV4 INNER_IPV4);
	struct frame transit = rig_frame(TO_NF);

	transit.bytes[14 + SRV6_AT_DESTINATION + 5] = 9; /* fc00:0:9::1 */
	transit.bytes[14 + SRV6_AT_ENTRY(1) + 5] = 9;
	CHECK(rig_run("srv6_core", &plain) == UNSPEC);
	CHECK(rig_run("srv6_core", &tenant) == UNSPEC);
	CHECK(rig_run("srv6_core", &transit) == UNSPEC);
	CHECK(rig_equals(&plain, ETHERNET_IPV6 INNER_IPV6));
}

static void refuses_several_packets_in_one(void)
{
	struct frame to_nf = rig_frame(TO_NF), to_egress = rig_frame(TO_EGRESS);

	CHECK(rig_run_joined("srv6_core", &to_nf, 4) == TC_ACT_SHOT && rig_run_joined("srv6_core", &to_egress, 4) == TC_ACT_SHOT);
	CHECK(rig_count(SRV6_OFFLOAD) == 2);
}

int main(int argc, char **argv)
{
	(void)argc;
	rig_load(argv);
	rig_set_up();
	gives_to_the_nf();
	hands_over(TO_EGRESS, ETHERNET_IPV4 INNER_IPV4);
	hands_over(TO_EGRESS_IPV6, ETHERNET_IPV6 INNER_IPV6);
	guards();
	leaves_others_to_the_kernel();
	refuses_several_packets_in_one();
	return 0;
}
