/* Each NF type on crafted packets, in one process, on DPDK's real tables. */
#include <arpa/inet.h>

#include "packets.h"

static uint8_t last_mac_byte(struct rte_mbuf *made)
{
	return rte_pktmbuf_mtod(made, struct rte_ether_hdr *)->dst_addr.addr_bytes[5];
}

/* 192.168.7.0/24 is longer than 192.168.0.0/16; 8.8.8.8 has no route; the fourth packet's TTL ends. */
static void the_router_takes_the_longest_prefix(void)
{
	void *router = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"192.168.0.0/16\", \"next_hop\": 1}, "
		"{\"prefix\": \"192.168.7.0/24\", \"next_hop\": 2}, {\"prefix\": \"192.168.7.9/32\", \"next_hop\": 3}], "
		"\"default_next_hop\": null, \"synthetic_routes\": 0, \"seed\": 1}");
	struct rte_mbuf *packets[] = {udp_to(0xc0a80101, 53), udp_to(0xc0a80701, 53), udp_to(0x08080808, 53),
		udp_to(0xc0a80101, 53), udp_to(0xc0a80709, 53)};

	ip_of(packets[3])->time_to_live = 1;
	CHECK(NF_ROUTER.process(router, packets, 5) == 0x13);
	CHECK(last_mac_byte(packets[0]) == 1 && last_mac_byte(packets[1]) == 2 && last_mac_byte(packets[4]) == 3);
	CHECK(ip_of(packets[0])->time_to_live == 63);
	for (int i = 0; i < 62; i++) { /* each hop updates the checksum */
		CHECK(NF_ROUTER.process(router, packets, 1) == 1);
		CHECK(frame_is_sound(rte_pktmbuf_mtod(packets[0], uint8_t *), 64));
	}
	CHECK(NF_ROUTER.process(router, packets, 1) == 0); /* 64 - 63 = 1: it ends here */
	rte_pktmbuf_free_bulk(packets, 5);
	NF_ROUTER.close(router);
}

static void the_router_has_a_default(void)
{
	void *router = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"128.0.0.0/1\", \"next_hop\": 7}], "
		"\"default_next_hop\": 9, \"synthetic_routes\": 2000, \"seed\": 5}");
	void *other = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"0.0.0.0/0\", \"next_hop\": 4}], "
		"\"default_next_hop\": 9, \"synthetic_routes\": 0}");
	struct rte_mbuf *packets[] = {udp_to(0xc0a80101, 53), udp_to(0x01010101, 53)};

	CHECK(NF_ROUTER.process(router, packets, 2) == 3);
	CHECK(last_mac_byte(packets[0]) == 7); /* the synthetic routes stay outside the given one */
	CHECK(NF_ROUTER.process(other, packets, 2) == 3);
	CHECK(last_mac_byte(packets[0]) == 4 && last_mac_byte(packets[1]) == 4);
	rte_pktmbuf_free_bulk(packets, 2);
	NF_ROUTER.close(router);
	NF_ROUTER.close(other);
}

/* Tables are used again: the next router must not find the routes of the last, of any length. */
static void a_used_table_is_empty(void)
{
	void *first = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"192.168.0.0/16\", \"next_hop\": 1}, "
		"{\"prefix\": \"192.168.7.9/32\", \"next_hop\": 3}, {\"prefix\": \"192.168.7.9/32\", \"next_hop\": 4}, "
		"{\"prefix\": \"0.0.0.0/1\", \"next_hop\": 5}], \"synthetic_routes\": 5000}");
	struct rte_mbuf *packets[] = {udp_to(0xc0a80101, 53), udp_to(0xc0a80709, 53), udp_to(0x08080808, 53)};
	void *second;

	CHECK(NF_ROUTER.process(first, packets, 3) == 7 && last_mac_byte(packets[1]) == 4);
	NF_ROUTER.close(first);
	second = open_nf(&NF_ROUTER, "{\"default_next_hop\": null, \"synthetic_routes\": 0}");
	CHECK(NF_ROUTER.process(second, packets, 3) == 0);
	for (uint32_t third = 0; third < 256; third++) { /* nor any of the 5000 */
		ip_of(packets[0])->dst_addr = htonl(third << 24 | 0x010101);
		CHECK(NF_ROUTER.process(second, packets, 1) == 0);
	}
	rte_pktmbuf_free_bulk(packets, 3);
	NF_ROUTER.close(second);
}

static void the_router_refuses(void)
{
	refuses(&NF_ROUTER, "{\"routes\": {}}", ".routes");
	refuses(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"x\", \"next_hop\": 1}]}", ".routes.0.prefix");
	refuses(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"1.0.0.0/8\", \"next_hop\": -1}]}", ".routes.0.next_hop");
	refuses(&NF_ROUTER, "{\"routes\": [7]}", ".routes.0.prefix");
	refuses(&NF_ROUTER, "{\"synthetic_routes\": 100001}", ".synthetic_routes");
	refuses(&NF_ROUTER, "{\"default_next_hop\": \"x\"}", ".default_next_hop");
	refuses(&NF_ROUTER, "{\"speed\": 1}", ".speed");
}

/* Rule 0 allows 192.168.7.1 before rule 1 denies 192.168.7.0/24's UDP ports 1-1000; rule 2 denies all TCP. */
static void the_first_matching_rule_decides(void)
{
	void *firewall = open_nf(&NF_FIREWALL, "{\"rules\": ["
		"{\"action\": \"allow\", \"src\": \"0.0.0.0/0\", \"dst\": \"192.168.7.1/32\", \"protocol\": \"udp\", \"dst_port\": [1, 65535]},"
		"{\"action\": \"deny\", \"src\": \"10.0.0.0/8\", \"dst\": \"192.168.7.0/24\", \"protocol\": \"udp\", \"dst_port\": [1, 1000]},"
		"{\"action\": \"deny\", \"protocol\": \"tcp\"}], \"default_action\": \"allow\", \"synthetic_rules\": 300, \"seed\": 3}");
	struct rte_mbuf *packets[] = {udp_to(0xc0a80701, 53), udp_to(0xc0a80702, 53), udp_to(0xc0a80702, 1001),
		packet(IPPROTO_UDP, 0x0b000001, 0xc0a80702, 53), packet(IPPROTO_TCP, 0x0b000001, 0x01020304, 80),
		udp_to(0xc0a80702, 1000)};

	CHECK(NF_FIREWALL.process(firewall, packets, 6) == 0x0d);
	rte_pktmbuf_free_bulk(packets, 6);
	NF_FIREWALL.close(firewall);
}

static void the_default_action_holds(void)
{
	void *closed = open_nf(&NF_FIREWALL, "{\"rules\": [], \"default_action\": \"deny\", \"synthetic_rules\": 0}");
	void *open = open_nf(&NF_FIREWALL, "{\"rules\": [], \"default_action\": \"allow\", \"synthetic_rules\": 10}");
	struct rte_mbuf *packets[] = {udp_to(1, 1), udp_to(2, 2)};

	CHECK(NF_FIREWALL.process(closed, packets, 2) == 0);
	CHECK(NF_FIREWALL.process(open, packets, 2) == 3);
	rte_pktmbuf_free_bulk(packets, 2);
	NF_FIREWALL.close(closed);
	NF_FIREWALL.close(open);
}

static void the_firewall_refuses(void)
{
	refuses(&NF_FIREWALL, "{\"rules\": 1}", ".rules");
	refuses(&NF_FIREWALL, "{\"rules\": [{}]}", ".rules.0.action");
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"src\": \"1.2.3\"}]}", ".rules.0.src");
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"protocol\": \"icmp\"}]}", ".rules.0.protocol");
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"dst_port\": [2, 1]}]}", ".rules.0.dst_port");
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"dst_port\": [0, 65536]}]}", ".rules.0.dst_port");
	refuses(&NF_FIREWALL, "{\"default_action\": \"drop\"}", ".default_action");
}

/* 16 places, 40 flows: what does not fit is counted, and every packet goes on. */
static void a_full_flow_table_never_drops(void)
{
	void *monitor = open_nf(&NF_BASIC_MONITOR, "{\"flow_table_entries\": 16}");
	json_t *out = json_object();
	json_int_t flows, untracked;

	for (int round = 0; round < 2; round++) {
		for (uint16_t port = 1; port <= 40; port++) {
			struct rte_mbuf *packets[] = {udp_to(1, port), udp_to(1, port)};

			CHECK(NF_BASIC_MONITOR.process(monitor, packets, 2) == 3);
			rte_pktmbuf_free_bulk(packets, 2);
		}
	}
	NF_BASIC_MONITOR.describe(monitor, out);
	flows = json_integer_value(json_object_get(out, "flows"));
	untracked = json_integer_value(json_object_get(out, "untracked_packets"));
	CHECK(flows > 0 && flows <= 17);
	CHECK(untracked == 2 * 2 * (40 - flows)); /* two rounds of two packets a flow */
	json_decref(out);
	NF_BASIC_MONITOR.close(monitor);
	refuses(&NF_BASIC_MONITOR, "{\"flow_table_entries\": 0}", ".flow_table_entries");
	refuses(&NF_SIMPLE_FORWARD, "{\"loops\": -1}", ".loops");
}

/*
 * An ARP request, IPv4 with options, and a packet that says it is longer than its frame, as captures hold them: not routed, of
 * no rule, no flow, and left as they are. A frame may be longer than its packet (padding).
 */
static void what_is_no_plain_ipv4_is_left_alone(void)
{
	void *router = open_nf(&NF_ROUTER, "{\"default_next_hop\": 0}"), *monitor = open_nf(&NF_BASIC_MONITOR, "{}");
	void *firewall = open_nf(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\"}], \"default_action\": \"allow\"}");
	struct rte_mbuf *packets[] = {udp_to(1, 1), udp_to(1, 1), udp_to(1, 1), udp_to(1, 1)};
	json_t *out = json_object();
	uint8_t before[64];

	rte_pktmbuf_mtod(packets[0], struct rte_ether_hdr *)->ether_type = RTE_BE16(RTE_ETHER_TYPE_ARP);
	ip_of(packets[1])->version_ihl = 0x46;
	ip_of(packets[2])->total_length =
		rte_cpu_to_be_16((uint16_t)(packets[2]->data_len - sizeof(struct rte_ether_hdr) + 1));
	ip_of(packets[3])->total_length = rte_cpu_to_be_16(28);
	memcpy(before, rte_pktmbuf_mtod(packets[0], uint8_t *), sizeof(before));
	CHECK(NF_ROUTER.process(router, packets, 4) == 8);
	CHECK(NF_FIREWALL.process(firewall, packets, 4) == 7);
	CHECK(NF_BASIC_MONITOR.process(monitor, packets, 4) == 15);
	CHECK(memcmp(before, rte_pktmbuf_mtod(packets[0], uint8_t *), sizeof(before)) == 0);
	NF_BASIC_MONITOR.describe(monitor, out);
	CHECK(json_integer_value(json_object_get(out, "flows")) == 1);
	CHECK(json_integer_value(json_object_get(out, "untracked_packets")) == 3);
	json_decref(out);
	rte_pktmbuf_free_bulk(packets, 4);
	NF_ROUTER.close(router);
	NF_FIREWALL.close(firewall);
	NF_BASIC_MONITOR.close(monitor);
}

/* Opened and closed 30 times, 64 MiB of first level each, in a heap of 256 MiB: nothing stays behind. */
static void tables_are_freed(void)
{
	for (int i = 0; i < 30; i++) {
		void *router = open_nf(&NF_ROUTER, "{\"synthetic_routes\": 1000}");
		void *firewall = open_nf(&NF_FIREWALL, "{\"synthetic_rules\": 50}");
		void *monitor = open_nf(&NF_BASIC_MONITOR, "{}");

		NF_ROUTER.close(router);
		NF_FIREWALL.close(firewall);
		NF_BASIC_MONITOR.close(monitor);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	the_router_takes_the_longest_prefix();
	the_router_has_a_default();
	a_used_table_is_empty();
	the_router_refuses();
	the_first_matching_rule_decides();
	the_default_action_holds();
	the_firewall_refuses();
	a_full_flow_table_never_drops();
	what_is_no_plain_ipv4_is_left_alone();
	tables_are_freed();
	packets_end();
	return 0;
}
