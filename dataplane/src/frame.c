#include "frame.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <string.h>

#define FIRST_PORT 1024U
#define SRC_PORTS (65536U - FIRST_PORT)
#define DST_PORTS 65535U

static uint64_t hosts(const struct prefix *prefix)
{
	return 1ULL << (32 - prefix->length);
}

uint64_t flow_capacity(const struct source_config *config)
{
	uint64_t ends = hosts(&config->src) * SRC_PORTS;
	uint64_t targets = hosts(&config->dst) * (config->dst_port == 0 ? DST_PORTS : 1);

	return ends > FLOWS_MAX || targets > FLOWS_MAX ? FLOWS_MAX : ends * targets;
}

/* Finalizer of MurmurHash3: spreads neighbouring numbers. */
static uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x85ebca6bU;
	x ^= x >> 13;
	x *= 0xc2b2ae35U;
	return x ^ (x >> 16);
}

/*
 * `index` is written in digits of mixed radix: source address, source port, destination address, destination port.
 * Each digit is shifted by a hash of the digits before it, which spreads the values and keeps the mapping one to one.
 */
struct flow flow_at(const struct source_config *config, uint32_t index)
{
	uint64_t src_hosts = hosts(&config->src), dst_hosts = hosts(&config->dst);
	uint32_t a = (uint32_t)(index & (src_hosts - 1)), rest = (uint32_t)(index / src_hosts);
	uint32_t b = rest % SRC_PORTS, seed = mix(a ^ 0x9e3779b9U);
	struct flow flow;

	rest /= SRC_PORTS;
	flow.src = config->src.address | (uint32_t)((uint64_t)(a * 2654435761U) & (src_hosts - 1));
	flow.src_port = (uint16_t)(FIRST_PORT + (b + seed % SRC_PORTS) % SRC_PORTS);
	seed = mix(seed ^ b);
	flow.dst = config->dst.address | (uint32_t)((rest + (uint64_t)seed) & (dst_hosts - 1));
	rest = (uint32_t)(rest / dst_hosts);
	flow.dst_port = config->dst_port;
	if (flow.dst_port == 0)
		flow.dst_port = (uint16_t)(1 + (rest % DST_PORTS + mix(seed) % DST_PORTS) % DST_PORTS);
	return flow;
}

static uint64_t sum_words(const uint8_t *bytes, uint32_t length)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i + 1 < length; i += 2)
		sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	return length % 2 == 0 ? sum : sum + (uint32_t)(bytes[length - 1] << 8);
}

static uint16_t fold(uint64_t sum)
{
	sum = (sum & 0xffffffffU) + (sum >> 32);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint64_t halves(uint32_t word)
{
	return (word >> 16) + (word & 0xffff);
}

static void l4_header(struct frame_template *frame, const struct source_config *config, uint8_t *l4, uint32_t l4_bytes)
{
	if (config->protocol == IPPROTO_UDP) {
		struct udphdr udp = {.uh_ulen = htons((uint16_t)l4_bytes)};

		memcpy(l4, &udp, sizeof(udp));
		frame->payload_at = FRAME_ETHER_BYTES + FRAME_IP_BYTES + sizeof(udp);
		frame->checksum_at = frame->payload_at - 2;
	} else {
		struct tcphdr tcp = {.doff = 5, .ack = 1, .psh = 1, .window = htons(65535)};

		memcpy(l4, &tcp, sizeof(tcp));
		frame->payload_at = FRAME_ETHER_BYTES + FRAME_IP_BYTES + sizeof(tcp);
		frame->checksum_at = frame->payload_at - 4;
	}
}

void frame_template_make(struct frame_template *frame, const struct source_config *config)
{
	static const uint8_t ether[FRAME_ETHER_BYTES] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00};
	uint32_t ip_bytes = config->packet_bytes - FRAME_ETHER_BYTES, l4_bytes = ip_bytes - FRAME_IP_BYTES;
	struct iphdr ip = {.version = 4, .ihl = 5, .tot_len = htons((uint16_t)ip_bytes), .frag_off = htons(0x4000),
		.ttl = 64, .protocol = config->protocol};
	uint8_t *l3 = frame->bytes + FRAME_ETHER_BYTES, *l4 = l3 + FRAME_IP_BYTES;

	memset(frame, 0, sizeof(*frame));
	frame->length = config->packet_bytes;
	memcpy(frame->bytes, ether, sizeof(ether));
	memcpy(l3, &ip, sizeof(ip));
	l4_header(frame, config, l4, l4_bytes);
	frame->ip_sum = sum_words(l3, FRAME_IP_BYTES);
	frame->l4_sum = sum_words(l4, l4_bytes) + config->protocol + l4_bytes; /* with the pseudo-header's constants */
}

void frame_write(const struct frame_template *frame, struct flow flow, uint64_t sequence, uint8_t *out)
{
	uint8_t *l3 = out + FRAME_ETHER_BYTES, *l4 = l3 + FRAME_IP_BYTES;
	uint32_t ends[2] = {htonl(flow.src), htonl(flow.dst)};
	uint16_t ports[2] = {htons(flow.src_port), htons(flow.dst_port)};
	uint64_t wire = htobe64(sequence), addresses = halves(flow.src) + halves(flow.dst);
	uint16_t ip_check = htons(fold(frame->ip_sum + addresses)), l4_check;

	memcpy(out, frame->bytes, frame->length);
	memcpy(l3 + offsetof(struct iphdr, saddr), ends, sizeof(ends));
	memcpy(l3 + offsetof(struct iphdr, check), &ip_check, sizeof(ip_check));
	memcpy(l4, ports, sizeof(ports));
	memcpy(out + frame->payload_at, &wire, sizeof(wire));
	l4_check = htons(fold(frame->l4_sum + addresses + flow.src_port + flow.dst_port +
		halves((uint32_t)(sequence >> 32)) + halves((uint32_t)sequence)));
	if (l4_check == 0) /* zero would say 'no checksum' in UDP (RFC 768); the two are equal in one's complement */
		l4_check = 0xffff;
	memcpy(out + frame->checksum_at, &l4_check, sizeof(l4_check));
}

bool frame_read(const uint8_t *bytes, uint32_t length, bool verify, uint64_t *sequence)
{
	const uint8_t *l3 = bytes + FRAME_ETHER_BYTES;
	uint8_t protocol = l3[offsetof(struct iphdr, protocol)];
	uint32_t l4_header_bytes = protocol == IPPROTO_UDP ? sizeof(struct udphdr) : sizeof(struct tcphdr);
	uint64_t wire;

	if (length < PACKET_BYTES_MIN || l3[0] != 0x45 || (protocol != IPPROTO_UDP && protocol != IPPROTO_TCP))
		return false;
	if (verify && fold(sum_words(l3, FRAME_IP_BYTES)) != 0)
		return false;
	memcpy(&wire, l3 + FRAME_IP_BYTES + l4_header_bytes, sizeof(wire));
	*sequence = be64toh(wire);
	return true;
}
