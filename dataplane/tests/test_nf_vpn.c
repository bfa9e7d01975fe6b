/* The VPN on crafted packets: a published vector, there and back in both forms, and everything that is filtered. */
#include <arpa/inet.h>

#include "nf/esp.h"
#include "payload_packets.h"

#define KEY "00112233445566778899aabbccddeeff01020304"

static void from_hex(const char *hex, uint8_t *out)
{
	unsigned int byte;

	for (; *hex != '\0'; hex += 2) {
		CHECK(sscanf(hex, "%2x", &byte) == 1);
		*out++ = (uint8_t)byte;
	}
}

/*
 * draft-mcgrew-gcm-test-01, the case with key feffe992... and SPI 0000a5f8: 62 bytes and the trailer 00 01. They are
 * sent in transport mode as the payload of protocol 1.
 */
static void the_published_vector_comes_out(void)
{
	static const char plain[] = "4500003e698f000080114dccc0a80102c0a801010a980035002a2343b2d0010000010000000000000373697009"
		"637962657263697479" "02646b0000010001";
	static const char sealed[] = "0000a5f80000000afacedbaddecaf888deb22cd9b07c72c16e3a65beeb8df304a5a5897d33ae530f1ba76d5d"
		"114d2a5c3de81827c10e9a4f51330d0eec416642cfbb85a5b47e48a4ec3b9ba95d918bd183b70d3aa8bc6ee4c309e9d85a41ad4a";
	struct esp_sa sa = {.mtu = 1500, .spi = 0xa5f8};
	struct esp_work work;
	struct rte_mbuf *packet = sized_packet(14 + 20 + 62, IPPROTO_UDP, 0x0a000001, 0x0a000002, 53);
	uint8_t material[ESP_MATERIAL_BYTES], expected[8 + 8 + 64 + 16], content[62], *l4;

	from_hex("feffe9928665731c6d6a8f9467308308cafebabe", material);
	from_hex(plain, content);
	from_hex(sealed, expected);
	ip_of(packet)->next_proto_id = IPPROTO_ICMP;
	ip_of(packet)->hdr_checksum = 0;
	ip_of(packet)->hdr_checksum = rte_ipv4_cksum(ip_of(packet));
	memcpy(ip_of(packet) + 1, content, sizeof(content));
	esp_set_key(esp_library(), &sa, material);
	CHECK(esp_wrap(&sa, packet, 10, 0xfacedbaddecaf888ULL, &work) == ESP_DONE);
	esp_seal(esp_library(), &sa, &work);
	l4 = (uint8_t *)(ip_of(packet) + 1);
	CHECK(packet->data_len == 14 + 20 + sizeof(expected) && memcmp(l4, expected, sizeof(expected)) == 0);
	CHECK(ip_of(packet)->next_proto_id == IPPROTO_ESP && ntohs(ip_of(packet)->total_length) == packet->data_len - 14);
	CHECK(rte_raw_cksum(ip_of(packet), 20) == 0xffff);
	CHECK(esp_decrypt(esp_library(), &sa, packet) == ESP_DONE);
	CHECK(packet->data_len == 14 + 20 + 62 && memcmp(ip_of(packet) + 1, content, sizeof(content)) == 0);
	CHECK(ip_of(packet)->next_proto_id == IPPROTO_ICMP && rte_raw_cksum(ip_of(packet), 20) == 0xffff);
	rte_pktmbuf_free(packet);
}

static void *open_end(const char *mode, const char *form, const char *key)
{
	char config[256];

	(void)snprintf(config, sizeof(config), "{\"mode\": \"%s\", \"form\": \"%s\", \"key\": %s}", mode, form, key);
	return open_nf(&NF_VPN, config);
}

/* Every size, so every padding: what arrives is, bit by bit, what was sent. `clear` bytes stay so, `growth` are added. */
static void two_ends_undo_each_other(const char *form, uint32_t clear, uint32_t growth)
{
	void *near = open_end("encrypt", form, "\"" KEY "\""), *far = open_end("decrypt", form, "\"" KEY "\"");

	for (uint32_t bytes = 64; bytes <= PACKET_BYTES_MAX; bytes++) {
		struct rte_mbuf *packet = sized_packet(bytes, bytes % 2 ? IPPROTO_UDP : IPPROTO_TCP, 1, 2, 443);
		uint8_t before[PACKET_BYTES_MAX];
		uint32_t content = bytes - clear + 2; /* what is encrypted with its trailer, before it is padded to 4 */

		memcpy(before, rte_pktmbuf_mtod(packet, uint8_t *), bytes);
		CHECK(NF_VPN.process(near, &packet, 1) == 1);
		CHECK(packet->data_len == clear + growth + (content + 3) / 4 * 4 + 16);
		CHECK(packet->pkt_len == packet->data_len);
		CHECK(ip_of(packet)->next_proto_id == IPPROTO_ESP && rte_raw_cksum(ip_of(packet), 20) == 0xffff);
		CHECK(ntohs(ip_of(packet)->total_length) == packet->data_len - 14);
		CHECK(memcmp(rte_pktmbuf_mtod_offset(packet, uint8_t *, packet->data_len - 40), before + bytes - 24, 8) != 0);
		CHECK(NF_VPN.process(far, &packet, 1) == 1);
		CHECK(packet->data_len == bytes && packet->pkt_len == bytes);
		CHECK(memcmp(before, rte_pktmbuf_mtod(packet, uint8_t *), bytes) == 0);
		rte_pktmbuf_free(packet);
	}
	CHECK(figure(&NF_VPN, near, "encrypted") == PACKET_BYTES_MAX - 63);
	CHECK(figure(&NF_VPN, far, "decrypted") == PACKET_BYTES_MAX - 63);
	NF_VPN.close(near);
	NF_VPN.close(far);
}

static void a_tunnel_has_its_own_header(void)
{
	void *near = open_nf(&NF_VPN, "{\"tunnel_src\": \"198.18.7.1\", \"tunnel_dst\": \"198.18.9.2\"}");
	struct rte_mbuf *packet = udp_to(0xc0a80101, 53);

	ip_of(packet)->type_of_service = 0xb9; /* expedited forwarding, ECT(1) */
	CHECK(NF_VPN.process(near, &packet, 1) == 1);
	CHECK(ntohl(ip_of(packet)->src_addr) == 0xc6120701 && ntohl(ip_of(packet)->dst_addr) == 0xc6120902);
	CHECK(ip_of(packet)->type_of_service == 0xb9 && ip_of(packet)->time_to_live == 64);
	CHECK(ip_of(packet)->fragment_offset == htons(0x4000)); /* may not be fragmented, as the one inside */
	rte_pktmbuf_free(packet);
	NF_VPN.close(near);
}

struct clear { /* what ESP shows, in host byte order */
	uint32_t spi, number;
	uint64_t iv;
};

static struct clear encrypt_one(void *near)
{
	struct rte_mbuf *packet = udp_to(0xc0a80101, 53);
	uint32_t words[4];

	CHECK(NF_VPN.process(near, &packet, 1) == 1);
	memcpy(words, ip_of(packet) + 1, sizeof(words));
	rte_pktmbuf_free(packet);
	return (struct clear){ntohl(words[0]), ntohl(words[1]), (uint64_t)ntohl(words[2]) << 32 | ntohl(words[3])};
}

/* Numbers and IVs rise by one; another opening has another SPI, counts from 1, and its IVs are far away. */
static void every_packet_has_a_number_and_an_iv(void)
{
	void *first = open_end("encrypt", "tunnel", "null"), *second = open_end("encrypt", "tunnel", "null");
	struct clear of_first = encrypt_one(first), of_second = encrypt_one(second);

	CHECK(of_first.number == 1 && of_first.spi >= 256);
	for (uint32_t i = 2; i <= 100; i++) {
		struct clear next = encrypt_one(first);

		CHECK(next.spi == of_first.spi && next.number == i && next.iv == of_first.iv + i - 1);
	}
	CHECK(of_second.number == 1 && of_second.spi >= 256 && of_second.spi != of_first.spi);
	CHECK(of_second.iv - of_first.iv > 100);
	NF_VPN.close(first);
	NF_VPN.close(second);
}

/* One that is refused in the middle of a burst takes no number, and spoils none of its neighbours. */
static void a_burst_is_encrypted_packet_by_packet(void)
{
	void *near = open_end("encrypt", "tunnel", "null"), *far = open_end("decrypt", "tunnel", "null");
	struct rte_mbuf *packets[] = {udp_to(0xc0a80101, 53), udp_to(0xc0a80102, 53), udp_to(0xc0a80103, 53)};
	struct rte_mbuf *sealed[] = {packets[0], packets[2]};

	rte_pktmbuf_mtod(packets[1], struct rte_ether_hdr *)->ether_type = 0;
	CHECK(NF_VPN.process(near, packets, 3) == 5);
	CHECK(((uint32_t *)(ip_of(packets[0]) + 1))[1] == htonl(1) && ((uint32_t *)(ip_of(packets[2]) + 1))[1] == htonl(2));
	CHECK(NF_VPN.process(far, sealed, 2) == 3);
	CHECK(ip_of(packets[0])->dst_addr == htonl(0xc0a80101) && ip_of(packets[2])->dst_addr == htonl(0xc0a80103));
	CHECK(frame_is_sound(rte_pktmbuf_mtod(packets[2], uint8_t *), 64));
	rte_pktmbuf_free_bulk(packets, 3);
	NF_VPN.close(near);
	NF_VPN.close(far);
}

/* A process forked anew on the same state never repeats what the one before it has used. */
static void another_process_counts_on(void)
{
	void *near = open_end("encrypt", "tunnel", "null");
	struct clear first = encrypt_one(near), last;
	struct rte_mbuf *packet = udp_to(1, 2);

	process_in_a_child(&NF_VPN, near, packet, 1);
	last = encrypt_one(near);
	CHECK(last.number == 3 && last.iv == first.iv + 2 && figure(&NF_VPN, near, "encrypted") == 3);
	rte_pktmbuf_free(packet);
	NF_VPN.close(near);
}

/* One changed bit anywhere in what is authenticated, or another key: filtered. The outer header is not authenticated. */
static void what_was_changed_is_forged(const char *form)
{
	void *near = open_end("encrypt", form, "\"" KEY "\""), *far = open_end("decrypt", form, "\"" KEY "\"");
	void *stranger = open_end("decrypt", form, "null");
	struct rte_mbuf *packet = udp_to(0xc0a80101, 53);
	uint32_t end, forged = 0;

	CHECK(NF_VPN.process(near, &packet, 1) == 1);
	end = packet->data_len;
	for (uint32_t at = 34; at < end; at++, forged++) {
		struct rte_mbuf *changed = rte_pktmbuf_copy(packet, packets_pool, 0, UINT32_MAX);

		rte_pktmbuf_mtod(changed, uint8_t *)[at] ^= (uint8_t)(1 << at % 8);
		CHECK(NF_VPN.process(far, &changed, 1) == 0);
		rte_pktmbuf_free(changed);
	}
	CHECK(figure(&NF_VPN, far, "forged") == forged && figure(&NF_VPN, far, "decrypted") == 0);
	CHECK(NF_VPN.process(stranger, &packet, 1) == 0 && figure(&NF_VPN, stranger, "forged") == 1);
	rte_pktmbuf_free(packet);
	NF_VPN.close(near);
	NF_VPN.close(far);
	NF_VPN.close(stranger);
}

/* A checksum that was wrong before is wrong after: encryption must not hide what damaged a packet. */
static void transport_keeps_a_wrong_checksum_wrong(void)
{
	void *near = open_end("encrypt", "transport", "null"), *far = open_end("decrypt", "transport", "null");
	struct rte_mbuf *packet = udp_to(0xc0a80101, 53);
	uint16_t before = ++ip_of(packet)->hdr_checksum;

	CHECK(NF_VPN.process(near, &packet, 1) == 1 && rte_raw_cksum(ip_of(packet), 20) != 0xffff);
	CHECK(NF_VPN.process(far, &packet, 1) == 1 && ip_of(packet)->hdr_checksum == before);
	rte_pktmbuf_free(packet);
	NF_VPN.close(near);
	NF_VPN.close(far);
}

static void what_does_not_fit_is_filtered_whole(void)
{
	void *near = open_nf(&NF_VPN, "{\"mtu\": 1000}");
	/* 20 + 16 + n + padding to a multiple of 4 + 2 + 16 <= 1000: n is at most 946 */
	struct rte_mbuf *packets[] = {sized_packet(14 + 946, IPPROTO_UDP, 1, 2, 3), sized_packet(14 + 947, IPPROTO_UDP, 1, 2, 3),
		sized_packet(64, IPPROTO_UDP, 1, 2, 3)};
	void *wide = open_nf(&NF_VPN, "{}");
	struct rte_mbuf *full = sized_packet(PACKET_BYTES_MAX, IPPROTO_UDP, 1, 2, 3);
	uint16_t room = rte_pktmbuf_tailroom(full);

	CHECK(NF_VPN.process(near, packets, 3) == 5);
	CHECK(figure(&NF_VPN, near, "too_large") == 1 && figure(&NF_VPN, near, "encrypted") == 2);
	CHECK(packets[0]->data_len == 14 + 1000 && packets[1]->data_len == 14 + 947);
	rte_pktmbuf_free_bulk(packets, 3);
	full->buf_len = (uint16_t)(full->buf_len - room + 10); /* a trailer of 20 is needed */
	CHECK(NF_VPN.process(wide, &full, 1) == 0 && figure(&NF_VPN, wide, "too_large") == 1);
	full->buf_len = (uint16_t)(full->buf_len + room - 10);
	rte_pktmbuf_free(full);
	NF_VPN.close(near);
	NF_VPN.close(wide);
}

static void what_is_no_esp_is_filtered(void)
{
	void *near = open_end("encrypt", "transport", "null"), *far = open_end("decrypt", "transport", "null");
	struct rte_mbuf *packets[] = {udp_to(1, 2), udp_to(1, 2), udp_to(1, 2), udp_to(1, 2)};

	CHECK(NF_VPN.process(far, packets, 1) == 0 && figure(&NF_VPN, far, "not_esp") == 1);
	ip_of(packets[1])->next_proto_id = IPPROTO_ESP;
	ip_of(packets[1])->total_length = htons(20 + 33);
	CHECK(NF_VPN.process(far, packets + 1, 1) == 0 && figure(&NF_VPN, far, "not_esp") == 2); /* longer than the frame */
	ip_of(packets[1])->total_length = htons(20 + 33 - 8);
	CHECK(NF_VPN.process(far, packets + 1, 1) == 0 && figure(&NF_VPN, far, "malformed") == 1);
	ip_of(packets[2])->fragment_offset = htons(0x2000);
	rte_pktmbuf_mtod(packets[3], struct rte_ether_hdr *)->ether_type = htons(RTE_ETHER_TYPE_ARP);
	CHECK(NF_VPN.process(near, packets + 2, 2) == 0 && figure(&NF_VPN, near, "not_ipv4") == 2);
	rte_pktmbuf_free_bulk(packets, 4);
	NF_VPN.close(near);
	NF_VPN.close(far);
}

/* A frame's least length holds again when ESP is gone: NFs behind it rely on that. */
static void what_comes_out_is_a_whole_frame(void)
{
	static const char *const forms[] = {"tunnel", "transport"};

	for (int i = 0; i < 2; i++) {
		void *near = open_end("encrypt", forms[i], "null"), *far = open_end("decrypt", forms[i], "null");
		struct rte_mbuf *small = udp_to(0xc0a80101, 53);
		uint8_t *frame;

		ip_of(small)->total_length = rte_cpu_to_be_16(28); /* no payload: the rest of its 60 bytes fills up */
		small->data_len = 60;
		small->pkt_len = 60;
		CHECK(NF_VPN.process(near, &small, 1) == 1);
		memset(rte_pktmbuf_mtod(small, uint8_t *) + small->data_len, 0xee, 64);
		CHECK(NF_VPN.process(far, &small, 1) == 1);
		frame = rte_pktmbuf_mtod(small, uint8_t *);
		CHECK(small->data_len == 60 && small->pkt_len == 60 && ip_of(small)->total_length == rte_cpu_to_be_16(28));
		for (uint32_t at = 42; at < 60; at++)
			CHECK(frame[at] == 0);
		rte_pktmbuf_free(small);
		NF_VPN.close(near);
		NF_VPN.close(far);
	}
}

/* A tunnel's end takes only IPv4 inside, though it be authentic. */
static void a_tunnel_holds_a_packet(void)
{
	void *near = open_end("encrypt", "transport", "null"), *far = open_end("decrypt", "tunnel", "null");
	struct rte_mbuf *packet = udp_to(1, 2);

	CHECK(NF_VPN.process(near, &packet, 1) == 1 && NF_VPN.process(far, &packet, 1) == 0);
	CHECK(figure(&NF_VPN, far, "malformed") == 1);
	rte_pktmbuf_free(packet);
	NF_VPN.close(near);
	NF_VPN.close(far);
}

/* Nor is the key in any refusal, and a figure named like it would be found here. */
static void the_key_is_told_to_nobody(void)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *config = json_pack("{s:s}", "key", "00112233445566778899aabbccddeeff0102030x");
	void *near = open_end("encrypt", "tunnel", "\"" KEY "\"");
	json_t *out = json_object();
	char *text;

	CHECK(NF_VPN.open(config, &scope, "refused") == NULL && strcmp(err.field, "nfs.0.config.key") == 0);
	CHECK(strstr(err.message, "0011") == NULL && strstr(err.message, "digit") != NULL);
	NF_VPN.describe(near, out);
	text = json_dumps(out, 0);
	CHECK(text != NULL && strstr(text, "0011") == NULL && strstr(text, "key") == NULL);
	free(text);
	json_decref(out);
	json_decref(config);
	NF_VPN.close(near);
}

static void the_vpn_refuses(void)
{
	refuses(&NF_VPN, "{\"mode\": \"both\"}", ".mode");
	refuses(&NF_VPN, "{\"form\": 1}", ".form");
	refuses(&NF_VPN, "{\"key\": \"0011\"}", ".key");
	refuses(&NF_VPN, "{\"key\": 7}", ".key");
	refuses(&NF_VPN, "{\"seed\": -1}", ".seed");
	refuses(&NF_VPN, "{\"tunnel_src\": \"198.18.0.256\"}", ".tunnel_src");
	refuses(&NF_VPN, "{\"tunnel_dst\": null}", ".tunnel_dst");
	refuses(&NF_VPN, "{\"mtu\": 1601}", ".mtu");
	refuses(&NF_VPN, "{\"speed\": 1}", ".speed");
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	the_published_vector_comes_out();
	two_ends_undo_each_other("tunnel", 14, 20 + 16);
	two_ends_undo_each_other("transport", 14 + 20, 16);
	a_tunnel_has_its_own_header();
	every_packet_has_a_number_and_an_iv();
	a_burst_is_encrypted_packet_by_packet();
	another_process_counts_on();
	what_was_changed_is_forged("tunnel");
	what_was_changed_is_forged("transport");
	transport_keeps_a_wrong_checksum_wrong();
	what_does_not_fit_is_filtered_whole();
	what_is_no_esp_is_filtered();
	a_tunnel_holds_a_packet();
	what_comes_out_is_a_whole_frame();
	the_key_is_told_to_nobody();
	the_vpn_refuses();
	packets_end();
	return 0;
}
