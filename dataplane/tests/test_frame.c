#include <netinet/in.h>
#include <string.h>

#include "check.h"
#include "frame.h"

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
		uint64_t sequence = (uint64_t)i * 0x123456789ULL, read = 0;
		struct flow flow = flow_at(&config, i);

		frame_write(&frame, flow, sequence, out);
		CHECK(folded(sum(out + 14, 20)) == 0xffff);
		/* pseudo-header: addresses, protocol, length */
		CHECK(folded(sum(out + 26, 8) + protocol + l4_bytes + sum(out + 34, l4_bytes)) == 0xffff);
		CHECK(out[14] == 0x45 && out[23] == protocol && out[26] == 10 && out[30] == 192 && out[31] == 168);
		CHECK((uint32_t)(out[16] << 8 | out[17]) == bytes - 14);
		CHECK(frame_read(out, bytes, true, &read) && read == sequence);
		out[26] ^= 1;
		CHECK(!frame_read(out, bytes, true, &read));
	}
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
	check_flows(wide, net, 0, 300000);
	check_flows(eight, net, 53, FLOWS_MAX);
	check_flows(one, one, 0, FLOWS_MAX);
	check_flows(one, eight, 80, 8 * 64512);
	CHECK(flow_capacity(&narrow) == 64512); /* source ports 1024-65535 are all that can vary */
	check_flows(one, one, 53, 64512);
	return 0;
}
