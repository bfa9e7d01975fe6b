/* DPDK's memory: hugepages where there are enough free ones, ordinary shared pages otherwise. Never a device. */
#ifndef SEXTANT_MEMORY_H
#define SEXTANT_MEMORY_H

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PACKETS 16383U /* mbufs of the pool, 2^n - 1 */

/* What DPDK is started with. */
struct memory_settings {
	int core; /* for DPDK's main lcore; the calling thread is not pinned */
	int megabytes;
	bool try_hugepages;
};

struct memory {
	bool hugepages;
	struct rte_mempool *packets;
	size_t stamp_offset; /* of the dynamic mbuf field that holds a packet's stamp */
};

/*
 * What the sink must know about a packet. It lies beside the packet, not in it: NFs change addresses and encrypt
 * payloads, and a replayed packet must stay as it was captured.
 */
struct packet_stamp {
	uint64_t due_at;   /* cycle at which it fell due */
	uint64_t sequence; /* in its chain, from 0 */
	bool replayed;     /* what it holds is a capture's, not the source's */
};

/* Starts DPDK and makes the packet pool; the calling thread keeps its affinity. -1 with `err` filled. */
int memory_start(const struct memory_settings *settings, struct memory *memory, struct error *err);

static inline struct packet_stamp *packet_stamp(const struct memory *memory, struct rte_mbuf *packet)
{
	return RTE_MBUF_DYNFIELD(packet, memory->stamp_offset, struct packet_stamp *);
}

#endif
