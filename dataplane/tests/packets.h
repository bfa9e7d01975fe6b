/* For tests of NF types: DPDK with a small pool, crafted packets, opening a type and seeing it refuse. */
#ifndef SEXTANT_PACKETS_H
#define SEXTANT_PACKETS_H

#include <netinet/in.h>
#include <rte_eal.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <string.h>

#include "check.h"
#include "nf/nf.h"
#include "packets/frame.h"

static struct rte_mempool *packets_pool;

static inline void packets_start(char *program)
{
	char *args[] = {program, (char[]){"--no-huge"}, (char[]){"-m"}, (char[]){"256"}, (char[]){"--no-pci"},
		(char[]){"--no-telemetry"}, (char[]){"--no-shconf"}, NULL};

	CHECK(rte_eal_init(7, args) >= 0);
	packets_pool = rte_pktmbuf_pool_create("packets", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	CHECK(packets_pool != NULL);
}

/* A test gives back what it took. */
static inline void packets_end(void)
{
	CHECK(rte_mempool_avail_count(packets_pool) == 255);
}

static inline void *open_nf(const struct nf_type *type, const char *config)
{
	static unsigned tag_number;
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);
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

/* Refused with that code, naming `field` behind nfs.0.config, and with `why` in the message. */
static inline void refuses_why(const struct nf_type *type, const char *config, const char *code, const char *field,
	const char *why)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);

	CHECK(json != NULL && type->open(json, &scope, "refused") == NULL);
	(void)fprintf(stderr, "refused as it should be: %s: %s\n", err.field, err.message);
	CHECK(strcmp(err.code, code) == 0 && strcmp(err.field + strlen("nfs.0.config"), field) == 0);
	CHECK(strstr(err.message, why) != NULL);
	json_decref(json);
}

static inline void refuses(const struct nf_type *type, const char *config, const char *field)
{
	refuses_why(type, config, E_BAD_CONFIG, field, "");
}

static inline json_int_t figure(const struct nf_type *type, const void *state, const char *key)
{
	json_t *out = json_object();
	json_int_t value;

	type->describe(state, out);
	value = json_integer_value(json_object_get(out, key));
	json_decref(out);
	return value;
}

/* The packet of 64 bytes with that 5-tuple and sequence number. */
static inline struct rte_mbuf *packet_of(uint8_t protocol, struct flow flow, uint64_t sequence)
{
	struct source_config config = {.packet_bytes = 64, .flows = 1, .protocol = protocol};
	struct rte_mbuf *made = rte_pktmbuf_alloc(packets_pool);
	struct frame_template frame;

	CHECK(made != NULL);
	frame_template_make(&frame, &config);
	frame_write(&frame, flow, sequence, (uint8_t *)rte_pktmbuf_append(made, 64));
	return made;
}

static inline struct rte_mbuf *packet(uint8_t protocol, uint32_t src, uint32_t dst, uint16_t dst_port)
{
	struct source_config config = {.flows = 1, .src = {src, 32}, .dst = {dst, 32}, .dst_port = dst_port};

	return packet_of(protocol, flow_at(&config, 0), 0);
}

static inline struct rte_mbuf *udp_to(uint32_t dst, uint16_t port)
{
	return packet(IPPROTO_UDP, 0x0a000001, dst, port);
}

static inline struct rte_ipv4_hdr *ip_of(struct rte_mbuf *made)
{
	return rte_pktmbuf_mtod_offset(made, struct rte_ipv4_hdr *, sizeof(struct rte_ether_hdr));
}

static inline uint16_t *l4_of(struct rte_mbuf *made)
{
	return (uint16_t *)(ip_of(made) + 1);
}

/* As DPDK computes them anew over the whole packet; in UDP zero says that there is none. */
static inline void checksums_hold(struct rte_mbuf *made)
{
	struct rte_ipv4_hdr *ip = ip_of(made);
	uint16_t *checksum = l4_of(made) + (ip->next_proto_id == IPPROTO_UDP ? 3 : 8), was = *checksum;
	uint16_t ip_was = ip->hdr_checksum;

	ip->hdr_checksum = 0;
	CHECK(rte_ipv4_cksum(ip) == ip_was);
	ip->hdr_checksum = ip_was;
	*checksum = 0;
	CHECK(rte_ipv4_udptcp_cksum(ip, ip + 1) == was || (ip->next_proto_id == IPPROTO_UDP && was == 0));
	*checksum = was;
}

#endif
