/* DPDK's memory: hugepages where there are enough free ones, ordinary shared pages otherwise. Never a device. */
#ifndef SEXTANT_MEMORY_H
#define SEXTANT_MEMORY_H

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "options.h"

struct memory {
	bool hugepages;
	struct rte_mempool *packets;
	size_t stamp_offset; /* of the dynamic mbuf field that holds the cycle at which a packet fell due */
};

/* Starts DPDK and makes the packet pool; the calling thread keeps its affinity. -1 with `err` filled. */
int memory_start(const struct options *options, struct memory *memory, struct error *err);

static inline uint64_t *packet_stamp(const struct memory *memory, struct rte_mbuf *packet)
{
	return RTE_MBUF_DYNFIELD(packet, memory->stamp_offset, uint64_t *);
}

#endif
