#include "decode/print.h"

#include <arpa/inet.h>

static const struct {
	uint16_t bit;
	const char *name;
} COLLECTED[] = {{SRV6_HAS_DEVICE, "device"}, {SRV6_HAS_TIME, "in-time"}, {SRV6_HAS_LATENCY, "nf-latency"},
	{SRV6_HAS_QUEUE, "queue"}, {SRV6_HAS_COUNTER, "port-counter"}};

static const char *text(const struct in6_addr *address, char *room)
{
	return inet_ntop(AF_INET6, address, room, INET6_ADDRSTRLEN);
}

static void print_metadata(FILE *to, const struct srv6_metadata *metadata, uint16_t map_info)
{
	(void)fprintf(to, "{\"kind\": \"metadata\"");
	if (map_info & SRV6_HAS_DEVICE)
		(void)fprintf(to, ", \"device\": %u", metadata->device);
	if (map_info & SRV6_HAS_TIME)
		(void)fprintf(to, ", \"in_time_us\": %u", metadata->in_time_us);
	if (map_info & SRV6_HAS_LATENCY)
		(void)fprintf(to, ", \"nf_latency_ns\": %u", metadata->latency_ns);
	if (map_info & SRV6_HAS_QUEUE)
		(void)fprintf(to, ", \"queue\": %u, \"queue_length\": %u", metadata->queue, metadata->queue_length);
	if (map_info & SRV6_HAS_COUNTER)
		(void)fprintf(to, ", \"port_counter\": %u", metadata->counter);
	(void)fprintf(to, "}");
}

void srv6_print(FILE *to, const struct srv6_headers *headers)
{
	char room[INET6_ADDRSTRLEN];
	const char *comma = "";

	(void)fprintf(to, "{\"tag\": %u, \"flow_label\": %u, \"source\": \"%s\"", headers->tag, headers->flow_label,
		text(&headers->source, room));
	(void)fprintf(to, ", \"destination\": \"%s\", \"hop_limit\": %u, \"segments_left\": %u", text(&headers->destination, room),
		headers->hop_limit, headers->left);
	(void)fprintf(to, ", \"inner\": \"%s\", \"collected\": [", headers->inner_header == SRV6_NEXT_IPV4 ? "ipv4" : "ipv6");
	for (size_t i = 0; i < sizeof(COLLECTED) / sizeof(COLLECTED[0]); i++) {
		if (headers->map_info & COLLECTED[i].bit) {
			(void)fprintf(to, "%s\"%s\"", comma, COLLECTED[i].name);
			comma = ", ";
		}
	}
	(void)fprintf(to, "], \"detection_result_ns\": %u, \"path\": [", headers->detection_ns);
	for (int i = headers->count - 1; i >= 0; i--) { /* in the order of travel */
		const struct srv6_entry *entry = &headers->entries[i];

		if (entry->is_used)
			print_metadata(to, &entry->metadata, headers->map_info);
		else
			(void)fprintf(to, "{\"kind\": \"segment\", \"sid\": \"%s\"}", text(&entry->sid, room));
		(void)fprintf(to, i > 0 ? ", " : "]");
	}
}
