/*
 * What the control process, the traffic process and the NFs share: one mapping made before the first fork, of fixed
 * size. Every counter has ONE writer; the control process only reads it. The packets lie in DPDK's own shared memory.
 */
#ifndef SEXTANT_SHARED_H
#define SEXTANT_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/counter.h"
#include "base/eventcount.h"
#include "base/histogram.h"
#include "base/peak.h"
#include "packets/source_config.h"
#include "shared/ring.h"

#define CHAINS_MAX 32
#define NFS_MAX 96
#define CHAIN_NFS_MAX 32
#define GROUPS_MAX (NFS_MAX + CHAIN_NFS_MAX) /* while a chain is regrouped, its old and new groups are there */

struct nf_totals {
	uint64_t rx, tx, drops, filtered, cycles;
};

struct nf_slot {
	_Alignas(64) counter rx; /* written by the process the NF runs in */
	counter tx, drops, filtered, cycles;
	struct peak depth;                  /* packets in `in`, at the end of a burst, which still is in it */
	_Alignas(64) struct nf_totals next; /* its counters after the step in progress (group_step.h) */
	struct ring in;                     /* this NF's next packets, however NFs are grouped */
	struct ring returned;               /* filtered packets on their way to the pool: only the traffic process frees */
};

/*
 * Redo record of one step of a group: absolute values, so applying it twice equals applying it once. It is written before it
 * is applied; if the process is killed in between, the control process applies it (group_step.h).
 */
struct group_step {
	_Atomic uint32_t valid;
	_Atomic uint32_t begun; /* packets of the burst in progress, from the ring of `entry`; 0: between two bursts */
	uint32_t entry, end; /* its NFs: from the one whose ring it reads up to, not including, `end` */
	uint32_t in_head, out_tail, returned_tail;
};

/* Consecutive NFs of a chain that run in one process: one NF if the chain is isolated. */
struct group_slot {
	_Alignas(64) struct eventcount events;
	counter sleeps;                /* how often it found nothing to do */
	counter busy;                  /* cycles for packets: taking, processing and passing them on */
	_Alignas(64) _Atomic uint32_t command; /* raised by control: odd = hold before the next step, even = run */
	uint32_t nf_count;
	struct ring *out; /* the `in` of the NF after the group, or the chain's `sink` */
	struct nf_slot *nfs[CHAIN_NFS_MAX];
	_Alignas(64) _Atomic uint32_t acknowledged; /* the last command that its process has followed */
	_Alignas(64) struct group_step step;
};

enum chain_state {
	CHAIN_FREE,     /* control may initialise the slot */
	CHAIN_ACTIVE,   /* source and sink run */
	CHAIN_DRAINING, /* the sink runs, the source has stopped */
	CHAIN_FLUSHING, /* its NFs have ended: traffic frees the packets left in the rings, then the slot */
};

struct chain_slot {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t requested_source; /* number of the newest source, which is sources[number % 2] */
	_Atomic uint32_t applied_state;    /* the last state that the traffic process has applied */
	_Atomic uint32_t applied_source;   /* the newest source that the traffic process has started */
	_Atomic uint32_t paused;        /* set by control: the source offers nothing */
	_Atomic uint32_t applied_paused;   /* the value of `paused` that the traffic process has applied */
	_Atomic uint32_t gap_window;    /* raised by control: `window_gap` starts again at 0 */
	struct source_config sources[2];
	uint32_t nf_count;
	struct nf_slot *nfs[CHAIN_NFS_MAX];
	_Alignas(64) counter offered; /* written by the traffic process */
	counter sent, source_drops, delivered, misordered, damaged;
	counter unmatched, malformed; /* frames of a capture that the match left out */
	counter delivered_bytes, latency_sum_ns, latency_min_ns, latency_max_ns; /* min is of nothing until one has arrived */
	counter returned; /* filtered packets that are back in the pool */
	counter lost;     /* found in the rings when flushing */
	counter last_arrival;    /* cycle at which the sink last took a packet; 0: none since the source last changed */
	struct peak longest_gap; /* us between two arrivals, by rounds of `query` */
	struct peak window_gap;  /* the same, by `gap_window`: around one change of the chain */
	counter latency[HISTOGRAM_BUCKETS];
	struct ring sink;
};

struct shared {
	struct eventcount traffic_events, control_events;
	_Atomic uint32_t traffic_ready; /* set once the traffic process runs on its core */
	_Atomic uint32_t peak_round;    /* raised by each `query` that resets the peaks */
	struct chain_slot chains[CHAINS_MAX];
	struct nf_slot nfs[NFS_MAX];
	struct group_slot groups[GROUPS_MAX];
};

/* Zeroed shared memory, or NULL (errno says why). Lives until the last process has ended. */
struct shared *shared_make(void);

#endif
