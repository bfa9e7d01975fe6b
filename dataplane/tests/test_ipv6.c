/* IPv6 prefixes, the walk over headers that may be anything, and which frames of a capture enter a chain. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "base/prefix6.h"
#include "check.h"
#include "packets/frame.h"
#include "packets/ingress_match.h"

#define ETHER 14U
#define UDP_AT (ETHER + 40U)

static struct prefix6 prefix(const char *text)
{
	struct prefix6 out;

	CHECK(prefix6_parse(text, &out) == 0);
	return out;
}

static bool holds(const char *range, const char *address)
{
	struct prefix6 outer = prefix(range), inner = prefix(address);

	return prefix6_holds(&outer, inner.address);
}

static void prefixes_are_read(void)
{
	static const char *const wrong[] = {"", "/", "2001:db8::/129", "2001:db8::/-1", "2001:db8::/", "2001:db8::/3x", "10.0.0.0/8",
		"2001:db8:::/32", "fe80::1%eth0", "2001:db8:0:0:0:0:0:0:0/32", "12345::/16", ":/8"};
	struct prefix6 out;

	CHECK(prefix("2001:db8::/32").length == 32 && prefix("2001:db8::1").length == 128);
	out = prefix("2001:db8:ffff::1/36"); /* 36 bits: the first half of the fifth byte; the rest is cleared */
	CHECK(out.address[3] == 0xb8 && out.address[4] == 0xf0 && out.address[5] == 0 && out.address[15] == 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(prefix6_parse(wrong[i], &out) == -1);
	CHECK(holds("2001:db8::/32", "2001:db8:ffff::1") && !holds("2001:db8::/32", "2001:db9::"));
	CHECK(holds("2001:db8:f000::/36", "2001:db8:ffff::") && !holds("2001:db8:f000::/36", "2001:db8:e000::"));
	CHECK(holds("::/0", "ffff::") && holds("2001:db8::1", "2001:db8::1") && !holds("2001:db8::1", "2001:db8::2"));
}

static struct source_config a_source(uint8_t protocol, uint32_t bytes)
{
	struct source_config config = {.packets_per_second = 1, .packet_bytes = bytes, .flows = 1000, .protocol = protocol,
		.dst_port = 53, .ipv6 = true, .src6 = prefix("2001:db8:a::/48"), .dst6 = prefix("fd00:b::/64")};

	return config; /* `src` and `dst` are 0/0: the last 32 bits of both vary */
}

/* A UDP packet of the match in memory that ends where it does, so that a sanitizer sees any read behind it. */
static uint8_t *a_packet(uint32_t bytes)
{
	struct source_config config = a_source(IPPROTO_UDP, bytes);
	struct frame_template frame;
	uint8_t *out = malloc(bytes);

	CHECK(out != NULL);
	frame_template_make(&frame, &config);
	frame_write(&frame, flow_at(&config, 7), 7, out);
	return out;
}

static void frames_of_ipv6_are_sound(uint8_t protocol, uint32_t bytes)
{
	struct source_config config = a_source(protocol, bytes);
	uint32_t l4_bytes = bytes - UDP_AT;
	struct frame_template frame;
	struct ipv6_packet read;
	uint8_t *out = malloc(bytes);

	CHECK(out != NULL);
	frame_template_make(&frame, &config);
	for (uint32_t i = 0; i < 1000; i++) {
		frame_write(&frame, flow_at(&config, i), i * 0x123456789ULL, out);
		CHECK(out[12] == 0x86 && out[13] == 0xdd && out[ETHER] == 0x60 && out[ETHER + 6] == protocol && out[ETHER + 7] == 64);
		CHECK((uint32_t)(out[ETHER + 4] << 8 | out[ETHER + 5]) == l4_bytes);
		CHECK(prefix6_holds(&config.src6, out + ETHER + 8) && prefix6_holds(&config.dst6, out + ETHER + 24));
		CHECK(ipv6_packet_read(out, bytes, &read) == IPV6_READ);
		CHECK(read.bytes == 40 + l4_bytes && read.l4_at == UDP_AT && read.protocol == protocol);
		CHECK(read.l4_bytes == (protocol == IPPROTO_UDP ? 8U : 20U) && ipv6_destination_port(out, &read) == 53);
		CHECK(frame_is_sound(out, bytes) && ingress_classify(&config, out, bytes) == INGRESS_MATCHED);
		out[ETHER + 39] ^= 1; /* the last byte of the destination: in the pseudo-header */
		CHECK(!frame_is_sound(out, bytes));
	}
	free(out);
}

/* The smallest has no room for a sequence number of 8 bytes: its last ones that fit are there. */
static void a_small_packet_holds_the_end_of_its_number(void)
{
	uint8_t *out = a_packet(64);

	CHECK(out[62] == 0 && out[63] == 7 && frame_is_sound(out, 64));
	out[UDP_AT + 6] = out[UDP_AT + 7] = 0; /* in IPv6 UDP has a checksum */
	CHECK(!frame_is_sound(out, 64));
	free(out);
}

static enum ingress_class classified(const uint8_t *frame, uint32_t bytes)
{
	struct source_config config = a_source(IPPROTO_UDP, 64);

	return ingress_classify(&config, frame, bytes);
}

/* Byte `at` of a packet of the match as `value`. */
static enum ingress_class changed(uint32_t at, uint8_t value)
{
	uint8_t *frame = a_packet(64);
	enum ingress_class found;

	frame[at] = value;
	found = classified(frame, 64);
	free(frame);
	return found;
}

static void what_is_not_of_the_match_stays_outside(void)
{
	CHECK(changed(0, 0xff) == INGRESS_MATCHED);                  /* another MAC address */
	CHECK(changed(ETHER + 8 + 5, 0xb) == INGRESS_UNMATCHED);     /* the source: 2001:db8:b:: */
	CHECK(changed(ETHER + 24 + 7, 1) == INGRESS_UNMATCHED);      /* the destination: fd00:b:0:1:: */
	CHECK(changed(UDP_AT + 3, 54) == INGRESS_UNMATCHED);         /* port 54 */
	CHECK(changed(ETHER + 6, IPPROTO_ICMPV6) == INGRESS_UNMATCHED);
	CHECK(changed(ETHER + 6, IPPROTO_NONE) == INGRESS_UNMATCHED);
	CHECK(changed(13, 0) == INGRESS_UNMATCHED);                  /* another EtherType */
}

static void what_is_cut_or_wrong_is_malformed(void)
{
	uint8_t *frame = a_packet(64);

	for (uint32_t bytes = ETHER; bytes < 64; bytes++) { /* cut anywhere behind Ethernet */
		uint8_t *cut = malloc(bytes);

		CHECK(cut != NULL);
		memcpy(cut, frame, bytes);
		CHECK(classified(cut, bytes) == INGRESS_MALFORMED);
		free(cut);
	}
	free(frame);
	CHECK(changed(ETHER, 0x40) == INGRESS_MALFORMED);      /* version 4 */
	CHECK(changed(ETHER + 4, 0xff) == INGRESS_MALFORMED);  /* a payload of 65,290 bytes */
	CHECK(changed(ETHER + 5, 11) == INGRESS_MALFORMED);    /* one byte more than there is */
	CHECK(changed(ETHER + 5, 7) == INGRESS_MALFORMED);     /* too short for UDP */
	CHECK(changed(UDP_AT + 5, 7) == INGRESS_MALFORMED);    /* UDP's own length, less than its header */
	CHECK(changed(UDP_AT + 5, 11) == INGRESS_MALFORMED);   /* and more than there is */
	CHECK(changed(ETHER + 6, IPPROTO_TCP) == INGRESS_MALFORMED); /* 10 bytes are no TCP header */
	CHECK(changed(ETHER + 6, 60) == INGRESS_MALFORMED);    /* ports as destination options: port 53 would be 432 bytes */
}

/* A packet of the match behind `count` extension headers of 8 bytes, all of that kind; its bytes. */
static uint32_t extended(uint8_t kind, uint32_t count, uint8_t **out)
{
	uint32_t more = 8 * count, bytes = 64 + more;
	uint8_t *plain = a_packet(64), *frame = calloc(1, bytes);

	CHECK(frame != NULL);
	memcpy(frame, plain, UDP_AT);
	memcpy(frame + UDP_AT + more, plain + UDP_AT, 64 - UDP_AT);
	frame[ETHER + 5] = (uint8_t)(frame[ETHER + 5] + more);
	for (uint32_t i = 0; i <= count; i++) {
		uint8_t *next = i == 0 ? frame + ETHER + 6 : frame + UDP_AT + 8 * (i - 1);

		*next = i == count ? IPPROTO_UDP : kind;
	}
	free(plain);
	*out = frame;
	return bytes;
}

static enum ingress_class behind(uint8_t kind, uint32_t count)
{
	uint8_t *frame;
	uint32_t bytes = extended(kind, count, &frame);
	enum ingress_class found = classified(frame, bytes);

	free(frame);
	return found;
}

static void extension_headers_are_walked_as_far_as_the_bound(void)
{
	static const uint8_t kinds[] = {43, 44, 51, 60, 135, 139, 140};

	for (size_t i = 0; i < sizeof(kinds); i++) {
		CHECK(behind(kinds[i], 1) == INGRESS_MATCHED);
		CHECK(behind(kinds[i], IPV6_EXTENSIONS_MAX) == INGRESS_MATCHED);
		CHECK(behind(kinds[i], IPV6_EXTENSIONS_MAX + 1) == INGRESS_MALFORMED);
		CHECK(behind(kinds[i], 20) == INGRESS_MALFORMED);
	}
	CHECK(behind(0, 1) == INGRESS_MATCHED && behind(0, 2) == INGRESS_MALFORMED); /* hop-by-hop comes first, once */
}

/* Offset 1 or 'more fragments': the ports are not in every fragment, so none is of the match. */
static void fragments_are_not_of_the_match(void)
{
	uint8_t *frame;
	uint32_t bytes = extended(44, 1, &frame);

	frame[UDP_AT + 3] = 1;
	CHECK(classified(frame, bytes) == INGRESS_UNMATCHED);
	frame[UDP_AT + 3] = 8;
	CHECK(classified(frame, bytes) == INGRESS_UNMATCHED);
	frame[UDP_AT + 3] = 6; /* reserved bits: the whole packet is in one (RFC 6946) */
	CHECK(classified(frame, bytes) == INGRESS_MATCHED);
	free(frame);
}

/* RFC 2675: a payload length of 0, and the real one in a hop-by-hop option. */
static void a_jumbogram_is_malformed(void)
{
	static const uint8_t jumbo[] = {IPPROTO_UDP, 0, 0xc2, 4, 0, 1, 0, 0};
	uint8_t *frame;
	uint32_t bytes = extended(0, 1, &frame);

	memcpy(frame + UDP_AT, jumbo, sizeof(jumbo));
	CHECK(classified(frame, bytes) == INGRESS_MATCHED); /* the option alone says nothing where the length is given */
	frame[ETHER + 4] = frame[ETHER + 5] = 0;
	CHECK(classified(frame, bytes) == INGRESS_MALFORMED);
	free(frame);
}

#define FRAMES 7U

/* Matched ones stand at 2, 3 and 5 of 7; a malformed one in front, one between, and two unmatched ones at the end. */
static void a_replay_keeps_what_matches_and_counts_the_rest(void)
{
	static const char kinds[FRAMES] = {'m', 'u', '+', '+', 'm', '+', 'u'};
	struct source_config config = a_source(IPPROTO_UDP, 64);
	struct replay *replay = calloc(1, sizeof(*replay) + FRAMES * (sizeof(replay->packets[0]) + 64));
	uint8_t *bytes = (uint8_t *)(replay->packets + FRAMES);

	CHECK(replay != NULL);
	replay->count = FRAMES;
	replay->longest_gap_ns = 95;
	for (uint32_t i = 0; i < FRAMES; i++) {
		uint8_t *frame = a_packet(64);

		if (kinds[i] != '+')
			frame[kinds[i] == 'm' ? ETHER : UDP_AT + 3] = 9;
		memcpy(bytes + 64 * i, frame, 64);
		replay->packets[i] = (struct replay_packet){.at_ns = i == 6 ? 100 : i,
			.offset = (uint32_t)(bytes + 64 * i - (uint8_t *)replay), .length = 64};
		free(frame);
	}
	CHECK(ingress_filter(&config, replay) == 0 && replay->count == 3);
	CHECK(replay->packets[0].at_ns == 2 && replay->packets[0].unmatched == 1 && replay->packets[0].malformed == 1);
	CHECK(replay->packets[1].at_ns == 3 && replay->packets[1].unmatched == 0 && replay->packets[1].malformed == 0);
	CHECK(replay->packets[2].at_ns == 5 && replay->packets[2].unmatched == 1 && replay->packets[2].malformed == 1);
	CHECK(replay->longest_gap_ns == 2); /* 0 to 2, and 3 to 5; what comes at 100 is left out */
	config.dst_port = 80;
	CHECK(ingress_filter(&config, replay) == -1 && replay->count == 3); /* none is left: as it was */
	free(replay);
}

int main(void)
{
	prefixes_are_read();
	frames_of_ipv6_are_sound(IPPROTO_UDP, 64);
	frames_of_ipv6_are_sound(IPPROTO_UDP, 65);
	frames_of_ipv6_are_sound(IPPROTO_TCP, 74);
	frames_of_ipv6_are_sound(IPPROTO_TCP, 81);
	frames_of_ipv6_are_sound(IPPROTO_UDP, 1518);
	a_small_packet_holds_the_end_of_its_number();
	what_is_not_of_the_match_stays_outside();
	what_is_cut_or_wrong_is_malformed();
	extension_headers_are_walked_as_far_as_the_bound();
	fragments_are_not_of_the_match();
	a_jumbogram_is_malformed();
	a_replay_keeps_what_matches_and_counts_the_rest();
	return 0;
}
