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
#include "base/histogram.h"
#include "base/peak.h"
#include "base/wait.h"
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
	struct peak depth;                  /* of `in`, as its consumer found it */
	_Alignas(64) struct nf_totals next; /* what its counters will be after the step in work (group_step.h) */
	struct ring in;                     /* packets in here are this NF's to work on next, however NFs are grouped */
	struct ring returned;               /* filtered packets on their way back to the pool: only traffic frees */
};

/*
 * Where one step of a group leads: absolute values, so that applying it twice is applying it once. It is written down
 * before it is applied; if the process is killed in between, the control process applies it (group_step.h).
 */
struct group_step {
	_Atomic uint32_t valid;
	_Atomic uint32_t begun; /* packets of the burst that NFs work on, from the ring of `entry`; 0: between two bursts */
	uint32_t entry, end; /* the NFs it concerns: from the one whose ring it empties to the last that saw a packet */
	uint32_t in_head, out_tail, returned_tail;
};

/* Consecutive NFs of a chain that run in one process: one NF if the chain is isolated. */
struct group_slot {
	_Alignas(64) struct bell bell;
	counter sleeps;                /* how often it found nothing to do */
	counter busy;                  /* cycles for packets: taking them, working on them, handing them on */
	_Alignas(64) _Atomic uint32_t order; /* raised by control: odd = hold at the next step boundary, even = run */
	uint32_t nf_count;
	struct ring *out; /* the `in` of the NF after the group, or the chain's `sink` */
	struct nf_slot *nfs[CHAIN_NFS_MAX];
	_Alignas(64) _Atomic uint32_t obeyed; /* the last order its process has followed */
	_Alignas(64) struct group_step step;
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
	_Atomic uint32_t paused;        /* set by control: the source offers nothing */
	_Atomic uint32_t seen_paused;   /* what of it the traffic process follows */
	_Atomic uint32_t gap_window;    /* raised by control: `window_gap` begins anew */
	struct source_config sources[2];
	uint32_t nf_count;
	struct nf_slot *nfs[CHAIN_NFS_MAX];
	_Alignas(64) counter offered; /* written by the traffic process */
	counter sent, source_drops, delivered, misordered, damaged;
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
	struct bell traffic_bell, control_bell;
	_Atomic uint32_t traffic_ready; /* set once the traffic process stands on its core */
	_Atomic uint32_t peak_round;    /* raised by each `query` that starts the peaks anew */
	struct chain_slot chains[CHAINS_MAX];
	struct nf_slot nfs[NFS_MAX];
	struct group_slot groups[GROUPS_MAX];
};

/* Zeroed shared memory, or NULL (errno says why). Lives until the last process has ended. */
struct shared *shared_make(void);

#endif
