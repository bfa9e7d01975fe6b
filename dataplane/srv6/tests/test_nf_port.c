/* What an NF gives back: how long it had it, and what it may not give. */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "decode/decode.h"
#include "frames.h"
#include "rig.h"

#define WAIT_US 20000U
#define TO_NF \
	ETHERNET_IPV6 "60012345 0050 2b 40" EDGE SID_NF "04 05 04 01 01 01 0007" SID_EGRESS SID_NF EMPTY_TLV INNER_IPV4

static struct frame given(void)
{
	struct frame frame = rig_frame(TO_NF);

	CHECK(rig_run("srv6_core", &frame) == TC_ACT_REDIRECT);
	return frame;
}

static void measures(void)
{
	struct frame frame = given(), before;
	struct srv6_headers headers;

	(void)usleep(WAIT_US);
	before = frame;
	CHECK(rig_run("srv6_nf_port", &frame) == TC_ACT_REDIRECT);
	CHECK(srv6_decode(frame.bytes + 14, frame.size - 14, &headers) == NULL);
	CHECK(headers.entries[1].metadata.latency_ns >= WAIT_US * 1000 && headers.entries[1].metadata.latency_ns < 2000000000);
	CHECK(rig_state().latency_ns == headers.entries[1].metadata.latency_ns && rig_state().returned == 1);
	/* Nothing else has changed. */
	memcpy(before.bytes + 14 + SRV6_AT_ENTRY(1) + 8, frame.bytes + 14 + SRV6_AT_ENTRY(1) + 8, 4);
	CHECK(frame.size == before.size && memcmp(frame.bytes, before.bytes, frame.size) == 0);

	/* The next packet carries it to whoever runs the NF. */
	frame = given();
	CHECK(srv6_decode(frame.bytes + 14, frame.size - 14, &headers) == NULL);
	CHECK(headers.detection_ns == rig_state().latency_ns);
	CHECK(rig_run("srv6_nf_port", &frame) == TC_ACT_REDIRECT);
}

static int refuses_with(struct frame frame, size_t at, uint8_t byte, enum srv6_count cause)
{
	frame.bytes[14 + at] = byte;
	return rig_refuses("srv6_nf_port", &frame, cause);
}

static void guards(void)
{
	struct frame frame = given();
	uint64_t returned = rig_state().returned;
	struct srv6_segment egress = {.tag = TAG, .sid = rig_address("fc00:0:2::e")};
	struct srv6_way way;

	CHECK(refuses_with(frame, 47, 8, SRV6_FOREIGN_CHAIN));
	CHECK(refuses_with(frame, SRV6_AT_ENTRY(1) + 1, 4, SRV6_FOREIGN_ENTRY));
	CHECK(refuses_with(frame, SRV6_AT_ENTRY(1) + 4, (uint8_t)(frame.bytes[14 + SRV6_AT_ENTRY(1) + 4] - 1), SRV6_STALE));
	CHECK(refuses_with(frame, SRV6_AT_ENTRY(1) + 8, (uint8_t)(frame.bytes[14 + SRV6_AT_ENTRY(1) + 8] + 1), SRV6_STALE));
	CHECK(refuses_with(frame, SRV6_AT_SOURCE, 9, SRV6_STRANGE_SOURCE));
	CHECK(refuses_with(frame, SRV6_AT_DESTINATION, 9, SRV6_MALFORMED));
	CHECK(refuses_with(frame, SRV6_AT_NEXT_HEADER, 17, SRV6_NOT_OF_A_CHAIN));
	CHECK(refuses_with(rig_frame(TO_NF), 0, 0x60, SRV6_MALFORMED)); /* no entry was used */
	CHECK(rig_state().returned == returned);

	/* Where its next segment lies nobody knows: another chain's, or one that has gone. */
	CHECK(bpf_map_lookup_elem(rig_map("srv6_ways"), &egress, &way) == 0);
	rig_take("srv6_ways", &egress);
	CHECK(refuses_with(frame, 0, 0x60, SRV6_NO_WAY));
	rig_put("srv6_ways", &egress, &way);
}

static void gives_back_no_more_than_it_was_given(void)
{
	struct frame frame = given(), copy;
	uint64_t open = rig_state().given - rig_state().returned;

	for (uint64_t i = 0; i < open; i++) {
		copy = frame;
		CHECK(rig_run("srv6_nf_port", &copy) == TC_ACT_REDIRECT);
	}
	CHECK(refuses_with(frame, 0, 0x60, SRV6_NEVER_GIVEN));
	CHECK(rig_state().returned == rig_state().given);
}

int main(int argc, char **argv)
{
	(void)argc;
	rig_load(argv);
	rig_set_up();
	measures();
	guards();
	gives_back_no_more_than_it_was_given();
	return 0;
}
