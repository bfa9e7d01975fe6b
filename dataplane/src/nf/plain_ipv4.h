/* A replayed capture holds any Ethernet frame; NFs read addresses and ports where only plain IPv4 has them. */
#ifndef SEXTANT_PLAIN_IPV4_H
#define SEXTANT_PLAIN_IPV4_H

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <stdbool.h>

/* IPv4 without options: what follows its 20 bytes is the transport header. Every packet has 60 bytes at least. */
static inline bool is_plain_ipv4(const struct rte_mbuf *packet)
{
	const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packet, const struct rte_ether_hdr *);

	return ether->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
		((const struct rte_ipv4_hdr *)(ether + 1))->version_ihl == RTE_IPV4_VHL_DEF;
}

#endif
