/* Where the payload of a packet lies, by its own lengths and never past its end: for NFs that read all of it. */
#ifndef SEXTANT_IP_VIEW_H
#define SEXTANT_IP_VIEW_H

#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_ip_frag.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <stdbool.h>
#include <stdint.h>

struct ip_view {
	struct rte_ipv4_hdr *header;
	uint32_t header_bytes;
	uint32_t bytes; /* of the whole IPv4 packet; an Ethernet frame may be longer (padding) */
};

/* False when the frame holds no whole IPv4 packet. */
static inline bool ip_view_read(const struct rte_mbuf *packet, struct ip_view *view)
{
	const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packet, const struct rte_ether_hdr *);
	uint32_t room = packet->data_len;

	if (room < sizeof(*ether) + sizeof(*view->header) || ether->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4))
		return false;
	view->header = rte_pktmbuf_mtod_offset(packet, struct rte_ipv4_hdr *, sizeof(*ether));
	view->header_bytes = rte_ipv4_hdr_len(view->header);
	view->bytes = rte_be_to_cpu_16(view->header->total_length);
	return view->header->version_ihl >> 4 == 4 && view->header_bytes >= sizeof(*view->header) &&
		view->bytes >= view->header_bytes && view->bytes <= room - sizeof(*ether);
}

static inline bool ip_is_fragment(const struct ip_view *view)
{
	return rte_ipv4_frag_pkt_is_fragmented(view->header) != 0;
}

static inline uint8_t *ip_l4(const struct ip_view *view)
{
	return (uint8_t *)view->header + view->header_bytes;
}

/* Bytes of the UDP or TCP header; 0 when it is neither, a fragment, or cut short. */
static inline uint32_t ip_l4_header_bytes(const struct ip_view *view)
{
	uint32_t room = view->bytes - view->header_bytes, bytes = sizeof(struct rte_udp_hdr);

	if (ip_is_fragment(view) || room < bytes)
		return 0;
	if (view->header->next_proto_id == IPPROTO_UDP)
		return bytes;
	if (view->header->next_proto_id != IPPROTO_TCP || room < sizeof(struct rte_tcp_hdr))
		return 0;
	bytes = (((const struct rte_tcp_hdr *)ip_l4(view))->data_off >> 4) * 4U;
	return bytes >= sizeof(struct rte_tcp_hdr) && bytes <= room ? bytes : 0;
}

/* The payload of UDP or TCP, which may be empty; false when there is no such thing to see. */
static inline bool ip_payload(const struct ip_view *view, const uint8_t **payload, uint32_t *bytes)
{
	uint32_t header_bytes = ip_l4_header_bytes(view);

	*payload = ip_l4(view) + header_bytes;
	*bytes = view->bytes - view->header_bytes - header_bytes;
	return header_bytes > 0;
}

#endif
