/* H.Encaps.INT, byte for byte, and what a tenant may not send. */
#include <string.h>

#include "check.h"
#include "frames.h"
#include "rig.h"

#define SRH_OF(inner) inner "05 04 01 01 01 0007" SID_EGRESS SID_NF EMPTY_TLV

static uint32_t wrap(const char *hex, struct frame *frame)
{
	uint32_t label;

	*frame = rig_frame(hex);
	CHECK(rig_run("srv6_edge", frame) == TC_ACT_REDIRECT);
	label = (uint32_t)(frame->bytes[15] & 15) << 16 | (uint32_t)frame->bytes[16] << 8 | frame->bytes[17];
	memset(frame->bytes + 15, 0, 3);
	return label;
}

static void wraps_both_families(void)
{
	struct frame frame;
	uint32_t label = wrap(ETHERNET_IPV4 INNER_IPV4, &frame);

	/* 48 bytes behind the outer IPv6 header, and 32 of the packet: 0x50 */
	CHECK(rig_equals(&frame, ETHERNET_IPV6 "60000000 0050 2b 40" EDGE SID_NF SRH_OF("04") INNER_IPV4));
	CHECK(label == wrap(ETHERNET_IPV4 INNER_IPV4, &frame));
	CHECK(label != wrap(ETHERNET_IPV4 "4500 0020 0001 0000 4011 b014 0a000001 c0a80001  0fa1 0035 000c 0000  aabbccdd", &frame));
	(void)wrap(ETHERNET_IPV6 INNER_IPV6, &frame);
	CHECK(rig_equals(&frame, ETHERNET_IPV6 "60000000 0064 2b 40" EDGE SID_NF SRH_OF("29") INNER_IPV6));
	CHECK(rig_count(SRV6_WRAPPED) == 4);
}

static void adds_56_and_16_for_each_segment(void)
{
	uint32_t key = PORT;
	struct srv6_path path;
	struct frame frame;

	CHECK(bpf_map_lookup_elem(rig_map("srv6_paths"), &key, &path) == 0);
	for (uint16_t n = 1; n <= SRV6_SEGMENTS_MAX; n++) {
		struct srv6_path longer = path;

		longer.count = n;
		rig_put("srv6_paths", &key, &longer);
		(void)wrap(ETHERNET_IPV6 INNER_IPV6, &frame);
		CHECK(frame.size == 14 + 52 + 56 + 16U * n);
	}
	rig_put("srv6_paths", &key, &path);
}

static int refuses(const char *hex, enum srv6_count cause)
{
	struct frame frame = rig_frame(hex);

	return rig_refuses("srv6_edge", &frame, cause);
}

#define IPV6_TO(next, destination) ETHERNET_IPV6 "60000000 0020" next "40" "20010db8000000000000000000000001" destination
#define THERE "20010db8000000000000000000000002"
#define SIXTEEN "00000000 00000000 00000000 00000000"

static void guards(void)
{
	/* Forged: a routing header at once, behind hop-by-hop options, behind a fragment header */
	CHECK(refuses(IPV6_TO("2b", THERE) "11 02 04 00 00 01 0007" SIXTEEN "00000000 00000000", SRV6_ROUTING_HEADER));
	CHECK(refuses(IPV6_TO("00", THERE) "2b 00 01 04 00000000" "11 02 04 00 00 01 0007" SIXTEEN, SRV6_ROUTING_HEADER));
	CHECK(refuses(IPV6_TO("2c", THERE) "2b 00 0001 00000001" "11 02 04 00 00 01 0007" SIXTEEN, SRV6_ROUTING_HEADER));
	CHECK(refuses(IPV6_TO("11", SID_NF) UDP_IPV6 SIXTEEN "00000000", SRV6_SID_DESTINATION));
	CHECK(refuses(IPV6_TO("11", "fc000000000900000000000000000001") UDP_IPV6 SIXTEEN "00000000", SRV6_SID_DESTINATION));
	CHECK(refuses(IPV6_TO("00", THERE) "3c00010400000000 3c00010400000000 3c00010400000000 3c00010400000000 3c00010400000000"
		"3c00010400000000 3c00010400000000 3c00010400000000 2b00010400000000", SRV6_TOO_MANY_HEADERS));
	CHECK(refuses(IPV6_TO("00", THERE) "2bff0104", SRV6_TRUNCATED) == 0); /* what it names lies behind its end: */
	CHECK(refuses(IPV6_TO("00", THERE) "00ff0104 00000000", SRV6_TRUNCATED));
	CHECK(refuses(ETHERNET_IPV6 "00000000 0014 11 40" IPV6_ADDRESSES UDP_IPV6, SRV6_TRUNCATED));
	CHECK(refuses(ETHERNET_IPV4 "4400 0020 0001 0000 4011 b014 0a000001 c0a80001 0fa00035000c0000", SRV6_TRUNCATED));
	CHECK(refuses("02000000000b 02000000000a 8100 0001 86dd" INNER_IPV6, SRV6_VLAN) ||
		refuses("02000000000b 02000000000a 8100 0001 86dd" INNER_IPV6, SRV6_ETHERTYPE));
}

static void leaves_the_links_own_to_the_kernel(void)
{
	struct frame arp = rig_frame("ffffffffffff 02000000000a 0806 0001 0800 06 04 0001 02000000000a 0a000001 000000000000 0a000002");
	struct frame solicitation = rig_frame(ETHERNET_IPV6 "60000000 0008 3a ff" IPV6_ADDRESSES "87000000 00000000");
	struct frame listener = rig_frame(ETHERNET_IPV6 "60000000 0010 00 01 20010db8000000000000000000000001"
		"ff020000000000000000000000000016" "3a00050200000000 8f00000000000000");

	CHECK(rig_run("srv6_edge", &arp) == UNSPEC);
	CHECK(rig_run("srv6_edge", &solicitation) == UNSPEC);
	CHECK(rig_run("srv6_edge", &listener) == UNSPEC);
}

static void refuses_what_does_not_fit(void)
{
	uint32_t key = PORT;
	struct srv6_path path, narrow;

	CHECK(bpf_map_lookup_elem(rig_map("srv6_paths"), &key, &path) == 0);
	narrow = path;
	narrow.mtu = 32 + 56 + 32 - 1;
	rig_put("srv6_paths", &key, &narrow);
	CHECK(refuses(ETHERNET_IPV4 INNER_IPV4, SRV6_TOO_LARGE));
	narrow.count = SRV6_SEGMENTS_MAX + 1;
	rig_put("srv6_paths", &key, &narrow);
	CHECK(refuses(ETHERNET_IPV4 INNER_IPV4, SRV6_NO_PATH));
	rig_take("srv6_paths", &key);
	CHECK(refuses(ETHERNET_IPV4 INNER_IPV4, SRV6_NO_PATH));
	rig_put("srv6_paths", &key, &path);
}

static void refuses_several_packets_in_one(void)
{
	struct frame frame = rig_frame(ETHERNET_IPV4 INNER_IPV4);

	CHECK(rig_run_joined("srv6_edge", &frame, 4) == TC_ACT_SHOT && rig_count(SRV6_OFFLOAD) == 1);
}

int main(int argc, char **argv)
{
	(void)argc;
	rig_load(argv);
	rig_set_up();
	wraps_both_families();
	adds_56_and_16_for_each_segment();
	guards();
	leaves_the_links_own_to_the_kernel();
	refuses_what_does_not_fit();
	refuses_several_packets_in_one();
	return 0;
}
