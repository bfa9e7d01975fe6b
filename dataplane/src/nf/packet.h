/* What NFs that rewrite packets share: reading headers of packets that may be anything, and mending checksums. */
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

struct packet_view {
	struct rte_ipv4_hdr *ip; /* NULL: no IPv4, or cut short */
	uint16_t *ports;         /* source, destination; NULL: neither TCP nor UDP, cut short, or a fragment */
	uint16_t *checksum;      /* of TCP or UDP; there with the ports */
};

/* A fragment has no view of its ports: all but the first do not hold them, and one rewritten alone is lost. */
static inline void packet_read(struct rte_mbuf *packet, struct packet_view *view)
{
	const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packet, const struct rte_ether_hdr *);
	uint32_t at = sizeof(*ether), l4_bytes;

	*view = (struct packet_view){0};
	if (packet->data_len < at + sizeof(*view->ip) || ether->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4))
		return;
	view->ip = rte_pktmbuf_mtod_offset(packet, struct rte_ipv4_hdr *, at);
	at += rte_ipv4_hdr_len(view->ip);
	l4_bytes = view->ip->next_proto_id == IPPROTO_UDP ? sizeof(struct rte_udp_hdr) : sizeof(struct rte_tcp_hdr);
	if (rte_ipv4_hdr_len(view->ip) < sizeof(*view->ip) || view->ip->version != IPVERSION) {
		view->ip = NULL;
		return;
	}
	if ((view->ip->next_proto_id != IPPROTO_UDP && view->ip->next_proto_id != IPPROTO_TCP) ||
	    rte_ipv4_frag_pkt_is_fragmented(view->ip) ||
	    packet->data_len < at + l4_bytes)
		return;
	view->ports = rte_pktmbuf_mtod_offset(packet, uint16_t *, at);
	view->checksum = view->ip->next_proto_id == IPPROTO_UDP
		? rte_pktmbuf_mtod_offset(packet, uint16_t *, at + offsetof(struct rte_udp_hdr, dgram_cksum))
		: rte_pktmbuf_mtod_offset(packet, uint16_t *, at + offsetof(struct rte_tcp_hdr, cksum));
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
static inline uint16_t checksum_mend(uint16_t checksum, uint32_t change)
{
	uint32_t sum = (uint16_t)~checksum + change;

	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

/* UDP's zero says 'no checksum' (RFC 768): it stays, and a checksum that becomes zero is written as its equal 0xffff. */
static inline void packet_mend_l4(const struct packet_view *view, uint32_t change)
{
	bool udp = view->ip->next_proto_id == IPPROTO_UDP;
	uint16_t mended;

	if (udp && *view->checksum == 0)
		return;
	mended = checksum_mend(*view->checksum, change);
	*view->checksum = udp && mended == 0 ? 0xffff : mended;
}

#endif
