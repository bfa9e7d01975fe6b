#include <netinet/in.h>
#include <string.h>

#include "check.h"
#include "packets/checksum.h"
#include "packets/frame.h"

/* The checksum over whole headers, the slow way: right when the folded sum of everything is 0xffff. */
static uint32_t sum(const uint8_t *bytes, uint32_t length)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < length; i++)
		total += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
	return total;
}

static uint32_t folded(uint32_t total)
{
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return total;
}

static struct source_config a_source(uint8_t protocol, uint32_t bytes)
{
	return (struct source_config){.packets_per_second = 1, .packet_bytes = bytes, .flows = 1000,
		.src = {0x0a000000, 8}, .dst = {0xc0a80000, 16}, .protocol = protocol};
}

static void check_frame(uint8_t protocol, uint32_t bytes)
{
	struct source_config config = a_source(protocol, bytes);
	struct frame_template frame;
	uint8_t out[PACKET_BYTES_MAX];
	uint32_t l4_bytes = bytes - 34;

	frame_template_make(&frame, &config);
	for (uint32_t i = 0; i < 1000; i++) {
		struct flow flow = flow_at(&config, i);

		frame_write(&frame, flow, i * 0x123456789ULL, out);
		CHECK(folded(sum(out + 14, 20)) == 0xffff);
		/* pseudo-header: addresses, protocol, length */
		CHECK(folded(sum(out + 26, 8) + protocol + l4_bytes + sum(out + 34, l4_bytes)) == 0xffff);
		CHECK(out[14] == 0x45 && out[23] == protocol && out[26] == 10 && out[30] == 192 && out[31] == 168);
		CHECK((uint32_t)(out[16] << 8 | out[17]) == bytes - 14);
		CHECK(frame_is_sound(out, bytes));
		out[26] ^= 1;
		CHECK(!frame_is_sound(out, bytes));
	}
}

/* A payload of its own: it is left alone, and the checksum counts it by its sum. */
static void check_payload(uint8_t protocol, uint32_t bytes)
{
	struct source_config config = a_source(protocol, bytes);
	struct frame_template frame;
	uint8_t out[PACKET_BYTES_MAX];
	uint32_t head = frame_header_bytes(&config);

	frame_template_make(&frame, &config);
	for (uint32_t i = 0; i < 1000; i++) {
		for (uint32_t at = head; at < bytes; at++)
			out[at] = (uint8_t)(at * i + 7);
		frame_write_headers(&frame, flow_at(&config, i), checksum_sum(out + head, bytes - head), out);
		CHECK(out[head] == (uint8_t)(head * i + 7) && out[bytes - 1] == (uint8_t)((bytes - 1) * i + 7));
		CHECK(folded(sum(out + 26, 8) + protocol + (bytes - 34) + sum(out + 34, bytes - 34)) == 0xffff);
		CHECK(frame_is_sound(out, bytes));
		out[bytes - 1] ^= 1;
		CHECK(!frame_is_sound(out, bytes));
	}
}

/* What NFs may rightly make of a packet is sound; what is cut or wrong is not. */
static void check_soundness(void)
{
	struct source_config config = a_source(IPPROTO_UDP, 64);
	struct frame_template frame;
	uint8_t whole[64], out[64];
	int check;

	frame_template_make(&frame, &config);
	frame_write(&frame, flow_at(&config, 1), 0, whole);
	memcpy(out, whole, sizeof(out));
	CHECK(!frame_is_sound(out, 63)); /* shorter than its IPv4 length */
	CHECK(!frame_is_sound(out, 33)); /* no room for the header */
	out[40] = out[41] = 0;
	CHECK(frame_is_sound(out, 64)); /* UDP without a checksum */
	out[12] = 0x86;
	CHECK(!frame_is_sound(out, 64)); /* not IPv4 */
	memcpy(out, whole, sizeof(out));
	out[23] = 50; /* ESP, as a VPN gateway makes it: 50 - 17 = 33 more in the header's sum, and an opaque payload */
	check = (whole[24] << 8 | whole[25]) - 33;
	out[24] = (uint8_t)(check >> 8);
	out[25] = (uint8_t)check;
	out[50] = 0xaa;
	CHECK(frame_is_sound(out, 64));
	out[23] = 51;
	CHECK(!frame_is_sound(out, 64));
}

/* Sums of words in network order, the odd byte as a word's first: 0102 + 0304 + 0500. */
static void sums_are_of_network_words(void)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5};

	CHECK(checksum_sum(bytes, 0) == 0);
	CHECK(checksum_sum(bytes, 1) == 0x0100);
	CHECK(checksum_sum(bytes, 4) == 0x0406);
	CHECK(checksum_sum(bytes, 5) == 0x0906);
	CHECK(checksum_fold(0x1ffff) == 1); /* ffff + 1 = 10000: the carry comes back in */
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct flow));
}

/* Every index below the capacity is another 5-tuple, and all satisfy the match. */
static void check_flows(struct prefix src, struct prefix dst, uint16_t port, uint32_t count)
{
	struct source_config config = {.flows = count, .src = src, .dst = dst, .dst_port = port};
	struct flow *flows = calloc(count, sizeof(*flows));

	CHECK(flows != NULL && flow_capacity(&config) >= count);
	for (uint32_t i = 0; i < count; i++) {
		flows[i] = flow_at(&config, i);
		CHECK((flows[i].src & prefix_mask(src.length)) == src.address);
		CHECK((flows[i].dst & prefix_mask(dst.length)) == dst.address);
		CHECK(flows[i].src_port >= 1024 && flows[i].dst_port >= 1 && (port == 0 || flows[i].dst_port == port));
	}
	qsort(flows, count, sizeof(*flows), compare);
	for (uint32_t i = 1; i < count; i++)
		CHECK(compare(&flows[i - 1], &flows[i]) != 0);
	free(flows);
}

int main(void)
{
	struct prefix one = {0x0a000001, 32}, eight = {0x0a000000, 29}, wide = {0, 0}, net = {0xc0a80000, 16};
	struct source_config narrow = {.src = one, .dst = one, .dst_port = 53};

	check_frame(IPPROTO_UDP, 64);
	check_frame(IPPROTO_TCP, 64);
	check_frame(IPPROTO_UDP, 1517);
	check_frame(IPPROTO_TCP, 1518);
	check_payload(IPPROTO_UDP, 65);
	check_payload(IPPROTO_TCP, 64);
	check_payload(IPPROTO_UDP, 1518);
	check_soundness();
	sums_are_of_network_words();
	check_flows(wide, net, 0, 300000);
	check_flows(eight, net, 53, FLOWS_MAX);
	check_flows(one, one, 0, FLOWS_MAX);
	check_flows(one, eight, 80, 8 * 64512);
	CHECK(flow_capacity(&narrow) == 64512); /* source ports 1024-65535 are all that can vary */
	check_flows(one, one, 53, 64512);
	return 0;
}
