/* A source's configuration; what is accepted must make packets, and the times at which they fall due. */
#include <netinet/in.h>
#include <string.h>

#include "base/region.h"
#include "fuzz.h"
#include "given_file.h"
#include "packets/frame.h"
#include "packets/packet_source.h"
#include "packets/pcap_file.h"
#include "packets/source_reader.h"
#include "traffic/pacing.h"

#define CYCLES_PER_SECOND 2000000000ULL
#define PACKETS 100

static const char CAPTURE[] = "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0" /* little-endian, us, Ethernet */
	"\1\0\0\0\0\0\0\0\16\0\0\0\16\0\0\0aaaaaabbbbbb\10\0"
	"\1\0\0\0\100\0\0\0\16\0\0\0\16\0\0\0aaaaaabbbbbb\10\0";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	MUST(region_open(1 << 20) == 0);
	payload_pool_fill();
	given_file = (struct artefact){.bytes = (uint8_t *)(uintptr_t)CAPTURE, .size = sizeof(CAPTURE) - 1};
	return 0;
}

static void make_packets(const struct source_config *config)
{
	static struct packet_source source;
	uint8_t *out = malloc(PACKET_BYTES_MAX);

	MUST(out != NULL);
	packet_source_start(&source, config);
	for (uint32_t i = 0; i < PACKETS; i++) {
		uint32_t length = packet_source_write(&source, i, out);

		MUST(length >= 60 && length <= PACKET_BYTES_MAX);
		MUST(config->replay != NULL || frame_is_sound(out, length));
	}
	free(out);
}

static void pass_time(const struct source_config *config)
{
	static struct pacer pacer;
	uint64_t now = 1, dropped;

	memset(&pacer, 0, sizeof(pacer));
	pacer_start(&pacer, &config->arrivals, CYCLES_PER_SECOND, now);
	for (int i = 0; i < PACKETS; i++) {
		now += CYCLES_PER_SECOND / 1000 + (uint32_t)i * (CYCLES_PER_SECOND / 10);
		(void)pacer_advance(&pacer, now, &dropped);
		while (pacer.backlog > 0)
			MUST(pacer_take(&pacer, 32, &(uint64_t){0}) > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct source_config config;
	size_t room = region_free_bytes();

	MUST((source_config_read(json, &config, &err) < 0) == (err.code != NULL));
	if (err.code == NULL) {
		make_packets(&config);
		if (config.packets_per_second > 0)
			pass_time(&config);
		replay_free(config.replay);
	}
	MUST(region_free_bytes() == room);
	json_decref(json);
	return 0;
}
