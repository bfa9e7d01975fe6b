/* Source NAT: what a translated packet looks like, that no two flows share a port, and what happens when room runs out. */
#include <unistd.h>

#include "base/eventcount.h"
#include "nf/flow_table.h"
#include "packets.h"

#define FLOWS 5000

static struct rte_mbuf *from(uint8_t protocol, uint32_t src, uint16_t src_port)
{
	struct flow flow = {.src = src, .dst = 0x08080808, .src_port = src_port, .dst_port = 53};

	return packet_of(protocol, flow, src_port);
}

/* 100 flows of one inside address, UDP and TCP by turns: each keeps its own public end, whatever is sent when. */
static void each_flow_has_a_public_end_of_its_own(void)
{
	void *nat = open_nf(&NF_NAT, "{\"public_prefix\": \"203.0.113.8/30\", \"first_port\": 2000, \"last_port\": 2999}");
	uint32_t address[100] = {0};
	uint16_t port[100];

	for (int round = 0; round < 3; round++) {
		for (uint16_t i = 0; i < 100; i++) {
			struct rte_mbuf *made = from(i % 2 == 0 ? IPPROTO_UDP : IPPROTO_TCP, 0x0a010203, i);
			uint32_t src;

			CHECK(NF_NAT.process(nat, &made, 1) == 1);
			checksums_hold(made);
			src = ntohl(ip_of(made)->src_addr);
			CHECK((src & 0xfffffffc) == 0xcb007108 && ntohl(ip_of(made)->dst_addr) == 0x08080808);
			CHECK(ntohs(l4_of(made)[0]) >= 2000 && ntohs(l4_of(made)[0]) <= 2999 && l4_of(made)[1] == htons(53));
			if (round == 0) {
				address[i] = src;
				port[i] = l4_of(made)[0];
			}
			CHECK(address[i] == src && port[i] == l4_of(made)[0]);
			CHECK(src == address[0]); /* one inside address, one public address */
			for (uint16_t j = i % 2; j < i; j += 2)
				CHECK(port[j] != port[i]);
			rte_pktmbuf_free(made);
		}
	}
	CHECK(figure(&NF_NAT, nat, "flows") == 100);
	NF_NAT.close(nat);
}

/* Random flows in bursts, with repeats inside a burst: distinct flows have distinct ends, equal flows the same. */
static void translation_is_one_to_one(void)
{
	static uint64_t ends[FLOWS];
	void *nat = open_nf(&NF_NAT, "{\"public_prefix\": \"203.0.113.0/29\", \"first_port\": 1024, \"last_port\": 4095}");
	uint64_t random = nf_seed(8);
	static uint8_t taken[8][65536];

	for (int burst = 0; burst < 2000; burst++) {
		struct rte_mbuf *packets[BURST];
		uint32_t flow[BURST];

		for (uint32_t i = 0; i < BURST; i++) {
			flow[i] = i % 4 == 3 ? flow[i - 1] : nf_random(&random) % FLOWS;
			packets[i] = from(IPPROTO_UDP, 0x0a000000 + flow[i] % 700, (uint16_t)flow[i]);
		}
		CHECK(NF_NAT.process(nat, packets, BURST) == UINT32_MAX);
		for (uint32_t i = 0; i < BURST; i++) {
			uint32_t address = ntohl(ip_of(packets[i])->src_addr);
			uint16_t port = ntohs(l4_of(packets[i])[0]);
			uint64_t end = (uint64_t)address << 16 | port;

			checksums_hold(packets[i]);
			if (ends[flow[i]] == 0)
				CHECK(taken[address & 7][port]++ == 0);
			CHECK(ends[flow[i]] == 0 || ends[flow[i]] == end);
			ends[flow[i]] = end;
		}
		rte_pktmbuf_free_bulk(packets, BURST);
	}
	NF_NAT.close(nat);
}

static void the_zero_checksum_of_udp_stays(void)
{
	void *nat = open_nf(&NF_NAT, "{}");
	struct rte_mbuf *made = from(IPPROTO_UDP, 0x0a010203, 7);

	l4_of(made)[3] = 0;
	CHECK(NF_NAT.process(nat, &made, 1) == 1);
	CHECK(l4_of(made)[3] == 0 && ntohl(ip_of(made)->src_addr) >> 4 == 0xcb007100 >> 4);
	checksums_hold(made);
	rte_pktmbuf_free(made);
	NF_NAT.close(nat);
}

/* Through all 65536 values that a payload can give the checksum: among them those that become 0, which is not sent. */
static void no_checksum_becomes_the_sign_for_none(void)
{
	void *nat = open_nf(&NF_NAT, "{}");
	uint32_t written_as_ones = 0;

	for (uint32_t word = 0; word < 65536; word++) {
		struct rte_mbuf *made = from(IPPROTO_UDP, 0x0a010203, 7);

		l4_of(made)[10] = (uint16_t)word;
		l4_of(made)[3] = 0;
		l4_of(made)[3] = rte_ipv4_udptcp_cksum(ip_of(made), ip_of(made) + 1);
		CHECK(NF_NAT.process(nat, &made, 1) == 1 && l4_of(made)[3] != 0);
		checksums_hold(made);
		written_as_ones += l4_of(made)[3] == 0xffff;
		rte_pktmbuf_free(made);
	}
	CHECK(written_as_ones > 0);
	NF_NAT.close(nat);
}

/* Packet 1 is from outside; 2 is ICMP; 3 and 4 are the fragments of a datagram; 5 is cut short; 6 is no IPv4. */
static void what_cannot_be_translated_is_filtered(void)
{
	void *nat = open_nf(&NF_NAT, "{}");
	struct rte_mbuf *packets[] = {from(IPPROTO_UDP, 0x0a000001, 1), from(IPPROTO_UDP, 0x08080404, 1),
		from(IPPROTO_UDP, 0x0a000001, 2), from(IPPROTO_UDP, 0x0a000001, 3), from(IPPROTO_UDP, 0x0a000001, 4),
		from(IPPROTO_TCP, 0x0a000001, 5), from(IPPROTO_UDP, 0x0a000001, 6)};

	ip_of(packets[2])->next_proto_id = IPPROTO_ICMP;
	ip_of(packets[3])->fragment_offset = htons(RTE_IPV4_HDR_MF_FLAG);
	ip_of(packets[4])->fragment_offset = htons(20);
	rte_pktmbuf_trim(packets[5], 64 - 14 - 20 - 19);
	rte_pktmbuf_mtod(packets[6], struct rte_ether_hdr *)->ether_type = htons(RTE_ETHER_TYPE_IPV6);
	CHECK(NF_NAT.process(nat, packets, 7) == 0x3);
	CHECK(ntohl(ip_of(packets[1])->src_addr) == 0x08080404 && l4_of(packets[1])[0] == htons(1));
	checksums_hold(packets[1]);
	CHECK(figure(&NF_NAT, nat, "outside_packets") == 1 && figure(&NF_NAT, nat, "untranslatable_packets") == 5);
	CHECK(NF_NAT.process(nat, packets, 1) == 1); /* its source is public now: translated once is translated */
	CHECK(figure(&NF_NAT, nat, "flows") == 1);
	rte_pktmbuf_free_bulk(packets, 7);
	NF_NAT.close(nat);
}

static uint32_t offer(void *nat, uint8_t protocol, uint16_t first, uint16_t flows)
{
	uint32_t passed = 0;

	for (uint16_t i = 0; i < flows; i++) {
		struct rte_mbuf *made = from(protocol, 0x0a000001U + i % 5, (uint16_t)(first + i));

		passed += NF_NAT.process(nat, &made, 1);
		rte_pktmbuf_free(made);
	}
	return passed;
}

/* 4 addresses x 10 ports, of UDP and TCP each; the flow table has room for them all. */
static void exhausted_ports_filter(void)
{
	void *nat = open_nf(&NF_NAT, "{\"public_prefix\": \"203.0.113.0/30\", \"first_port\": 5000, \"last_port\": 5009}");

	CHECK(offer(nat, IPPROTO_UDP, 100, 60) == 40 && offer(nat, IPPROTO_TCP, 100, 60) == 40);
	CHECK(offer(nat, IPPROTO_UDP, 100, 40) == 40); /* those that have a port keep it */
	CHECK(figure(&NF_NAT, nat, "ports_exhausted_packets") == 40 && figure(&NF_NAT, nat, "flows") == 80);
	CHECK(figure(&NF_NAT, nat, "table_full_packets") == 0);
	NF_NAT.close(nat);
}

/* 64 places hold exactly 64 flows; some seconds without packets later there is room for others, ports included. Not
 * one second: a pause of the machine between two of the first packets would age those before it. */
static void a_full_table_recovers(void)
{
	void *nat = open_nf(&NF_NAT, "{\"public_prefix\": \"203.0.113.0/32\", \"first_port\": 5000, \"last_port\": 5069, "
		"\"flow_table_entries\": 64, \"idle_timeout_s\": 5}");
	uint64_t until = now_ns() + 60000000000ULL;

	CHECK(offer(nat, IPPROTO_UDP, 100, 100) == 64);
	CHECK(figure(&NF_NAT, nat, "table_full_packets") == 36 && figure(&NF_NAT, nat, "flows") == 64);
	while (offer(nat, IPPROTO_UDP, 1000, 1) == 0)
		CHECK(now_ns() < until && usleep(10000) == 0);
	CHECK(offer(nat, IPPROTO_UDP, 1000, 64) == 64); /* 70 ports: most of them are used a second time */
	CHECK(figure(&NF_NAT, nat, "ports_exhausted_packets") == 0);
	NF_NAT.close(nat);
}

/* The table alone, with a clock of the test's: flows are evicted after the idle time, in the order of their last packets. */
static void flows_age_in_order(void)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "", .err = &err};
	struct flow_table *table = flow_table_open(&scope, "ages", 64);
	struct flow_key keys[64];
	int32_t at[64];

	CHECK(table != NULL);
	for (uint32_t i = 0; i < 64; i++) {
		keys[i] = (struct flow_key){.src = i};
		at[i] = flow_table_add(table, &keys[i], 100 + i / 32);
		CHECK(at[i] >= 0);
	}
	CHECK(flow_table_add(table, &(struct flow_key){.src = 64}, 102) < 0);
	flow_table_touch(table, at[0], 105);
	CHECK(flow_table_find_idle(table, 100 + IDLE_TICKS) < 0);
	CHECK(flow_table_find_idle(table, 99) < 0); /* a clock a little behind */
	for (uint32_t i = 1; i < 32; i++) {
		CHECK(flow_table_find_idle(table, 101 + IDLE_TICKS) == at[i]);
		flow_table_remove(table, at[i]);
		CHECK(flow_table_find(table, &keys[i]) < 0);
	}
	CHECK(flow_table_find_idle(table, 101 + IDLE_TICKS) < 0);
	for (uint32_t i = 32; i < 64; i++)
		flow_table_remove(table, flow_table_find_idle(table, 102 + IDLE_TICKS));
	CHECK(flow_table_find_idle(table, 105 + IDLE_TICKS) < 0 && flow_table_find_idle(table, 106 + IDLE_TICKS) == at[0]);
	flow_table_remove(table, at[0]);
	CHECK(flow_table_find_idle(table, 1000) < 0 && atomic_load(&table->flows) == 0);
	flow_table_close(table);
}

static void it_refuses(void)
{
	refuses(&NF_NAT, "{\"public_prefix\": \"203.0.113\"}", ".public_prefix");
	refuses_why(&NF_NAT, "{\"public_prefix\": \"203.0.112.0/23\"}", E_BAD_CONFIG, ".public_prefix", "at most 256");
	refuses_why(&NF_NAT, "{\"public_prefix\": \"10.7.0.0/24\"}", E_BAD_CONFIG, ".public_prefix", "outside");
	refuses(&NF_NAT, "{\"inside_prefixes\": []}", ".inside_prefixes");
	refuses_why(&NF_NAT, "{\"inside_prefixes\": [\"10.0.0.0/8\", 7]}", E_BAD_CONFIG, ".inside_prefixes", "entry 1");
	refuses(&NF_NAT, "{\"first_port\": 0}", ".first_port");
	refuses_why(&NF_NAT, "{\"first_port\": 3000, \"last_port\": 2000}", E_BAD_CONFIG, ".first_port", "above last_port");
	refuses(&NF_NAT, "{\"flow_table_entries\": 1048577}", ".flow_table_entries");
	refuses(&NF_NAT, "{\"idle_timeout_s\": 0}", ".idle_timeout_s");
	refuses(&NF_NAT, "{\"ports\": 1}", ".ports");
}

/* Some 90 MiB each in a heap of 256: nothing stays behind, and too many are refused with the cause. */
static void tables_are_freed(void)
{
	void *held[4];
	int count = 0;

	for (int i = 0; i < 20; i++)
		NF_NAT.close(open_nf(&NF_NAT, "{\"flow_table_entries\": 1048576, \"public_prefix\": \"203.0.113.0/24\"}"));
	for (; count < 2; count++)
		held[count] = open_nf(&NF_NAT, "{\"flow_table_entries\": 1048576}");
	refuses_why(&NF_NAT, "{\"flow_table_entries\": 1048576}", E_NO_ROOM, "", "no memory for 1048576 flows");
	while (count > 0)
		NF_NAT.close(held[--count]);
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	each_flow_has_a_public_end_of_its_own();
	translation_is_one_to_one();
	the_zero_checksum_of_udp_stays();
	no_checksum_becomes_the_sign_for_none();
	what_cannot_be_translated_is_filtered();
	exhausted_ports_filter();
	a_full_table_recovers();
	flows_age_in_order();
	it_refuses();
	tables_are_freed();
	packets_end();
	return 0;
}
