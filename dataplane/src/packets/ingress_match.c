#include "packets/ingress_match.h"

#include "base/ipv6_packet.h"

enum ingress_class ingress_classify(const struct source_config *config, const uint8_t *frame, uint32_t length)
{
	struct ipv6_packet packet;
	enum ipv6_read read = ipv6_packet_read(frame, length, &packet);

	if (read != IPV6_READ)
		return read == IPV6_ABSENT ? INGRESS_UNMATCHED : INGRESS_MALFORMED;
	if (!prefix6_holds(&config->src6, frame + packet.at + IPV6_SOURCE_AT) ||
	    !prefix6_holds(&config->dst6, frame + packet.at + IPV6_DESTINATION_AT))
		return INGRESS_UNMATCHED;
	if (packet.l4_bytes == 0 || packet.protocol != config->protocol)
		return INGRESS_UNMATCHED;
	if (config->dst_port != 0 && ipv6_destination_port(frame, &packet) != config->dst_port)
		return INGRESS_UNMATCHED;
	return INGRESS_MATCHED;
}

int ingress_filter(const struct source_config *config, struct replay *replay)
{
	uint32_t matched = 0, unmatched = 0, malformed = 0, all = replay->count;
	uint64_t longest_gap_ns = 0, before_ns = 0;

	for (uint32_t i = 0; i < all; i++) {
		struct replay_packet packet = replay->packets[i];

		switch (ingress_classify(config, replay_bytes(replay, i), packet.length)) {
		case INGRESS_UNMATCHED:
			unmatched++;
			break;
		case INGRESS_MALFORMED:
			malformed++;
			break;
		case INGRESS_MATCHED:
			packet.unmatched = unmatched;
			packet.malformed = malformed;
			if (packet.at_ns - before_ns > longest_gap_ns)
				longest_gap_ns = packet.at_ns - before_ns;
			before_ns = packet.at_ns;
			replay->packets[matched++] = packet; /* never behind `i` */
			unmatched = malformed = 0;
			break;
		}
	}
	if (matched == 0)
		return -1;
	replay->packets[matched - 1].unmatched += unmatched;
	replay->packets[matched - 1].malformed += malformed;
	replay->count = matched;
	replay->longest_gap_ns = longest_gap_ns; /* those that were left out no longer fill a gap */
	return 0;
}
