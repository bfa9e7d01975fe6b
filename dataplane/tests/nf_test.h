/* What the tests of NF types share: DPDK in this process, opening and refusing, crafted packets. */
#ifndef SEXTANT_NF_TEST_H
#define SEXTANT_NF_TEST_H

#include <rte_eal.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "frame.h"
#include "nf/nf.h"

#define POOL_PACKETS 255U

static struct rte_mempool *pool;

/* Ordinary memory, no devices; a pool of packets. */
static inline void start_dpdk(char *program)
{
	char *args[] = {program, (char[]){"--no-huge"}, (char[]){"-m"}, (char[]){"256"}, (char[]){"--no-pci"},
		(char[]){"--no-telemetry"}, (char[]){"--no-shconf"}, NULL};

	CHECK(rte_eal_init(7, args) >= 0);
	pool = rte_pktmbuf_pool_create("packets", POOL_PACKETS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	CHECK(pool != NULL);
}

static inline void *open_nf(const struct nf_type *type, const char *config)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);
	static unsigned tag_number;
	char tag[16];
	void *state;

	CHECK(json != NULL);
	(void)snprintf(tag, sizeof(tag), "%u", ++tag_number);
	state = type->open(json, &scope, tag);
	if (state == NULL)
		(void)fprintf(stderr, "%s: %s\n", err.field, err.message);
	CHECK(state != NULL);
	json_decref(json);
	return state;
}

static inline void refuses(const struct nf_type *type, const char *config, const char *field)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);

	CHECK(json != NULL && type->open(json, &scope, "refused") == NULL);
	(void)fprintf(stderr, "refused as it should be: %s: %s\n", err.field, err.message);
	CHECK(strcmp(err.code, E_BAD_CONFIG) == 0 && strcmp(err.field + strlen("nfs.0.config"), field) == 0);
	json_decref(json);
}

/* A frame of a source, of `bytes`. */
static inline struct rte_mbuf *sized_packet(uint32_t bytes, uint8_t protocol, uint32_t src, uint32_t dst,
	uint16_t dst_port)
{
	struct source_config config = {.packet_bytes = bytes, .flows = 1, .src = {src, 32}, .dst = {dst, 32},
		.protocol = protocol, .dst_port = dst_port};
	struct frame_template frame;
	struct rte_mbuf *made = rte_pktmbuf_alloc(pool);

	CHECK(made != NULL);
	frame_template_make(&frame, &config);
	frame_write(&frame, flow_at(&config, 0), 0, (uint8_t *)rte_pktmbuf_append(made, (uint16_t)bytes));
	return made;
}

static inline struct rte_mbuf *packet(uint8_t protocol, uint32_t src, uint32_t dst, uint16_t dst_port)
{
	return sized_packet(64, protocol, src, dst, dst_port);
}

static inline struct rte_mbuf *udp_to(uint32_t dst, uint16_t port)
{
	return packet(IPPROTO_UDP, 0x0a000001, dst, port);
}

static inline struct rte_ipv4_hdr *ip_of(struct rte_mbuf *made)
{
	return rte_pktmbuf_mtod_offset(made, struct rte_ipv4_hdr *, sizeof(struct rte_ether_hdr));
}

/* A frame of a source whose payload is `text`, and nothing else. */
static inline struct rte_mbuf *packet_with(uint8_t protocol, uint16_t dst_port, const void *text, uint32_t length)
{
	uint32_t header = protocol == IPPROTO_UDP ? 42 : 54;
	struct rte_mbuf *made = sized_packet(RTE_MAX(64U, header + length), protocol, 0x0a000001, 0xc0a80001, dst_port);

	memset(rte_pktmbuf_mtod_offset(made, uint8_t *, header), 0, made->data_len - header);
	memcpy(rte_pktmbuf_mtod_offset(made, uint8_t *, header), text, length);
	return made;
}

/* Passes `packet` through the NF `times` times in a process of its own, that ends: as NFs run, one after the other. */
static inline void process_in_a_child(const struct nf_type *type, void *state, struct rte_mbuf *packet, int times)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		for (int i = 0; i < times; i++)
			if (type->process(state, &packet, 1) != 1)
				_exit(1);
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

/* One figure of what an instance describes. */
static inline json_int_t described(const struct nf_type *type, const void *state, const char *key)
{
	json_t *out = json_object();
	json_int_t value;

	type->describe(state, out);
	CHECK(json_is_integer(json_object_get(out, key)));
	value = json_integer_value(json_object_get(out, key));
	json_decref(out);
	return value;
}

#endif
