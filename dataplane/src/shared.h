/*
 * What the control process, the traffic process and the NFs share: one mapping made before the first fork, of fixed
 * size. Every counter has ONE writer; the control process only reads it. The packets lie in DPDK's own shared memory.
 */
#ifndef SEXTANT_SHARED_H
#define SEXTANT_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "ring.h"
#include "source_config.h"
#include "wait.h"

#define CHAINS_MAX 32
#define NFS_MAX 96
#define CHAIN_NFS_MAX 32
#define PACKETS 16383U /* mbufs of the pool, 2^n - 1 */

typedef _Atomic uint64_t counter;

static inline void counter_add(counter *c, uint64_t by) /* by its only writer */
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

static inline uint64_t counter_read(counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/*
 * Where one step of an NF leads: absolute values, so that applying it twice is applying it once. It is written down
 * before it is applied; if the process is killed in between, the control process applies it (nf_process.h).
 */
struct nf_step {
	_Atomic uint32_t valid;
	uint32_t in_head, out_tail, returned_tail;
	uint64_t rx, tx, drops, filtered, cycles;
};

struct nf_slot {
	_Alignas(64) counter rx; /* written by the NF's process */
	counter tx, drops, filtered, cycles;
	_Alignas(64) struct nf_step step;
	_Alignas(64) struct bell bell;
	_Atomic uint32_t ready; /* set by the process once it stands on its core */
	struct ring *out;       /* the next NF's `in`, or the chain's `sink` */
	struct ring in;
	struct ring returned; /* filtered packets on their way back to the pool: only the traffic process frees */
};

enum chain_state {
	CHAIN_FREE,     /* control may set the slot up */
	CHAIN_ACTIVE,   /* source and sink run */
	CHAIN_DRAINING, /* the sink runs, the source has stopped */
	CHAIN_FLUSHING, /* its NFs are gone: traffic frees what is left in the rings, then the slot */
};

struct chain_slot {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t wanted_source; /* number of the newest source; its place is sources[number % 2] */
	_Atomic uint32_t state_seen;    /* the last state the traffic process has acted on */
	_Atomic uint32_t seen_source;   /* the newest source the traffic process has taken up */
	struct source_config sources[2];
	uint32_t nf_count;
	struct nf_slot *nfs[CHAIN_NFS_MAX];
	_Alignas(64) counter offered; /* written by the traffic process */
	counter sent, source_drops, delivered, misordered, damaged;
	counter delivered_bytes, latency_sum_ns, latency_min_ns, latency_max_ns; /* min is of nothing until one has arrived */
	counter returned; /* filtered packets that are back in the pool */
	counter lost;     /* found in the rings when flushing */
	counter latency[HISTOGRAM_BUCKETS];
	struct ring sink;
};

struct shared {
	struct bell traffic_bell, control_bell;
	_Atomic uint32_t traffic_ready; /* set once the traffic process stands on its core */
	struct chain_slot chains[CHAINS_MAX];
	struct nf_slot nfs[NFS_MAX];
};

/* Zeroed shared memory, or NULL (errno says why). Lives until the last process has ended. */
struct shared *shared_make(void);

#endif
