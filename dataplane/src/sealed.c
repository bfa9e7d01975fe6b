#include "sealed.h"

#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <string.h>

#define ESP_LEAST 32U /* SPI, number, IV and tag */

bool sealed_is(const uint8_t *frame, uint32_t length)
{
	const struct rte_ether_hdr *ether = (const struct rte_ether_hdr *)frame;
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(ether + 1);

	return length >= sizeof(*ether) + sizeof(*ip) && ether->ether_type == rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4) &&
		ip->next_proto_id == IPPROTO_ESP;
}

static bool is_whole(const struct rte_ipv4_hdr *ip, uint32_t length, bool verify)
{
	return ip->version_ihl >> 4 == 4 && rte_ipv4_hdr_len(ip) >= sizeof(*ip) &&
		rte_be_to_cpu_16(ip->total_length) == length - sizeof(struct rte_ether_hdr) &&
		rte_be_to_cpu_16(ip->total_length) >= rte_ipv4_hdr_len(ip) + ESP_LEAST &&
		(!verify || rte_raw_cksum(ip, rte_ipv4_hdr_len(ip)) == 0xffff);
}

enum sealed sealed_check(struct sealed_order *order, const uint8_t *frame, uint32_t length, bool verify)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(frame + sizeof(struct rte_ether_hdr));
	uint32_t words[2], spi, number;

	if (!is_whole(ip, length, verify))
		return SEALED_DAMAGED;
	memcpy(words, (const uint8_t *)ip + rte_ipv4_hdr_len(ip), sizeof(words));
	spi = ntohl(words[0]);
	number = ntohl(words[1]);
	/* 32-bit numbers start over: the nearer half of the circle is 'earlier' (RFC 1982). */
	if (order->known && order->spi == spi && (int32_t)(number - order->expected) < 0)
		return SEALED_MISORDERED;
	*order = (struct sealed_order){true, spi, number + 1};
	return SEALED_IN_ORDER;
}
