/* A frame of a capture at a chain of IPv6: what is read of it stays inside, and only what is of the match enters. */
#include <netinet/in.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "fuzz.h"
#include "packets/frame.h"
#include "packets/ingress_match.h"

static struct source_config match;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	match = (struct source_config){.ipv6 = true, .protocol = IPPROTO_UDP, .dst_port = 53};
	MUST(prefix6_parse("2001:db8:a::/48", &match.src6) == 0 && prefix6_parse("fd00:b::/63", &match.dst6) == 0);
	return 0;
}

static void check(const uint8_t *frame, uint32_t length)
{
	enum ingress_class found = ingress_classify(&match, frame, length);
	struct ipv6_packet packet;
	enum ipv6_read read = ipv6_packet_read(frame, length, &packet);

	MUST((found == INGRESS_MALFORMED) == (read == IPV6_MALFORMED));
	(void)frame_is_sound(frame, length);
	if (read != IPV6_READ)
		return;
	MUST(packet.at + packet.bytes <= length && packet.l4_at + packet.l4_bytes <= packet.at + packet.bytes);
	MUST(found != INGRESS_MATCHED || (frame[packet.at + 8] == 0x20 && ipv6_destination_port(frame, &packet) == 53));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t length = size > PACKET_BYTES_MAX ? PACKET_BYTES_MAX : (uint32_t)size;
	uint8_t *frame = malloc(length > 0 ? length : 1); /* of its own, so that a read behind it is seen */

	MUST(frame != NULL);
	memcpy(frame, data, length);
	check(frame, length);
	free(frame);
	return 0;
}
