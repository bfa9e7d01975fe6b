#include "source/stamped_source.h"

#include <stdlib.h>
#include <string.h>

#include "packets/lane_flows.h"
#include "packets/source_reader.h"

static uint32_t smallest_size(const struct source_config *config)
{
	uint32_t smallest = config->size_count == 0 ? config->packet_bytes : PACKET_BYTES_MAX;

	for (uint32_t i = 0; i < config->size_count; i++)
		if (config->sizes[i].bytes < smallest)
			smallest = config->sizes[i].bytes;
	return smallest;
}

static uint32_t longest_string(const struct payload_config *payload)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < payload->match_count; i++)
		if (payload->matches[i].length > longest)
			longest = payload->matches[i].length;
	return longest;
}

int stamped_config_read(const json_t *source, struct source_config *config, struct error *err)
{
	const json_t *pcap = json_object_get(source, "pcap");
	uint32_t least;

	if (pcap != NULL && !json_is_null(pcap))
		return fail(err, E_BAD_REQUEST, "source.pcap", "a capture has no room for times and numbers; remove it");
	if (source_config_read(source, config, err) < 0)
		return -1;
	least = frame_header_bytes(config) + STAMP_BYTES + longest_string(&config->payload);
	if (smallest_size(config) < least)
		return fail(err, E_BAD_REQUEST, config->size_count == 0 ? "source.packet_bytes" : "source.sizes",
			"headers, time, number and the longest string take %u bytes, and the smallest packet has %u; send larger packets", least,
			smallest_size(config));
	if (config->lane.divides && !lane_has_flows(config))
		return fail(err, E_BAD_REQUEST, "source.lane", "none of the source's flows is this lane's own; send more flows");
	return 0;
}

struct stamped_source *stamped_source_make(const struct source_config *config, uint16_t stream)
{
	struct stamped_source *source = calloc(1, sizeof(*source));
	uint32_t *sequences = calloc(config->flows, sizeof(*sequences));

	if (source == NULL || sequences == NULL) {
		free(source);
		free(sequences);
		return NULL;
	}
	packet_source_start(&source->packets, config);
	source->sequences = sequences;
	source->stream = stream;
	return source;
}

void stamped_source_free(struct stamped_source *source)
{
	if (source == NULL)
		return;
	free(source->sequences);
	free(source);
}

uint32_t stamped_source_write(struct stamped_source *source, uint64_t at_ns, uint8_t *out)
{
	struct packet_source *packets = &source->packets;
	const struct frame_template *frame = &packets->frames[size_pick_next(&packets->sizes)];
	struct stamp stamp = {.stream = source->stream, .at_ns = at_ns};
	uint32_t behind = frame->payload_at + STAMP_BYTES;
	struct flow flow;
	uint64_t sum = 0;

	stamp.flow = lane_next_numbered_flow(&packets->config, &packets->flows, &flow);
	stamp.sequence = source->sequences[stamp.flow]++;
	if (packets->config.payload.kind == PAYLOAD_ZERO)
		memset(out + behind, 0, frame->length - behind);
	else
		sum = payload_write(&packets->payload, out + behind, frame->length - behind);
	sum += stamp_write(&stamp, out + frame->payload_at);
	frame_write_headers(frame, flow, sum, out);
	return frame->length;
}
