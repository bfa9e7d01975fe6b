#include "packets/pcap_file.h"

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/region.h"
#include "packets/schedule.h"
#include "packets/sizes.h"

#define ETHER_HEADER_BYTES 14U
#define ETHER_BYTES_MIN 60U /* without FCS: what a network card fills shorter frames up to, as many captures hold */

struct reader {
	const struct scope *scope;
	const char *key;
	pcap_t *pcap;
};

/* libpcap reads other formats too (pcapng, and variants of old systems): those are not accepted here. */
static bool is_classic(const struct artefact *file)
{
	static const uint32_t magics[] = {0xa1b2c3d4U, 0xd4c3b2a1U, 0xa1b23c4dU, 0x4d3cb2a1U};
	uint32_t magic = 0;

	if (file->size >= sizeof(magic))
		memcpy(&magic, file->bytes, sizeof(magic));
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (magic == magics[i])
			return true;
	return false;
}

/* Opened anew for each pass: a savefile cannot be wound back. */
static int open_reader(struct reader *reader, const struct artefact *file)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *stream = fmemopen(file->bytes, file->size, "rb");

	reader->pcap = stream == NULL ? NULL :
		pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (reader->pcap != NULL)
		return 0;
	if (stream != NULL)
		(void)fclose(stream);
	return refuse(reader->scope, reader->key, "the file's header cannot be read (%s)", why);
}

static int check_link(const struct reader *reader)
{
	int link = pcap_datalink(reader->pcap);
	const char *name = pcap_datalink_val_to_name(link);

	if (link == DLT_EN10MB)
		return 0;
	return refuse(reader->scope, reader->key, "its packets are of link type %s (%d), only Ethernet (EN10MB) can be sent; "
		"capture on an Ethernet interface", name == NULL ? "unknown" : name, link);
}

static int check_packet(const struct reader *reader, uint32_t number, const struct pcap_pkthdr *header)
{
	if (header->len > PACKET_BYTES_MAX)
		return refuse(reader->scope, reader->key, "packet %u has %u bytes, at most %d can be sent; switch segmentation "
			"offload off where it is captured", number, header->len, PACKET_BYTES_MAX);
	if (header->caplen < header->len)
		return refuse(reader->scope, reader->key, "packet %u was cut to %u of its %u bytes; capture with a snapshot "
			"length of %d or more", number, header->caplen, header->len, PACKET_BYTES_MAX);
	if (header->caplen > header->len || header->len < ETHER_HEADER_BYTES)
		return refuse(reader->scope, reader->key, "packet %u has %u of %u bytes, too few for an Ethernet frame", number,
			header->caplen, header->len);
	return 0;
}

static uint32_t frame_bytes(const struct pcap_pkthdr *header)
{
	return header->len < ETHER_BYTES_MIN ? ETHER_BYTES_MIN : header->len;
}

/* The next packet: 1, 0 at the end of the file, -1 refused. `number` counts from 1. */
static int read_packet(const struct reader *reader, uint32_t number, struct pcap_pkthdr **header, const uint8_t **bytes)
{
	int status = pcap_next_ex(reader->pcap, header, bytes);

	if (status == PCAP_ERROR_BREAK)
		return 0;
	if (status != 1)
		return refuse(reader->scope, reader->key, "the file is damaged at packet %u (%s)", number,
			pcap_geterr(reader->pcap));
	return check_packet(reader, number, *header) < 0 ? -1 : 1;
}

static int count_packets(const struct reader *reader, uint32_t *count, size_t *total)
{
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	int status;

	while ((status = read_packet(reader, *count + 1, &header, &bytes)) > 0) {
		++*count;
		*total += frame_bytes(header);
	}
	if (status < 0)
		return -1;
	return *count > 0 ? 0 : refuse(reader->scope, reader->key, "the file holds no packets");
}

/* Captures of several queues are not always in order of time: a packet that is older than the one before goes with it. */
static void set_times(struct replay *replay, uint32_t index, int64_t at_ns, int64_t *first_ns)
{
	struct replay_packet *packet = &replay->packets[index];
	uint64_t before = index == 0 ? 0 : replay->packets[index - 1].at_ns;

	if (index == 0)
		*first_ns = at_ns;
	packet->at_ns = at_ns - *first_ns > (int64_t)before ? (uint64_t)(at_ns - *first_ns) : before;
	if (packet->at_ns - before > replay->longest_gap_ns)
		replay->longest_gap_ns = packet->at_ns - before;
}

static int fill_packets(const struct reader *reader, struct replay *replay, uint32_t count)
{
	size_t end = sizeof(*replay) + count * sizeof(replay->packets[0]);
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	int64_t first_ns = 0;
	uint64_t span;

	replay->count = count;
	for (uint32_t i = 0; i < count; i++) {
		if (read_packet(reader, i + 1, &header, &bytes) <= 0)
			return -1;
		replay->packets[i] = (struct replay_packet){.offset = (uint32_t)end, .length = frame_bytes(header)};
		memcpy((uint8_t *)replay + end, bytes, header->len);
		end += replay->packets[i].length;
		set_times(replay, i, (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec, &first_ns);
	}
	/* One mean gap lies between the last packet of a round and the first of the next. */
	span = replay->packets[count - 1].at_ns;
	replay->period_ns = count > 1 ? span + span / (count - 1) : 0;
	return 0;
}

static struct replay *make_replay(const struct reader *reader, uint32_t count, size_t total)
{
	size_t size = sizeof(struct replay) + count * sizeof(struct replay_packet) + total;
	struct replay *replay = region_alloc(size);

	if (replay == NULL)
		(void)fail(reader->scope->err, E_NO_ROOM, "source.pcap.file", "its %u packets need %zu MiB of memory for "
			"captures, %zu are free; remove a chain that replays one, or start the runner with a larger --replay-mb",
			count, (size >> 20) + 1, region_free_bytes() >> 20);
	return replay;
}

struct replay *pcap_load(const struct scope *scope, const char *key, const struct artefact *file)
{
	struct reader reader = {.scope = scope, .key = key};
	struct replay *replay = NULL;
	uint32_t count = 0;
	size_t total = 0;

	if (!is_classic(file)) {
		(void)refuse(scope, key, "this is not a pcap file; convert a pcapng file with 'editcap -F pcap'");
		return NULL;
	}
	if (open_reader(&reader, file) < 0)
		return NULL;
	if (check_link(&reader) == 0 && count_packets(&reader, &count, &total) == 0)
		replay = make_replay(&reader, count, total);
	pcap_close(reader.pcap);
	if (replay == NULL)
		return NULL;
	if (open_reader(&reader, file) == 0) {
		int filled = fill_packets(&reader, replay, count);

		pcap_close(reader.pcap);
		if (filled == 0)
			return replay;
	}
	replay_free(replay);
	return NULL;
}

int pcap_check_timing(const struct scope *scope, const struct replay *replay)
{
	if (replay->period_ns == 0)
		return refuse(scope, "timing", "all its packets have the same timestamp; use timing: rate");
	if (replay->longest_gap_ns > PCAP_GAP_S_MAX * 1000000000ULL)
		return refuse(scope, "timing", "the capture has a gap of %llu s, longer than %u s; cut it there or use timing: rate",
			(unsigned long long)(replay->longest_gap_ns / 1000000000ULL), PCAP_GAP_S_MAX);
	if ((double)replay->count * 1e3 / (double)replay->period_ns > RATE_MPPS_MAX)
		return refuse(scope, "timing", "its packets come faster than %g Mpps; use timing: rate", RATE_MPPS_MAX);
	return 0;
}

void replay_free(const struct replay *replay)
{
	region_free(replay);
}
