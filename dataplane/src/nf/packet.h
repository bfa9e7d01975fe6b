/* What NFs share: reading the headers of packets that may be anything, and adjusting checksums. */
#ifndef SEXTANT_PACKET_H
#define SEXTANT_PACKET_H

#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_ip_frag.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <stdbool.h>
#include <string.h>

/*
 * One strictness for all NFs: IPv4 is a whole packet, with a header of 20 to 60 bytes and a length that the frame holds; ports
 * are there where the whole header of UDP or TCP is. Nothing is read past the packet's own length.
 */
struct packet_view {
	struct rte_ipv4_hdr *ip; /* NULL: no whole IPv4 packet */
	uint16_t *ports; /* source, destination; NULL: neither TCP nor UDP, cut short, or a fragment */
};

/* Whether an IPv4 packet is whole in `room` bytes, of which there are 20 at least. */
static inline bool ip_is_whole(const struct rte_ipv4_hdr *ip, uint32_t room)
{
	uint32_t header_bytes = rte_ipv4_hdr_len(ip), bytes = rte_be_to_cpu_16(ip->total_length);

	return ip->version_ihl >> 4 == IPVERSION && header_bytes >= sizeof(*ip) && bytes >= header_bytes && bytes <= room;
}

/*
 * IPv4 without options, whole as above: what follows its 20 bytes is the transport header, where tables read it. Every
 * frame has 60 bytes at least. One condition, as it is asked of each packet: a jump that is not foreseen costs more.
 */
static inline bool packet_is_plain(const struct rte_mbuf *packet)
{
	const uint8_t *frame = rte_pktmbuf_mtod(packet, const uint8_t *);
	uint32_t beyond_header;
	uint64_t words; /* Ethernet's type, IPv4's version and header length, type of service, total length */

	memcpy(&words, frame + offsetof(struct rte_ether_hdr, ether_type), sizeof(words));
	words = rte_be_to_cpu_64(words);
	beyond_header = (uint32_t)(words >> 16 & 0xffff) - (uint32_t)sizeof(struct rte_ipv4_hdr);
	return (words >> 40 == (RTE_ETHER_TYPE_IPV4 << 8 | RTE_IPV4_VHL_DEF)) &
		(beyond_header <= packet->data_len - (uint32_t)(sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv4_hdr)));
}

/* Reads the IPv4 header, and leaves out the ports. False when there is none. */
static inline bool packet_read_ip(const struct rte_mbuf *packet, struct packet_view *view)
{
	const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packet, const struct rte_ether_hdr *);
	struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(packet, struct rte_ipv4_hdr *, sizeof(*ether));

	view->ip = ip;
	view->ports = NULL;
	if (packet_is_plain(packet)) /* nearly all */
		return true;
	view->ip = NULL;
	if (packet->data_len < sizeof(*ether) + sizeof(*ip) || ether->ether_type != RTE_BE16(RTE_ETHER_TYPE_IPV4))
		return false;
	if (!ip_is_whole(ip, packet->data_len - (uint32_t)sizeof(*ether)))
		return false;
	view->ip = ip;
	return true;
}

static inline uint32_t packet_header_bytes(const struct packet_view *view)
{
	return rte_ipv4_hdr_len(view->ip);
}

/* Of the whole IPv4 packet; its Ethernet frame may be longer (padding). */
static inline uint32_t packet_bytes(const struct packet_view *view)
{
	return rte_be_to_cpu_16(view->ip->total_length);
}

/* All but the first fragment hold no ports, and one of them rewritten alone is lost. */
static inline bool packet_is_fragment(const struct packet_view *view)
{
	return rte_ipv4_frag_pkt_is_fragmented(view->ip) != 0;
}

static inline uint8_t *packet_l4(const struct packet_view *view)
{
	return (uint8_t *)view->ip + packet_header_bytes(view);
}

/* Bytes of the UDP or TCP header; 0 when it is neither, a fragment, or cut short. */
static inline uint32_t packet_l4_bytes(const struct packet_view *view)
{
	uint32_t room = packet_bytes(view) - packet_header_bytes(view), bytes = sizeof(struct rte_udp_hdr);

	if (packet_is_fragment(view) || room < bytes)
		return 0;
	if (view->ip->next_proto_id == IPPROTO_UDP)
		return bytes;
	if (view->ip->next_proto_id != IPPROTO_TCP || room < sizeof(struct rte_tcp_hdr))
		return 0;
	bytes = (((const struct rte_tcp_hdr *)packet_l4(view))->data_off >> 4) * 4U;
	return bytes >= sizeof(struct rte_tcp_hdr) && bytes <= room ? bytes : 0;
}

/* The payload of UDP or TCP, which may be empty; false when there is no such thing to see. */
static inline bool packet_payload(const struct packet_view *view, const uint8_t **payload, uint32_t *bytes)
{
	uint32_t header_bytes = packet_l4_bytes(view);

	*payload = packet_l4(view) + header_bytes;
	*bytes = packet_bytes(view) - packet_header_bytes(view) - header_bytes;
	return header_bytes > 0;
}

/* Both headers. */
static inline void packet_read(const struct rte_mbuf *packet, struct packet_view *view)
{
	if (packet_read_ip(packet, view) && packet_l4_bytes(view) > 0)
		view->ports = (uint16_t *)packet_l4(view);
}

/* What a change of a word adds to the one's complement sum (RFC 1624, eqn. 3: ~m + m'); in any byte order. */
static inline uint32_t checksum_change16(uint16_t from, uint16_t to)
{
	return (uint32_t)(uint16_t)~from + to;
}

static inline uint32_t checksum_change32(uint32_t from, uint32_t to)
{
	return checksum_change16((uint16_t)(from >> 16), (uint16_t)(to >> 16)) +
		checksum_change16((uint16_t)from, (uint16_t)to);
}

/* HC' = ~(~HC + change), of at most a thousand changes added up. */
static inline uint16_t checksum_update(uint16_t checksum, uint32_t change)
{
	uint32_t sum = (uint16_t)~checksum + change;

	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

/* UDP's zero says 'no checksum' (RFC 768): it stays, and a checksum that becomes zero is written as its equal 0xffff. */
static inline void packet_update_l4_checksum(const struct packet_view *view, uint32_t change)
{
	bool udp = view->ip->next_proto_id == IPPROTO_UDP;
	uint16_t *checksum = view->ports +
		(udp ? offsetof(struct rte_udp_hdr, dgram_cksum) : offsetof(struct rte_tcp_hdr, cksum)) / sizeof(uint16_t);
	uint16_t mended;

	if (udp && *checksum == 0)
		return;
	mended = checksum_update(*checksum, change);
	*checksum = udp && mended == 0 ? 0xffff : mended;
}

#endif
