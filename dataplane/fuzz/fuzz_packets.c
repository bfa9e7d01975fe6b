/*
 * Frames of any content, as a replayed capture may hold them, through every NF type. The first byte chooses the NF; then
 * each frame has two bytes of length (60 to 1518) and its content, which is repeated to that length. The tables live as
 * long as the program: what one input leaves in them meets the next.
 */
#include <rte_eal.h>
#include <sanitizer/asan_interface.h>
#include <string.h>

#include "fuzz.h"
#include "nf/registry.h"
#include "packets/source_config.h"

#define HEADROOM RTE_PKTMBUF_HEADROOM
#define GROWTH 64U /* as in memory.c */
#define BUFFER_BYTES RTE_ALIGN(HEADROOM + PACKET_BYTES_MAX + GROWTH, 64)
#define FRAME_BYTES_MIN 60U

static const struct {
	const char *type, *config;
} NFS[] = {
	{"basic-monitor", "{\"flow_table_entries\": 16}"},
	{"bubble", "{\"working_set_bytes\": 4096}"},
	{"dpi", "{\"flow_table_entries\": 64}"},
	{"firewall", "{\"rules\": [{\"action\": \"deny\", \"dst\": \"192.168.0.0/16\", \"protocol\": \"tcp\", \"dst_port\": [1, 99]}, "
		"{\"action\": \"deny\", \"dst\": \"fd00::/16\", \"dst_port\": [1, 99]}]}"},
	{"load-balancer", "{\"vip_prefix\": \"192.168.0.0/16\", \"table_size\": 251, \"connection_table_entries\": 64, "
		"\"backends\": [{\"address\": \"10.1.0.1\"}, {\"address\": \"10.1.0.2\"}]}"},
	{"nat", "{\"flow_table_entries\": 64, \"first_port\": 1024, \"last_port\": 1030}"},
	{"nids", "{\"patterns\": [\"attack\", \"a.{1,5}b\"], \"synthetic_patterns\": 20, \"action\": \"drop\"}"},
	{"router", "{\"routes\": [{\"prefix\": \"192.168.0.0/16\", \"next_hop\": 9}, "
		"{\"prefix\": \"fd00:b::/33\", \"next_hop\": 7}], \"synthetic_routes\": 10}"},
	{"simple-forward", "{\"loops\": 1}"},
	{"vpn", "{\"mode\": \"encrypt\"}"},
	{"vpn", "{\"mode\": \"encrypt\", \"form\": \"transport\", \"mtu\": 1400}"},
	{"vpn", "{\"mode\": \"decrypt\"}"},
	{"vpn", "{\"mode\": \"decrypt\", \"form\": \"transport\"}"},
};

#define NF_COUNT (sizeof(NFS) / sizeof(NFS[0]))
#define TUNNEL_IN 9U
#define TUNNEL_OUT 11U

static struct {
	const struct nf_type *type;
	void *state;
} opened[NF_COUNT];

static void open_one(uint32_t number)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = &err};
	json_t *json = json_loads(NFS[number].config, 0, NULL);
	char tag[16];

	(void)snprintf(tag, sizeof(tag), "f%u", number);
	opened[number].type = nf_type_find(NFS[number].type);
	MUST(json != NULL && opened[number].type != NULL);
	opened[number].state = opened[number].type->open(json, &scope, tag);
	if (opened[number].state == NULL)
		(void)fprintf(stderr, "%s: %s: %s\n", NFS[number].type, err.field, err.message);
	MUST(opened[number].state != NULL);
	json_decref(json);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *args[] = {(*argv)[0], (char[]){"--no-huge"}, (char[]){"-m"}, (char[]){"512"}, (char[]){"--no-pci"},
		(char[]){"--no-telemetry"}, (char[]){"--no-shconf"}, (char[]){"--log-level=error"}, NULL};
	bool tested[64] = {false};

	(void)argc;
	MUST(rte_eal_init(8, args) >= 0);
	for (uint32_t i = 0; i < NF_COUNT; i++) {
		open_one(i);
		for (uint32_t type = 0; NF_TYPES[type] != NULL; type++)
			tested[type] |= NF_TYPES[type] == opened[i].type;
	}
	for (uint32_t type = 0; NF_TYPES[type] != NULL; type++)
		MUST(tested[type]); /* a new type belongs into the list above */
	return 0;
}

/* The buffer begins and ends where the allocation does. */
static struct rte_mbuf *make_packet(const uint8_t *content, size_t have, uint32_t length)
{
	struct rte_mbuf *packet = aligned_alloc(64, sizeof(*packet));
	uint8_t *frame;

	MUST(packet != NULL);
	memset(packet, 0, sizeof(*packet));
	packet->buf_addr = aligned_alloc(64, BUFFER_BYTES);
	MUST(packet->buf_addr != NULL);
	packet->buf_len = BUFFER_BYTES;
	packet->data_off = HEADROOM;
	packet->data_len = (uint16_t)length;
	packet->pkt_len = length;
	packet->nb_segs = 1;
	rte_mbuf_refcnt_set(packet, 1);
	frame = rte_pktmbuf_mtod(packet, uint8_t *);
	for (uint32_t at = 0; at < length; at++)
		frame[at] = have > 0 ? content[at % have] : 0;
	return packet;
}

static void free_packet(struct rte_mbuf *packet)
{
	ASAN_UNPOISON_MEMORY_REGION(packet->buf_addr, BUFFER_BYTES);
	free(packet->buf_addr);
	free(packet);
}

/* For an NF that has no business there. */
static void close_off(struct rte_mbuf *packet)
{
	uint8_t *buffer = packet->buf_addr, *end = rte_pktmbuf_mtod(packet, uint8_t *) + packet->data_len;

	ASAN_POISON_MEMORY_REGION(buffer, packet->data_off);
	ASAN_POISON_MEMORY_REGION(end, (size_t)(buffer + BUFFER_BYTES - end));
}

static void work(uint32_t number, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t keep;

	for (uint32_t i = 0; i < count && number < TUNNEL_IN; i++) /* a VPN works before the frame and behind it */
		close_off(packets[i]);
	keep = opened[number].type->process(opened[number].state, packets, count);
	MUST(count == BURST || keep >> count == 0);
	for (uint32_t i = 0; i < count; i++) {
		ASAN_UNPOISON_MEMORY_REGION(packets[i]->buf_addr, BUFFER_BYTES);
		MUST(packets[i]->data_len >= FRAME_BYTES_MIN && packets[i]->pkt_len == packets[i]->data_len &&
			packets[i]->data_off + packets[i]->data_len <= packets[i]->buf_len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rte_mbuf *packets[BURST];
	uint32_t count = 0, number;

	if (size < 3)
		return 0;
	number = data[0] % NF_COUNT;
	for (size_t at = 1; at + 2 < size && count < BURST; count++) {
		uint32_t length = FRAME_BYTES_MIN + (data[at] | (uint32_t)data[at + 1] << 8) % (PACKET_BYTES_MAX - FRAME_BYTES_MIN + 1);
		size_t have = RTE_MIN(size - at - 2, length);

		packets[count] = make_packet(data + at + 2, have, length);
		at += 2 + have;
	}
	if (count == 0)
		return 0;
	work(number, packets, count);
	if (number == TUNNEL_IN) /* only with its key does anything get past the authentication */
		work(TUNNEL_OUT, packets, count);
	if (opened[number].type->describe != NULL) {
		json_t *out = json_object();

		opened[number].type->describe(opened[number].state, out);
		json_decref(out);
	}
	for (uint32_t i = 0; i < count; i++)
		free_packet(packets[i]);
	return 0;
}
