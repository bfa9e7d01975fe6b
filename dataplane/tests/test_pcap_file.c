/* Captures, crafted byte by byte: what becomes a replay, and what is refused with the packet's number. */
#include <stdbool.h>
#include <string.h>

#include "base/region.h"
#include "check.h"
#include "packets/pcap_file.h"
#include "packets/source_config.h"

#define MICRO 0xa1b2c3d4U
#define NANO 0xa1b23c4dU
#define ETHERNET 1U

static uint8_t bytes[1 << 20];
static size_t used;

static void put(const void *data, size_t size)
{
	memcpy(bytes + used, data, size);
	used += size;
}

static void put_words(const uint32_t *words, size_t count, bool swapped)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t word = swapped ? __builtin_bswap32(words[i]) : words[i];

		put(&word, sizeof(word));
	}
}

static void begin(uint32_t magic, uint32_t link, bool swapped)
{
	uint32_t header[] = {magic, swapped ? 4U | 2U << 16 : 2U | 4U << 16, 0, 0, 65535, link};

	used = 0;
	put_words(header, 1, swapped);
	put_words(header + 1, 1, false); /* two 16-bit words: laid as they are read */
	if (swapped) {
		uint16_t version[] = {__builtin_bswap16(2), __builtin_bswap16(4)};

		used -= 4;
		put(version, sizeof(version));
	}
	put_words(header + 2, 4, swapped);
}

static void packet(uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t length, bool swapped)
{
	uint32_t header[] = {seconds, fraction, captured, length};
	uint8_t content[4096];

	memset(content, (int)length & 0xff, sizeof(content));
	put_words(header, 4, swapped);
	put(content, captured);
}

static const struct replay *load(struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "source.pcap", .err = err};
	struct artefact file = {.bytes = bytes, .size = used};

	return pcap_load(&scope, "file", &file);
}

static const struct replay *loads(void)
{
	struct error err = {0};
	const struct replay *replay = load(&err);

	if (replay == NULL) {
		(void)fprintf(stderr, "%s: %s\n", err.field, err.message);
		exit(1);
	}
	return replay;
}

static void refuses(const char *why)
{
	struct error err = {0};
	size_t room = region_free_bytes();

	CHECK(load(&err) == NULL && strcmp(err.field, "source.pcap.file") == 0);
	(void)fprintf(stderr, "refused as it should be: %s\n", err.message);
	CHECK(strstr(err.message, why) != NULL);
	CHECK(region_free_bytes() == room);
}

static int timing(const struct replay *replay, struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "source.pcap", .err = err};

	return pcap_check_timing(&scope, replay);
}

/* Microseconds: packets at 0, 1.5 ms and 3 ms after the first; one mean gap of 1.5 ms more makes the round 4.5 ms. */
static void a_capture_becomes_a_replay(bool swapped)
{
	const struct replay *replay;
	struct error err = {0};

	begin(MICRO, ETHERNET, swapped);
	packet(1700000000, 999000, 64, 64, swapped);
	packet(1700000001, 500, 1518, 1518, swapped);
	packet(1700000001, 2000, 42, 42, swapped);
	replay = loads();
	CHECK(replay->count == 3 && replay->period_ns == 4500000 && replay->longest_gap_ns == 1500000);
	CHECK(replay->packets[0].at_ns == 0 && replay->packets[1].at_ns == 1500000 && replay->packets[2].at_ns == 3000000);
	CHECK(replay->packets[0].length == 64 && replay->packets[1].length == 1518);
	CHECK(replay_bytes(replay, 1)[0] == (1518 & 0xff) && replay_bytes(replay, 1)[1517] == (1518 & 0xff));
	/* a frame that was captured before it was filled up */
	CHECK(replay->packets[2].length == 60 && replay_bytes(replay, 2)[41] == 42 && replay_bytes(replay, 2)[42] == 0);
	CHECK(timing(replay, &err) == 0);
	replay_free(replay);
}

static void nanoseconds_are_kept(void)
{
	const struct replay *replay;

	begin(NANO, ETHERNET, false);
	packet(5, 999999999, 60, 60, false);
	packet(6, 3, 60, 60, false);
	replay = loads();
	CHECK(replay->packets[1].at_ns == 4 && replay->period_ns == 8);
	replay_free(replay);
}

/* A packet that is older than the one before is sent with it; order stays the file's. */
static void time_never_goes_back(void)
{
	const struct replay *replay;

	begin(MICRO, ETHERNET, false);
	packet(5, 100, 60, 60, false);
	packet(5, 300, 61, 61, false);
	packet(5, 200, 62, 62, false);
	packet(5, 400, 63, 63, false);
	replay = loads();
	CHECK(replay->packets[2].at_ns == 200000 && replay->packets[3].at_ns == 300000);
	CHECK(replay_bytes(replay, 2)[0] == 62);
	replay_free(replay);
}

static void what_is_no_capture_is_refused(void)
{
	used = 0;
	refuses("not a pcap file");
	put("\x0a\x0d\x0d\x0a_____________________________", 32); /* pcapng */
	refuses("editcap");
	begin(0xa1b2cd34U, ETHERNET, false); /* a variant with longer headers */
	refuses("not a pcap file");
	begin(MICRO, ETHERNET, false);
	used = 20;
	refuses("header cannot be read");
	begin(MICRO, ETHERNET, false);
	refuses("no packets");
	begin(MICRO, 101, false);
	packet(1, 0, 60, 60, false);
	refuses("RAW (12)");
	begin(MICRO, 9999, false);
	packet(1, 0, 60, 60, false);
	refuses("link type unknown (9999)");
}

static void a_bad_packet_is_named(void)
{
	static const struct {
		uint32_t captured, length;
		const char *why;
	} bad[] = {{1519, 1519, "packet 3 has 1519 bytes, at most 1518"}, {0, 1U << 31, "packet 3 has 2147483648 bytes"},
		{96, 1400, "packet 3 was cut to 96 of its 1400 bytes"}, {0, 0, "packet 3 has 0 of 0 bytes"},
		{13, 13, "packet 3 has 13 of 13 bytes"}, {100, 60, "packet 3 has 100 of 60 bytes"}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin(MICRO, ETHERNET, false);
		packet(1, 0, 60, 60, false);
		packet(2, 0, 60, 60, false);
		packet(3, 0, bad[i].captured, bad[i].length, false);
		packet(4, 0, 60, 60, false);
		refuses(bad[i].why);
	}
}

/* Cut anywhere, a file is refused, or it ends where a packet ends. */
static void a_file_cut_off_is_refused(void)
{
	size_t whole;

	begin(MICRO, ETHERNET, false);
	packet(1, 0, 100, 100, false);
	packet(2, 0, 100, 100, false);
	for (whole = used, used = 1; used < whole; used++) {
		struct error err = {0};
		const struct replay *replay = load(&err);

		CHECK((replay != NULL) == (used == 24 + 116)); /* header, and 16 + 100 of a packet */
		CHECK(replay == NULL || replay->count == 1);
		if (used > 24 + 116)
			CHECK(strstr(err.message, "damaged at packet 2") != NULL);
		replay_free(replay);
	}
}

/* Any single changed byte gives a replay or a refusal that says why; never more than the file holds. */
static void a_damaged_file_harms_nothing(void)
{
	begin(MICRO, ETHERNET, false);
	for (uint32_t i = 0; i < 4; i++)
		packet(i, 0, 60 + i, 60 + i, false);
	for (size_t at = 0; at < used; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct error err = {0};
			const struct replay *replay;

			bytes[at] ^= (uint8_t)(1U << bit);
			replay = load(&err);
			CHECK(replay != NULL ? replay->count <= 4 : err.message[0] != '\0');
			replay_free(replay);
			bytes[at] ^= (uint8_t)(1U << bit);
		}
}

static void some_files_have_no_usable_times(void)
{
	const struct replay *replay;
	struct error err = {0};

	begin(MICRO, ETHERNET, false);
	packet(1, 0, 60, 60, false);
	replay = loads();
	CHECK(timing(replay, &err) == -1 && strstr(err.message, "same time") != NULL);
	replay_free(replay);
	begin(MICRO, ETHERNET, false);
	packet(1, 0, 60, 60, false);
	packet(62, 0, 60, 60, false);
	replay = loads();
	err = (struct error){0};
	CHECK(timing(replay, &err) == -1 && strstr(err.message, "gap of 61 s") != NULL);
	replay_free(replay);
	begin(NANO, ETHERNET, false); /* 2 packets in 2 ns: 1000 Mpps */
	packet(1, 0, 60, 60, false);
	packet(1, 1, 60, 60, false);
	replay = loads();
	err = (struct error){0};
	CHECK(timing(replay, &err) == -1 && strstr(err.message, "148.8") != NULL);
	replay_free(replay);
}

static void too_much_is_refused_with_what_is_free(void)
{
	struct error err = {0};
	void *rest = region_alloc(region_free_bytes() - 8192);

	CHECK(rest != NULL);
	begin(MICRO, ETHERNET, false);
	for (uint32_t i = 0; i < 20; i++)
		packet(1, i, 1500, 1500, false);
	CHECK(load(&err) == NULL && strcmp(err.code, E_NO_ROOM) == 0);
	CHECK(strstr(err.message, "its 20 packets need 1 MiB") != NULL && strstr(err.message, "--replay-mb") != NULL);
	region_free(rest);
	replay_free(loads());
}

int main(void)
{
	CHECK(region_open(4 << 20) == 0);
	a_capture_becomes_a_replay(false);
	a_capture_becomes_a_replay(true);
	nanoseconds_are_kept();
	time_never_goes_back();
	what_is_no_capture_is_refused();
	a_bad_packet_is_named();
	a_file_cut_off_is_refused();
	a_damaged_file_harms_nothing();
	some_files_have_no_usable_times();
	too_much_is_refused_with_what_is_free();
	CHECK(region_free_bytes() == 4 << 20);
	return 0;
}
