/* What each NF type does with IPv6: route, filter by rule, scan, pass, or drop and count. */
#include "base/ipv6_packet.h"
#include "base/prefix6.h"
#include "packets.h"

#define IP_AT 14U
#define UDP_AT 54U
#define BYTES 80U

/* A packet from 2001:db8:a:: to the address, by UDP to port 53, with 18 bytes of payload. */
static struct rte_mbuf *packet_to(const char *destination)
{
	struct source_config config = {.packet_bytes = BYTES, .flows = 1, .protocol = IPPROTO_UDP, .dst_port = 53, .ipv6 = true};
	struct rte_mbuf *made = rte_pktmbuf_alloc(packets_pool);
	struct frame_template frame;
	struct flow flow = {.src_port = 4000, .dst_port = 53};
	const uint8_t *last = config.dst6.address + 12;

	CHECK(made != NULL && prefix6_parse("2001:db8:a::", &config.src6) == 0 && prefix6_parse(destination, &config.dst6) == 0);
	flow.dst = (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3];
	frame_template_make(&frame, &config);
	frame_write(&frame, flow, 0, (uint8_t *)rte_pktmbuf_append(made, BYTES));
	return made;
}

static uint8_t *bytes_of(struct rte_mbuf *made)
{
	return rte_pktmbuf_mtod(made, uint8_t *);
}

/* Whether the NF passes a packet; it is given back. */
static bool passes(const struct nf_type *type, void *state, struct rte_mbuf *made)
{
	bool passed = type->process(state, &made, 1) == 1;

	rte_pktmbuf_free(made);
	return passed;
}

/* A packet of which byte `at` is `value`. */
static struct rte_mbuf *with_byte(const char *destination, uint32_t at, uint8_t value)
{
	struct rte_mbuf *made = packet_to(destination);

	bytes_of(made)[at] = value;
	return made;
}

/* The next hop that the router has written into the MAC address, and -1 where it filters. */
static int hop_to(void *router, const char *destination)
{
	struct rte_mbuf *made = packet_to(destination);
	int hop = -1;

	if (NF_ROUTER.process(router, &made, 1) == 1) {
		const uint8_t *frame = bytes_of(made);

		hop = frame[4] << 8 | frame[5];
		CHECK(frame[IP_AT + IPV6_HOP_LIMIT_AT] == 63 && frame_is_sound(frame, BYTES));
	}
	rte_pktmbuf_free(made);
	return hop;
}

static void the_router_takes_the_longest_prefix(void)
{
	void *router = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"2001:db8::/32\", \"next_hop\": 1}, "
		"{\"prefix\": \"2001:db8:b::/48\", \"next_hop\": 2}, {\"prefix\": \"2001:db8:b::1\", \"next_hop\": 3}, "
		"{\"prefix\": \"2001:db8:c::/48\", \"next_hop\": 4}, {\"prefix\": \"2001:db8:c::/48\", \"next_hop\": 5}, "
		"{\"prefix\": \"192.168.0.0/16\", \"next_hop\": 6}], \"default_next_hop\": null}");

	CHECK(hop_to(router, "2001:db8:1::1") == 1);
	CHECK(hop_to(router, "2001:db8:b::2") == 2);
	CHECK(hop_to(router, "2001:db8:b::1") == 3);
	CHECK(hop_to(router, "2001:db8:c::1") == 5); /* the last of two */
	CHECK(hop_to(router, "2001:db9::1") == -1);  /* no route, no default */
	CHECK(passes(&NF_ROUTER, router, udp_to(0xc0a80001, 53)) && !passes(&NF_ROUTER, router, udp_to(0x0a000001, 53)));
	NF_ROUTER.close(router);
	router = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"2001:db8::/32\", \"next_hop\": 1}], \"default_next_hop\": 9}");
	CHECK(hop_to(router, "2001:db8::1") == 1 && hop_to(router, "2001:db9::1") == 9);
	NF_ROUTER.close(router);
}

static void the_router_filters_what_it_must_not_forward(void)
{
	void *router = open_nf(&NF_ROUTER, "{\"default_next_hop\": 9}");

	CHECK(hop_to(router, "2001:db8::1") == 9);
	CHECK(hop_to(router, "fe80::1") == -1);
	CHECK(!passes(&NF_ROUTER, router, with_byte("2001:db8::1", IP_AT + IPV6_HOP_LIMIT_AT, 1)));
	CHECK(!passes(&NF_ROUTER, router, with_byte("2001:db8::1", IP_AT + IPV6_HOP_LIMIT_AT, 0)));
	CHECK(!passes(&NF_ROUTER, router, with_byte("2001:db8::1", IP_AT + 4, 0xff))); /* longer than its frame */
	CHECK(!passes(&NF_ROUTER, router, with_byte("2001:db8::1", 13, 0)));           /* neither IPv4 nor IPv6 */
	NF_ROUTER.close(router);
	refuses(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"2001:db8::/129\", \"next_hop\": 1}]}", ".routes.0.prefix");
}

/* A router's configuration with so many routes of IPv6; to be freed. */
static char *with_routes(uint32_t count)
{
	json_t *config = json_pack("{s:[]}", "routes");
	char *text;

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(json_object_get(config, "routes"),
			json_pack("{s:s, s:i}", "prefix", "2001:db8::/32", "next_hop", 1));
	text = json_dumps(config, 0);
	json_decref(config);
	return text;
}

static void a_router_has_a_bound_for_ipv6(void)
{
	char *most = with_routes(1000), *more = with_routes(1001);

	NF_ROUTER.close(open_nf(&NF_ROUTER, most));
	refuses_why(&NF_ROUTER, more, E_BAD_CONFIG, ".routes.1000.prefix", "1000 routes of IPv6");
	free(most);
	free(more);
}

static void the_firewall_takes_the_first_rule(void)
{
	void *firewall = open_nf(&NF_FIREWALL, "{\"rules\": ["
		"{\"action\": \"allow\", \"dst\": \"2001:db8:b::1\", \"dst_port\": [53, 53]}, "
		"{\"action\": \"deny\", \"dst\": \"2001:db8:b::/48\"}, "
		"{\"action\": \"deny\", \"src\": \"0.0.0.0/0\"}, "  /* speaks of IPv4 only */
		"{\"action\": \"deny\", \"protocol\": \"tcp\"}, "     /* of both */
		"{\"action\": \"deny\", \"dst_port\": [100, 200]}]}");

	CHECK(passes(&NF_FIREWALL, firewall, packet_to("2001:db8:b::1")));
	CHECK(!passes(&NF_FIREWALL, firewall, packet_to("2001:db8:b::2")));
	CHECK(!passes(&NF_FIREWALL, firewall, with_byte("2001:db8:b::1", UDP_AT + 3, 54)));
	CHECK(passes(&NF_FIREWALL, firewall, packet_to("2001:db8:c::1")));
	CHECK(!passes(&NF_FIREWALL, firewall, with_byte("2001:db8:c::1", UDP_AT + 3, 150)));
	CHECK(!passes(&NF_FIREWALL, firewall, udp_to(0xc0a80001, 53)));
	NF_FIREWALL.close(firewall);
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"src\": \"10.0.0.0/8\", \"dst\": \"2001:db8::/32\"}]}",
		".rules.0.dst");
	refuses(&NF_FIREWALL, "{\"rules\": [{\"action\": \"deny\", \"src\": \"2001:db8::/200\"}]}", ".rules.0.src");
}

/* With 'allow' for all else: headers that are too many to read, and ports that a fragment hides, are not let past. */
static void nothing_slips_past_the_firewall(void)
{
	static const char deny[] = "{\"rules\": [{\"action\": \"deny\", \"dst\": \"2001:db8::/32\", \"dst_port\": [22, 22]}]}";
	static const char allow[] = "{\"rules\": [{\"action\": \"allow\", \"dst\": \"2001:db8::/32\", \"dst_port\": [53, 53]}], "
		"\"default_action\": \"deny\"}";
	void *denying = open_nf(&NF_FIREWALL, deny), *allowing = open_nf(&NF_FIREWALL, allow);
	struct rte_mbuf *made;

	CHECK(passes(&NF_FIREWALL, denying, packet_to("2001:db8::1")) && passes(&NF_FIREWALL, allowing, packet_to("2001:db8::1")));
	CHECK(!passes(&NF_FIREWALL, denying, with_byte("2001:db8::1", IP_AT + 4, 0xff)));
	for (int i = 0; i < 2; i++) { /* its first 8 bytes behind IPv6 are a fragment's header, with 'more fragments' */
		made = with_byte("2001:db8::1", IP_AT + 6, 44);
		memset(bytes_of(made) + UDP_AT, 0, 8);
		bytes_of(made)[UDP_AT] = IPPROTO_UDP;
		bytes_of(made)[UDP_AT + 3] = 1;
		CHECK(!passes(&NF_FIREWALL, i == 0 ? denying : allowing, made));
	}
	NF_FIREWALL.close(denying);
	NF_FIREWALL.close(allowing);
}

static void the_nids_scans_the_payload(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"attack\"], \"synthetic_patterns\": 0, \"action\": \"drop\"}");
	struct rte_mbuf *made = packet_to("2001:db8::1");

	memcpy(bytes_of(made) + UDP_AT + 8 + 4, "attack", 6);
	CHECK(!passes(&NF_NIDS, nids, made) && figure(&NF_NIDS, nids, "matched_packets") == 1);
	CHECK(figure(&NF_NIDS, nids, "scanned_bytes") == 18); /* 80 - 62 */
	CHECK(passes(&NF_NIDS, nids, packet_to("2001:db8::1")));
	made = packet_to("2001:db8::1"); /* behind the packet's end, in the frame's padding */
	memcpy(bytes_of(made) + UDP_AT + 8 + 4, "attack", 6);
	bytes_of(made)[IP_AT + 5] = 8;
	bytes_of(made)[UDP_AT + 5] = 8;
	CHECK(passes(&NF_NIDS, nids, made));
	CHECK(passes(&NF_NIDS, nids, with_byte("2001:db8::1", IP_AT + 4, 0xff)));
	CHECK(figure(&NF_NIDS, nids, "unscanned_packets") == 1 && figure(&NF_NIDS, nids, "scanned_packets") == 3);
	NF_NIDS.close(nids);
}

/* The others read IPv4 alone, and count what they let pass or drop. */
static void the_others_pass_it_or_drop_it_and_count(void)
{
	static const struct {
		const struct nf_type *type;
		const char *config, *counter;
		bool passes;
	} others[] = {
		{&NF_BASIC_MONITOR, "{}", "untracked_packets", true},
		{&NF_DPI, "{\"flow_table_entries\": 64}", "not_ipv4_packets", true},
		{&NF_LOAD_BALANCER, "{\"backends\": [{\"address\": \"10.200.0.1\"}], \"table_size\": 251}", "unmatched_packets", true},
		{&NF_NAT, "{\"flow_table_entries\": 64}", "untranslatable_packets", false},
		{&NF_VPN, "{\"mode\": \"encrypt\"}", "not_ipv4", false},
		{&NF_VPN, "{\"mode\": \"decrypt\"}", "not_esp", false},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		void *state = open_nf(others[i].type, others[i].config);
		struct rte_mbuf *made = packet_to("2001:db8::1"), *same = packet_to("2001:db8::1");

		CHECK((others[i].type->process(state, &made, 1) == 1) == others[i].passes);
		CHECK(figure(others[i].type, state, others[i].counter) == 1);
		CHECK(!others[i].passes || memcmp(bytes_of(made), bytes_of(same), BYTES) == 0);
		rte_pktmbuf_free(made);
		rte_pktmbuf_free(same);
		others[i].type->close(state);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	the_router_takes_the_longest_prefix();
	the_router_filters_what_it_must_not_forward();
	a_router_has_a_bound_for_ipv6();
	the_firewall_takes_the_first_rule();
	nothing_slips_past_the_firewall();
	the_nids_scans_the_payload();
	the_others_pass_it_or_drop_it_and_count();
	packets_end();
	return 0;
}
