/* A capture, as the source's reader takes it. */
#include "base/region.h"
#include "fuzz.h"
#include "packets/pcap_file.h"
#include "packets/source_config.h"

#define REGION_BYTES (16U << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	MUST(region_open(REGION_BYTES) == 0);
	return 0;
}

/* What a source relies on when it sends, and reads every byte of. */
static void check(const struct replay *replay)
{
	uint64_t before = 0;
	volatile uint8_t seen = 0;

	MUST(replay->count > 0);
	for (uint32_t i = 0; i < replay->count; i++) {
		const struct replay_packet *packet = &replay->packets[i];

		MUST(packet->length >= 60 && packet->length <= PACKET_BYTES_MAX && packet->at_ns >= before);
		MUST((size_t)packet->offset + packet->length <= REGION_BYTES);
		before = packet->at_ns;
		for (uint32_t byte = 0; byte < packet->length; byte++)
			seen = replay_bytes(replay, i)[byte];
	}
	(void)seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "source.pcap", .err = &err};
	struct artefact file = {.bytes = (uint8_t *)(uintptr_t)data, .size = size};
	size_t room = region_free_bytes();
	const struct replay *replay = pcap_load(&scope, "file", &file);

	MUST((replay == NULL) == (err.code != NULL));
	if (replay != NULL) {
		check(replay);
		(void)pcap_check_timing(&scope, replay);
		replay_free(replay);
	}
	MUST(region_free_bytes() == room);
	return 0;
}
