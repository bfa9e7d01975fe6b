#include "packets/frame.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <string.h>

#include "base/ipv6_packet.h"
#include "packets/checksum.h"

#define FIRST_PORT 1024U
#define SRC_PORTS (65536U - FIRST_PORT)
#define DST_PORTS 65535U
#define SHARED_ADDRESS_BYTES 12U /* of an IPv6 address: those before the last 32 bits */

static uint64_t hosts(const struct prefix *prefix)
{
	return 1ULL << (32 - prefix->length);
}

static uint32_t ip_header_bytes(const struct source_config *config)
{
	return config->ipv6 ? FRAME_IPV6_BYTES : FRAME_IP_BYTES;
}

uint32_t frame_header_bytes(const struct source_config *config)
{
	return FRAME_ETHER_BYTES + ip_header_bytes(config) +
		(uint32_t)(config->protocol == IPPROTO_UDP ? sizeof(struct udphdr) : sizeof(struct tcphdr));
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
	uint32_t a = (uint32_t)(index & (src_hosts - 1)), rest = (uint32_t)((uint64_t)index >> (32 - config->src.length));
	uint32_t b = rest % SRC_PORTS, seed = mix(a ^ 0x9e3779b9U);
	struct flow flow;

	rest /= SRC_PORTS;
	flow.src = config->src.address | (uint32_t)((uint64_t)(a * 2654435761U) & (src_hosts - 1));
	flow.src_port = (uint16_t)(FIRST_PORT + (b + seed % SRC_PORTS) % SRC_PORTS);
	seed = mix(seed ^ b);
	flow.dst = config->dst.address | (uint32_t)((rest + (uint64_t)seed) & (dst_hosts - 1));
	rest = (uint32_t)((uint64_t)rest >> (32 - config->dst.length));
	flow.dst_port = config->dst_port;
	if (flow.dst_port == 0)
		flow.dst_port = (uint16_t)(1 + (rest % DST_PORTS + mix(seed) % DST_PORTS) % DST_PORTS);
	return flow;
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
		frame->checksum_at = frame->payload_at - 2;
	} else {
		struct tcphdr tcp = {.doff = 5, .ack = 1, .psh = 1, .window = htons(65535)};

		memcpy(l4, &tcp, sizeof(tcp));
		frame->checksum_at = frame->payload_at - 4;
	}
}

static void ipv4_header(struct frame_template *frame, const struct source_config *config)
{
	uint32_t bytes = config->packet_bytes - FRAME_ETHER_BYTES;
	struct iphdr ip = {.version = 4, .ihl = 5, .tot_len = htons((uint16_t)bytes), .frag_off = htons(0x4000),
		.ttl = 64, .protocol = config->protocol};

	memcpy(frame->bytes + FRAME_ETHER_BYTES, &ip, sizeof(ip));
	frame->ip_sum = checksum_sum(frame->bytes + FRAME_ETHER_BYTES, FRAME_IP_BYTES);
	frame->src_at = FRAME_ETHER_BYTES + offsetof(struct iphdr, saddr);
	frame->dst_at = FRAME_ETHER_BYTES + offsetof(struct iphdr, daddr);
}

/* The last 32 bits of both addresses are written for each packet, and are zero here. */
static void ipv6_header(struct frame_template *frame, const struct source_config *config)
{
	uint32_t bytes = config->packet_bytes - FRAME_ETHER_BYTES - FRAME_IPV6_BYTES;
	struct ip6_hdr ip = {.ip6_flow = htonl(6U << 28), .ip6_plen = htons((uint16_t)bytes), .ip6_nxt = config->protocol,
		.ip6_hlim = 64};

	frame->bytes[12] = 0x86;
	frame->bytes[13] = 0xdd;
	memcpy(&ip.ip6_src, config->src6.address, SHARED_ADDRESS_BYTES);
	memcpy(&ip.ip6_dst, config->dst6.address, SHARED_ADDRESS_BYTES);
	memcpy(frame->bytes + FRAME_ETHER_BYTES, &ip, sizeof(ip));
	frame->l4_sum = checksum_sum((const uint8_t *)&ip.ip6_src, 2 * sizeof(ip.ip6_src));
	frame->src_at = FRAME_ETHER_BYTES + offsetof(struct ip6_hdr, ip6_src) + SHARED_ADDRESS_BYTES;
	frame->dst_at = FRAME_ETHER_BYTES + offsetof(struct ip6_hdr, ip6_dst) + SHARED_ADDRESS_BYTES;
}

void frame_template_make(struct frame_template *frame, const struct source_config *config)
{
	static const uint8_t ether[FRAME_ETHER_BYTES] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00};
	uint32_t l4_bytes = config->packet_bytes - FRAME_ETHER_BYTES - ip_header_bytes(config);

	memset(frame, 0, sizeof(*frame));
	frame->length = config->packet_bytes;
	frame->payload_at = frame_header_bytes(config);
	frame->l4_at = FRAME_ETHER_BYTES + ip_header_bytes(config);
	frame->ipv6 = config->ipv6;
	memcpy(frame->bytes, ether, sizeof(ether));
	if (config->ipv6)
		ipv6_header(frame, config);
	else
		ipv4_header(frame, config);
	l4_header(frame, config, frame->bytes + frame->l4_at, l4_bytes);
	/* With the pseudo-header's constants. */
	frame->l4_sum += checksum_sum(frame->bytes + frame->l4_at, l4_bytes) + config->protocol + l4_bytes;
}

static inline void write_flow(const struct frame_template *frame, struct flow flow, uint64_t payload_sum, uint8_t *out)
{
	uint32_t ends[2] = {htonl(flow.src), htonl(flow.dst)};
	uint16_t ports[2] = {htons(flow.src_port), htons(flow.dst_port)};
	uint64_t addresses = halves(flow.src) + halves(flow.dst);
	uint16_t ip_check = htons((uint16_t)~checksum_fold(frame->ip_sum + addresses)), l4_check;

	memcpy(out + frame->src_at, &ends[0], sizeof(ends[0]));
	memcpy(out + frame->dst_at, &ends[1], sizeof(ends[1]));
	if (!frame->ipv6) /* IPv6 has no checksum of its own */
		memcpy(out + FRAME_ETHER_BYTES + offsetof(struct iphdr, check), &ip_check, sizeof(ip_check));
	memcpy(out + frame->l4_at, ports, sizeof(ports));
	l4_check = htons((uint16_t)~checksum_fold(frame->l4_sum + addresses + flow.src_port + flow.dst_port + payload_sum));
	if (l4_check == 0) /* zero would say 'no checksum' in UDP (RFC 768); the two are equal in one's complement */
		l4_check = 0xffff;
	memcpy(out + frame->checksum_at, &l4_check, sizeof(l4_check));
}

void frame_write(const struct frame_template *frame, struct flow flow, uint64_t sequence, uint8_t *out)
{
	uint64_t wire = htobe64(sequence);
	uint32_t room = frame->length - frame->payload_at;

	memcpy(out, frame->bytes, frame->length);
	if (room < sizeof(wire)) { /* small packets of IPv6 */
		memcpy(out + frame->payload_at, (const uint8_t *)&wire + sizeof(wire) - room, room);
		write_flow(frame, flow, checksum_sum(out + frame->payload_at, room), out);
		return;
	}
	memcpy(out + frame->payload_at, &wire, sizeof(wire));
	write_flow(frame, flow, halves((uint32_t)(sequence >> 32)) + halves((uint32_t)sequence), out);
}

void frame_write_headers(const struct frame_template *frame, struct flow flow, uint64_t payload_sum, uint8_t *out)
{
	memcpy(out, frame->bytes, frame->payload_at);
	write_flow(frame, flow, payload_sum, out);
}

static bool l4_is_sound(const struct iphdr *ip, const uint8_t *l4, uint32_t l4_bytes)
{
	uint64_t pseudo = checksum_sum((const uint8_t *)&ip->saddr, 2 * sizeof(ip->saddr)) + ip->protocol + l4_bytes;
	uint16_t udp_check = 0;

	if ((ntohs(ip->frag_off) & (IP_MF | IP_OFFMASK)) != 0)
		return true;
	if (ip->protocol == IPPROTO_UDP && l4_bytes >= sizeof(struct udphdr)) {
		memcpy(&udp_check, l4 + offsetof(struct udphdr, uh_sum), sizeof(udp_check));
		return udp_check == 0 || checksum_fold(pseudo + checksum_sum(l4, l4_bytes)) == 0xffff;
	}
	if (ip->protocol == IPPROTO_TCP && l4_bytes >= sizeof(struct tcphdr))
		return checksum_fold(pseudo + checksum_sum(l4, l4_bytes)) == 0xffff;
	return ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP;
}

static bool ipv6_is_sound(const uint8_t *bytes, const struct ipv6_packet *packet)
{
	uint32_t end = packet->at + packet->bytes, l4_bytes = end - packet->l4_at;
	uint64_t pseudo = checksum_sum(bytes + packet->at + IPV6_SOURCE_AT, 2 * IPV6_ADDRESS_BYTES) + packet->protocol + l4_bytes;

	if (packet->l4_bytes == 0)
		return true;
	return checksum_fold(pseudo + checksum_sum(bytes + packet->l4_at, l4_bytes)) == 0xffff &&
		(packet->protocol != IPPROTO_UDP || bytes[packet->l4_at + 6] != 0 || bytes[packet->l4_at + 7] != 0);
}

bool frame_is_sound(const uint8_t *bytes, uint32_t length)
{
	struct ipv6_packet packet;
	enum ipv6_read read = ipv6_packet_read(bytes, length, &packet);
	const uint8_t *l3 = bytes + FRAME_ETHER_BYTES;
	uint32_t header_bytes, total;
	struct iphdr ip;

	if (read != IPV6_ABSENT)
		return read == IPV6_READ && ipv6_is_sound(bytes, &packet);
	if (length < FRAME_ETHER_BYTES + FRAME_IP_BYTES || bytes[12] != 0x08 || bytes[13] != 0x00)
		return false;
	memcpy(&ip, l3, sizeof(ip));
	header_bytes = ip.ihl * 4U;
	total = ntohs(ip.tot_len);
	if (ip.version != 4 || header_bytes < FRAME_IP_BYTES || total < header_bytes || total > length - FRAME_ETHER_BYTES)
		return false;
	return checksum_fold(checksum_sum(l3, header_bytes)) == 0xffff &&
		l4_is_sound(&ip, l3 + header_bytes, total - header_bytes);
}
