/* What is written of the queue where a packet leaves to other hosts, and of which packets. */
#include <string.h>

#include "check.h"
#include "decode/decode.h"
#include "frames.h"
#include "nf_age.h"
#include "rig.h"

#define TO_NF \
	ETHERNET_IPV6 "60012345 0050 2b 40" EDGE SID_NF "04 05 04 01 01 01 0007" SID_EGRESS SID_NF EMPTY_TLV INNER_IPV4
#define MARK (SRV6_RETURNED_MARK | NF)

static struct frame given_back(void)
{
	struct frame frame = rig_frame(TO_NF);

	CHECK(rig_run("srv6_core", &frame) == TC_ACT_REDIRECT);
	CHECK(rig_run("srv6_nf_port", &frame) == TC_ACT_REDIRECT);
	return frame;
}

/* Test runs are of the loopback interface, which has no queue: none waits. */
static void writes_what_an_nf_has_just_given_back(void)
{
	struct frame frame = given_back(), before = frame;
	struct srv6_headers headers;

	CHECK(rig_state().queue == 0);
	CHECK(rig_run_marked("srv6_queue", &frame, MARK) == UNSPEC);
	CHECK(srv6_decode(frame.bytes + 14, frame.size - 14, &headers) == NULL);
	CHECK(headers.map_info == SRV6_HAS_ALL);
	CHECK(headers.entries[1].metadata.queue == 1 && headers.entries[1].metadata.queue_length == 0);
	CHECK(SRV6_QUEUE_EPOCH_OF(rig_state().queue) != 0 && SRV6_QUEUE_NOW_OF(rig_state().queue) == 0);
	/* Nothing else has changed. */
	memcpy(before.bytes + 14 + SRV6_AT_ENTRY(1) + 2, frame.bytes + 14 + SRV6_AT_ENTRY(1) + 2, 2);
	memcpy(before.bytes + 14 + SRV6_AT_TLV(2) + 2, frame.bytes + 14 + SRV6_AT_TLV(2) + 2, 2);
	CHECK(frame.size == before.size && memcmp(frame.bytes, before.bytes, frame.size) == 0);
}

static void leaves_all_else_alone(void)
{
	static const uint32_t marks[] = {0, NF, SRV6_MARK | NF, 0x5e800000U | NF};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct frame frame = given_back(), before = frame;

		CHECK(rig_run_marked("srv6_queue", &frame, marks[i]) == UNSPEC);
		CHECK(frame.size == before.size && memcmp(frame.bytes, before.bytes, frame.size) == 0);
	}
}

/* Damaged on its way through the host: whatever carries the mark, nothing is written beside the headers. */
static void writes_nothing_into_headers_that_are_none(void)
{
	for (uint32_t left = 0; left < 256; left++) {
		for (uint32_t last = 0; last < 256; last += 5) {
			struct frame frame = given_back(), before;

			frame.bytes[14 + SRV6_AT_LEFT] = (uint8_t)left;
			frame.bytes[14 + SRV6_AT_LEFT + 1] = (uint8_t)last;
			before = frame;
			CHECK(rig_run_marked("srv6_queue", &frame, MARK) != TC_ACT_REDIRECT);
			CHECK(frame.size == before.size);
			if (left >= last || last >= SRV6_SEGMENTS_MAX)
				CHECK(memcmp(frame.bytes, before.bytes, frame.size) == 0);
		}
	}
}

/* The most of the running 1.07 s and of those before: 12 waited, then 3. */
static void says_the_most_of_a_second_or_two(void)
{
	const uint64_t second = 1ULL << 30, now = 40 * second + 5;
	struct srv6_nf_state state = {.queue = 0};

	CHECK(nf_queue_packets(&state, now) == -1);
	state.queue = SRV6_QUEUE(SRV6_QUEUE_EPOCH(now), 12U, 3U);
	CHECK(nf_queue_packets(&state, now) == 12);
	CHECK(nf_queue_packets(&state, now + second) == 3);
	CHECK(nf_queue_packets(&state, now + 2 * second) == -1);
	state.queue = SRV6_QUEUE(SRV6_QUEUE_EPOCH(254 * second), 0U, SRV6_QUEUE_LENGTH_MAX);
	CHECK(nf_queue_packets(&state, 254 * second) == 4095 && nf_queue_packets(&state, 255 * second) == 4095);
	CHECK(nf_queue_packets(&state, 256 * second) == -1);
}

int main(int argc, char **argv)
{
	(void)argc;
	rig_load(argv);
	rig_set_up();
	writes_what_an_nf_has_just_given_back();
	leaves_all_else_alone();
	writes_nothing_into_headers_that_are_none();
	says_the_most_of_a_second_or_two();
	return 0;
}
