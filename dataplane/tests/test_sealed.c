/* What the sink says of packets that arrive encrypted. */
#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <string.h>

#include "check.h"
#include "sealed.h"

#define BYTES 100U

static uint8_t frame[BYTES];

static struct rte_ipv4_hdr *ip(void)
{
	return (struct rte_ipv4_hdr *)(frame + sizeof(struct rte_ether_hdr));
}

static void make(uint32_t spi, uint32_t number)
{
	uint32_t words[2] = {htonl(spi), htonl(number)};

	memset(frame, 0, sizeof(frame));
	((struct rte_ether_hdr *)frame)->ether_type = htons(RTE_ETHER_TYPE_IPV4);
	*ip() = (struct rte_ipv4_hdr){.version_ihl = RTE_IPV4_VHL_DEF, .total_length = htons(BYTES - 14),
		.time_to_live = 64, .next_proto_id = IPPROTO_ESP};
	ip()->hdr_checksum = rte_ipv4_cksum(ip());
	memcpy(ip() + 1, words, sizeof(words));
}

static enum sealed arrives(struct sealed_order *order, uint32_t spi, uint32_t number)
{
	make(spi, number);
	CHECK(sealed_is(frame, BYTES));
	return sealed_check(order, frame, BYTES, true);
}

static void numbers_rise(void)
{
	struct sealed_order order = {0};

	CHECK(arrives(&order, 7, 5) == SEALED_IN_ORDER); /* the first may be any */
	CHECK(arrives(&order, 7, 6) == SEALED_IN_ORDER);
	CHECK(arrives(&order, 7, 9) == SEALED_IN_ORDER); /* a gap is a loss, no disorder */
	CHECK(arrives(&order, 7, 8) == SEALED_MISORDERED);
	CHECK(arrives(&order, 7, 9) == SEALED_MISORDERED); /* doubled */
	CHECK(arrives(&order, 7, 10) == SEALED_IN_ORDER);
	CHECK(arrives(&order, 8, 1) == SEALED_IN_ORDER); /* its VPN was restarted: a new association */
	CHECK(arrives(&order, 8, 2) == SEALED_IN_ORDER);
}

static void numbers_start_over(void)
{
	struct sealed_order order = {0};

	CHECK(arrives(&order, 7, UINT32_MAX) == SEALED_IN_ORDER);
	CHECK(arrives(&order, 7, 0) == SEALED_IN_ORDER);
	CHECK(arrives(&order, 7, UINT32_MAX) == SEALED_MISORDERED);
	CHECK(arrives(&order, 7, 1) == SEALED_IN_ORDER);
}

static void damage_is_seen(void)
{
	struct sealed_order order = {0};

	make(7, 1);
	ip()->time_to_live--;
	CHECK(sealed_check(&order, frame, BYTES, false) == SEALED_IN_ORDER);
	CHECK(sealed_check(&order, frame, BYTES, true) == SEALED_DAMAGED);
	make(7, 2);
	CHECK(sealed_check(&order, frame, BYTES - 1, true) == SEALED_DAMAGED);
	CHECK(!sealed_is(frame, 33));
	ip()->version_ihl = 0x44;
	CHECK(sealed_check(&order, frame, BYTES, false) == SEALED_DAMAGED);
	make(7, 3);
	ip()->next_proto_id = IPPROTO_UDP;
	CHECK(!sealed_is(frame, BYTES));
}

int main(void)
{
	numbers_rise();
	numbers_start_over();
	damage_is_seen();
	return 0;
}
