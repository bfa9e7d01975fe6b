/* For tests of NF types that look at whole packets: any size, any payload, and a process of the NF's own. */
#ifndef SEXTANT_PAYLOAD_PACKETS_H
#define SEXTANT_PAYLOAD_PACKETS_H

#include <sys/wait.h>
#include <unistd.h>

#include "packets.h"

/* A frame of a source, of `bytes`. */
static inline struct rte_mbuf *sized_packet(uint32_t bytes, uint8_t protocol, uint32_t src, uint32_t dst,
	uint16_t dst_port)
{
	struct source_config config = {.packet_bytes = bytes, .flows = 1, .src = {src, 32}, .dst = {dst, 32},
		.protocol = protocol, .dst_port = dst_port};
	struct frame_template frame;
	struct rte_mbuf *made = rte_pktmbuf_alloc(packets_pool);

	CHECK(made != NULL);
	frame_template_make(&frame, &config);
	frame_write(&frame, flow_at(&config, 0), 0, (uint8_t *)rte_pktmbuf_append(made, (uint16_t)bytes));
	return made;
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

#endif
