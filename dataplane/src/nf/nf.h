/*
 * One NF type. Its tables are built in the control process before the fork, in DPDK's shared memory, and freed there
 * after the process's death: a killed NF can neither leak a table nor die holding the heap's lock.
 *
 * Everything that `process` changes and a later packet needs lies there too (rte_malloc, rte_hash, ...): when NFs are grouped
 * anew, another process goes on with the same state, and the heap of the first one is not in it. What the heap may hold is
 * what `open` has built and nobody changes, and scratch space of one call.
 */
#ifndef SEXTANT_NF_H
#define SEXTANT_NF_H

#include <jansson.h>
#include <rte_mbuf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/random.h"

#define BURST 32U

struct nf_type {
	const char *name;
	/*
	 * Whether `process` may see a packet twice and the second time leads to the same: so of types that write nothing
	 * into packets. A killed NF's burst is worked on again where all NFs it met are such, and is otherwise dropped.
	 */
	bool repeatable;
	/* Builds an instance from its configuration; `tag` is unique. NULL with `scope->err` filled on refusal. */
	void *(*open)(const json_t *config, const struct scope *scope, const char *tag);
	/* Works on `count` (1 to BURST) packets; bit i of the answer says whether packet i goes on. In the NF's process. */
	uint32_t (*process)(void *state, struct rte_mbuf **packets, uint32_t count);
	/*
	 * The library's own work on the same tables and packets, and nothing else: the limit that `process` can reach; for
	 * benches, on generated UDP packets, which it may spoil. Its answer keeps the compiler from leaving work out. NULL:
	 * the type has no library.
	 */
	uint32_t (*primitive)(void *state, struct rte_mbuf **packets, uint32_t count);
	/*
	 * Takes up a changed configuration while the NF runs, in the control process; NULL: this type cannot. -1 with
	 * `scope->err` filled: nothing has changed.
	 */
	int (*configure)(void *state, const json_t *config, const struct scope *scope);
	/* Adds figures of the type's own to `out`; may be NULL. In the control process, while the NF runs. */
	void (*describe)(const void *state, json_t *out);
	void (*close)(void *state);
};

extern const struct nf_type NF_BASIC_MONITOR, NF_BUBBLE, NF_DPI, NF_FIREWALL, NF_LOAD_BALANCER, NF_NAT, NF_NIDS, NF_ROUTER,
	NF_SIMPLE_FORWARD, NF_VPN;

/* The generator of synthetic tables; same seed, same table. */
static inline uint32_t nf_random(uint64_t *state)
{
	return random_u32(state);
}

static inline uint64_t nf_seed(uint64_t seed)
{
	return (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

#endif
