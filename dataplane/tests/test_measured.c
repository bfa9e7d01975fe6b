/* The header walk of a measured packet: every length that a frame can be cut to, and every value of each byte that says a length. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "shell/envelope.h"

#define SEGMENTS 3U
#define OUTER (RTE_ETHER_HDR_LEN + SRV6_BYTES(SEGMENTS))
#define INNER 33U
#define FRAME (OUTER + INNER)
#define AT_SRH (RTE_ETHER_HDR_LEN + SRV6_AT_SRH)

static void write_frame(uint8_t *frame)
{
	static const uint8_t ipv4[INNER] = {0x45, 0, 0, INNER, 0, 7, 0, 0, 64, 17};

	memset(frame, 0, FRAME);
	memcpy(frame + 12, "\x86\xdd\x60", 3);
	frame[19] = (uint8_t)(FRAME - RTE_ETHER_HDR_LEN - SRV6_AT_SRH);
	frame[20] = SRV6_NEXT_ROUTING;
	memcpy(frame + AT_SRH, (const uint8_t[]){SRV6_NEXT_IPV4, 2 * SEGMENTS + 1, SRV6_ROUTING_TYPE, 2, SEGMENTS - 1, SRV6_FLAG_INT, 0, 7}, 8);
	memcpy(frame + RTE_ETHER_HDR_LEN + SRV6_AT_TLV(SEGMENTS), (const uint8_t[]){SRV6_TLV_TYPE, SRV6_TLV_LENGTH, 0, 0x1d}, 4);
	memcpy(frame + OUTER, ipv4, INNER);
}

/* In an allocation of its own length: valgrind and sanitizers see what is read behind it. */
static enum measured_read read_cut(const uint8_t *frame, uint32_t length, struct measured *measured)
{
	uint8_t *copy = malloc(length + 1);
	enum measured_read read;

	CHECK(copy != NULL);
	memcpy(copy, frame, length);
	read = measured_read(copy, length, measured);
	free(copy);
	return read;
}

static void a_whole_frame_is_read_and_none_that_is_cut(void)
{
	uint8_t frame[FRAME + 4] = {0};
	struct measured measured;

	write_frame(frame);
	for (uint32_t length = 0; length < FRAME; length++)
		CHECK(read_cut(frame, length, &measured) == (length < AT_SRH ? MEASURED_FOREIGN : MEASURED_MALFORMED));
	for (uint32_t length = FRAME; length <= sizeof(frame); length++) { /* padded */
		CHECK(read_cut(frame, length, &measured) == MEASURED_READ);
		CHECK(measured.outer_bytes == OUTER && measured.inner_bytes == INNER);
		CHECK(measured.inner_type == RTE_BE16(RTE_ETHER_TYPE_IPV4));
	}
}

/* Of the 256 values of each byte of these one is right. */
static void no_other_value_passes(void)
{
	static const uint32_t exact[] = {AT_SRH, AT_SRH + 1, AT_SRH + 2, AT_SRH + 4, AT_SRH + 5};
	uint8_t frame[FRAME];
	struct measured measured;

	write_frame(frame);
	for (uint32_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		uint8_t right = frame[exact[i]];

		for (uint32_t value = 0; value < 256; value++) {
			frame[exact[i]] = (uint8_t)value;
			CHECK((read_cut(frame, FRAME, &measured) == MEASURED_READ) == (value == right));
		}
		frame[exact[i]] = right;
	}
	for (uint32_t left = 0; left < 256; left++) {
		frame[AT_SRH + 3] = (uint8_t)left;
		CHECK((read_cut(frame, FRAME, &measured) == MEASURED_READ) == (left < SEGMENTS));
	}
}

static void the_inner_length_is_the_packets_own(void)
{
	uint8_t ipv6[64] = {0x60};

	CHECK(measured_inner_bytes(ipv6, 40) == 40 && measured_inner_bytes(ipv6, 39) == 0);
	ipv6[5] = 8;
	CHECK(measured_inner_bytes(ipv6, 48) == 48 && measured_inner_bytes(ipv6, 47) == 0 && measured_inner_bytes(ipv6, 1000) == 48);
	ipv6[0] = 0x45; /* an IPv4 header whose length is 0 */
	CHECK(measured_inner_bytes(ipv6, 48) == 0);
	ipv6[3] = 20;
	CHECK(measured_inner_bytes(ipv6, 48) == 20);
	ipv6[0] = 0x46; /* and with options that are not in its length */
	CHECK(measured_inner_bytes(ipv6, 48) == 0);
	ipv6[0] = 0x75;
	CHECK(measured_inner_bytes(ipv6, 48) == 0);
}

/* Of three segments the first is at its NF: entry 2, written over, says when it was given. */
static void the_age_is_that_of_the_segment_at_its_nf(void)
{
	uint8_t frame[FRAME];
	uint8_t *given = frame + RTE_ETHER_HDR_LEN + SRV6_AT_ENTRY(2) + SRV6_AT_LATENCY;

	write_frame(frame);
	CHECK(measured_age_ns(frame, 1000000) == 0); /* no segment is used yet */
	frame[AT_SRH + 3] = 1;
	memcpy(given, (const uint8_t[]){0xff, 0xff, 0xff, 0x00}, 4);
	CHECK(measured_age_ns(frame, 0xffffff00U) == 0);
	CHECK(measured_age_ns(frame, 0x700000000ULL) == 256); /* the time went past 2^32 */
}

int main(void)
{
	the_age_is_that_of_the_segment_at_its_nf();
	a_whole_frame_is_read_and_none_that_is_cut();
	no_other_value_passes();
	the_inner_length_is_the_packets_own();
	return 0;
}
