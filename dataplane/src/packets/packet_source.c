#include "packets/packet_source.h"

#include <string.h>

#include "packets/lane_flows.h"

static void make_templates(struct packet_source *source)
{
	struct source_config *config = &source->config; /* our own copy: its packet_bytes passes through the sizes */

	if (config->replay != NULL)
		return;
	if (config->size_count == 0)
		frame_template_make(&source->frames[0], config);
	for (uint32_t i = 0; i < config->size_count; i++) {
		config->packet_bytes = config->sizes[i].bytes;
		frame_template_make(&source->frames[i], config);
	}
}

void packet_source_start(struct packet_source *source, const struct source_config *config)
{
	source->config = *config;
	make_templates(source);
	flow_pick_start(&source->flows, config->flow_distribution, config->flows, config->zipf_exponent, config->seed);
	size_pick_start(&source->sizes, source->config.sizes, config->size_count, config->seed);
	payload_start(&source->payload, &source->config.payload, config->seed);
	source->replayed = 0;
	source->unmatched = source->malformed = 0;
}

static uint32_t write_frame(struct packet_source *source, uint64_t sequence, uint8_t *out)
{
	const struct frame_template *frame = &source->frames[size_pick_next(&source->sizes)];
	struct flow flow = lane_next_flow(&source->config, &source->flows);
	uint64_t sum;

	if (source->config.payload.kind == PAYLOAD_ZERO) {
		frame_write(frame, flow, sequence, out);
		return frame->length;
	}
	sum = payload_write(&source->payload, out + frame->payload_at, frame->length - frame->payload_at);
	frame_write_headers(frame, flow, sum, out);
	return frame->length;
}

static uint32_t write_replayed(struct packet_source *source, uint8_t *out)
{
	const struct replay *replay = source->config.replay;
	const struct replay_packet *packet = &replay->packets[source->replayed];
	uint32_t length = packet->length;

	source->unmatched += packet->unmatched;
	source->malformed += packet->malformed;
	memcpy(out, replay_bytes(replay, source->replayed), length);
	if (++source->replayed == replay->count)
		source->replayed = 0;
	return length;
}

uint32_t packet_source_write(struct packet_source *source, uint64_t sequence, uint8_t *out)
{
	return source->config.replay != NULL ? write_replayed(source, out) : write_frame(source, sequence, out);
}
