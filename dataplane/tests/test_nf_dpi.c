/* DPI on crafted packets: what is recognised, that it is remembered, and that both tables are bounded. */
#include <rte_udp.h>

#include "payload_packets.h"

static const char DNS_QUERY[] = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07" "example\x03" "org\x00\x00\x01\x00\x01";
static const char HTTP_REQUEST[] = "GET /index.html HTTP/1.1\r\nHost: example.org\r\nUser-Agent: test\r\n\r\n";

static struct rte_mbuf *dns_query(void)
{
	return packet_with(IPPROTO_UDP, 53, DNS_QUERY, sizeof(DNS_QUERY) - 1);
}

static json_int_t of_protocol(const void *dpi, const char *name, const char *figure)
{
	json_t *out = json_object();
	json_int_t value;

	NF_DPI.describe(dpi, out);
	value = json_integer_value(json_object_get(json_object_get(json_object_get(out, "protocols"), name), figure));
	json_decref(out);
	return value;
}

static void pass(void *dpi, struct rte_mbuf *packet, int times)
{
	for (int i = 0; i < times; i++)
		CHECK(NF_DPI.process(dpi, &packet, 1) == 1);
	rte_pktmbuf_free(packet);
}

/* Decided by the content of the first packet; all that follow count, whatever they hold. */
static void a_protocol_is_recognised_and_remembered(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");

	pass(dpi, dns_query(), 1);
	CHECK(of_protocol(dpi, "DNS", "packets") == 1 && of_protocol(dpi, "DNS", "flows") == 1);
	pass(dpi, packet_with(IPPROTO_UDP, 53, "not of DNS at all", 17), 9);
	CHECK(of_protocol(dpi, "DNS", "packets") == 10 && of_protocol(dpi, "DNS", "flows") == 1);
	pass(dpi, packet_with(IPPROTO_TCP, 8081, HTTP_REQUEST, sizeof(HTTP_REQUEST) - 1), 3);
	CHECK(of_protocol(dpi, "HTTP", "packets") == 3 && of_protocol(dpi, "HTTP", "flows") == 1);
	CHECK(figure(&NF_DPI, dpi, "flows") == 2 && figure(&NF_DPI, dpi, "undecided_flows") == 0);
	NF_DPI.close(dpi);
}

/* Zeros to a port of no protocol: after 8 packets it is unknown; to port 53 the port decides. */
static void after_eight_packets_it_is_decided(void)
{
	void *dpi = open_nf(&NF_DPI, "{\"inspected_packets\": 8}");
	struct rte_mbuf *packet = packet_with(IPPROTO_UDP, 40001, "", 0);

	for (int i = 0; i < 7; i++)
		CHECK(NF_DPI.process(dpi, &packet, 1) == 1);
	CHECK(figure(&NF_DPI, dpi, "undecided_flows") == 1 && of_protocol(dpi, "Unknown", "packets") == 0);
	pass(dpi, packet, 1);
	CHECK(figure(&NF_DPI, dpi, "undecided_flows") == 0 && of_protocol(dpi, "Unknown", "packets") == 8);
	pass(dpi, packet_with(IPPROTO_UDP, 53, "", 0), 8);
	CHECK(of_protocol(dpi, "DNS", "packets") == 8);
	NF_DPI.close(dpi);
}

static void both_directions_are_one_flow(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");
	struct rte_mbuf *there = dns_query(), *back = dns_query();
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip_of(back) + 1);
	uint32_t address = ip_of(back)->src_addr;
	uint16_t port = udp->src_port;

	ip_of(back)->src_addr = ip_of(back)->dst_addr;
	ip_of(back)->dst_addr = address;
	udp->src_port = udp->dst_port;
	udp->dst_port = port;
	pass(dpi, there, 1);
	pass(dpi, back, 1);
	CHECK(figure(&NF_DPI, dpi, "flows") == 1 && of_protocol(dpi, "DNS", "packets") == 2);
	NF_DPI.close(dpi);
}

/* 16 places, 40 flows: what does not fit goes on and is counted. */
static void a_full_flow_table_never_drops(void)
{
	void *dpi = open_nf(&NF_DPI, "{\"flow_table_entries\": 16}");
	json_int_t flows;

	for (uint16_t port = 1; port <= 40; port++)
		pass(dpi, udp_to(1, port), 2);
	flows = figure(&NF_DPI, dpi, "flows");
	CHECK(flows > 0 && flows <= 17 && figure(&NF_DPI, dpi, "untracked_packets") == 2 * (40 - flows));
	NF_DPI.close(dpi);
}

/* 8192 flows are inspected at once; 10000 with one packet each leave 10000 - 8192 = 1808 that were decided early. */
static void the_oldest_inspection_gives_way(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");

	for (uint32_t i = 0; i < 10000; i++)
		pass(dpi, udp_to(0x01000000 + i, 40001), 1);
	CHECK(figure(&NF_DPI, dpi, "flows") == 10000 && figure(&NF_DPI, dpi, "undecided_flows") == 8192);
	CHECK(of_protocol(dpi, "Unknown", "flows") == 1808 && of_protocol(dpi, "Unknown", "packets") == 1808);
	NF_DPI.close(dpi);
}

/* What one process has decided the next one knows; what it has not is inspected afresh, and the packets count on. */
static void another_process_goes_on(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");
	struct rte_mbuf *query = dns_query(), *unknown = udp_to(1, 40001);

	process_in_a_child(&NF_DPI, dpi, query, 2);
	process_in_a_child(&NF_DPI, dpi, unknown, 5);
	CHECK(of_protocol(dpi, "DNS", "packets") == 2 && figure(&NF_DPI, dpi, "undecided_flows") == 1);
	process_in_a_child(&NF_DPI, dpi, unknown, 3);
	CHECK(of_protocol(dpi, "Unknown", "packets") == 8 && figure(&NF_DPI, dpi, "undecided_flows") == 0);
	pass(dpi, query, 1);
	rte_pktmbuf_free(unknown);
	CHECK(of_protocol(dpi, "DNS", "packets") == 3 && of_protocol(dpi, "DNS", "flows") == 1);
	NF_DPI.close(dpi);
}

static void other_packets_pass(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");
	struct rte_mbuf *arp = udp_to(1, 2), *fragment = udp_to(1, 2);

	rte_pktmbuf_mtod(arp, struct rte_ether_hdr *)->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_ARP);
	ip_of(fragment)->fragment_offset = rte_cpu_to_be_16(7);
	pass(dpi, arp, 1);
	pass(dpi, fragment, 20);
	CHECK(figure(&NF_DPI, dpi, "not_ipv4_packets") == 1 && figure(&NF_DPI, dpi, "flows") == 1);
	NF_DPI.close(dpi);
}

/* The same truncated at every length: recognised or not, never a crash. */
static void cut_packets_do_no_harm(void)
{
	void *dpi = open_nf(&NF_DPI, "{}");

	for (uint16_t length = 20; length < 20 + 20 + sizeof(HTTP_REQUEST) - 1; length++) {
		struct rte_mbuf *http = packet_with(IPPROTO_TCP, (uint16_t)(8000 + length), HTTP_REQUEST, sizeof(HTTP_REQUEST) - 1);
		struct rte_mbuf *dns = packet_with(IPPROTO_UDP, (uint16_t)(8000 + length), DNS_QUERY, sizeof(DNS_QUERY) - 1);

		ip_of(http)->total_length = rte_cpu_to_be_16(length);
		ip_of(dns)->total_length = rte_cpu_to_be_16(length);
		pass(dpi, http, 8);
		pass(dpi, dns, 8);
	}
	NF_DPI.close(dpi);
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	a_protocol_is_recognised_and_remembered();
	after_eight_packets_it_is_decided();
	both_directions_are_one_flow();
	a_full_flow_table_never_drops();
	the_oldest_inspection_gives_way();
	another_process_goes_on();
	other_packets_pass();
	cut_packets_do_no_harm();
	refuses(&NF_DPI, "{\"flow_table_entries\": 0}", ".flow_table_entries");
	refuses(&NF_DPI, "{\"inspected_packets\": 33}", ".inspected_packets");
	refuses(&NF_DPI, "{\"speed\": 1}", ".speed");
	for (int i = 0; i < 30; i++) /* the flow table lies in a heap of 256 MiB: nothing stays behind */
		NF_DPI.close(open_nf(&NF_DPI, "{\"flow_table_entries\": 500000}"));
	packets_end();
	return 0;
}
