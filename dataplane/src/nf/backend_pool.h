/*
 * The backends of a load balancer, which the control process can change while the NF's process works with them. There
 * are two sets in shared memory: bursts read one, a change writes the other and makes it the current one. Before a set
 * is written again, no burst reads it any more. A backend that stays keeps its slot and its serial number; so a
 * connection remembered as (slot, serial) is valid exactly while its backend is in the current set.
 */
#ifndef SEXTANT_BACKEND_POOL_H
#define SEXTANT_BACKEND_POOL_H

#include <jansson.h>

#include "base/config.h"
#include "base/counter.h"
#include "nf/maglev.h"

#define BACKENDS_MAX MAGLEV_BACKENDS_MAX
#define BACKEND_SLOTS (2 * BACKENDS_MAX) /* those that go and those that come in their place */
#define NO_SET 2U

struct backend {
	uint32_t address; /* host byte order */
	uint32_t weight;
};

struct backend_set {
	uint32_t serials[BACKEND_SLOTS]; /* 0: the slot is not in this set */
	uint32_t addresses[BACKEND_SLOTS];
	uint16_t table[]; /* Maglev's: slots */
};

struct backend_pool {
	uint32_t size; /* of the tables */
	uint32_t last_serial;
	_Atomic uint32_t current; /* the set that the next burst reads */
	_Alignas(64) _Atomic uint32_t reading; /* the one that a burst reads now, or NO_SET */
	counter packets[BACKEND_SLOTS];
	struct backend_set *sets[2];
};

/* NULL when there is no memory. `size` is a prime; it has no backends yet. */
struct backend_pool *backend_pool_open(uint32_t size);
void backend_pool_close(struct backend_pool *pool);

/* Makes `count` backends of distinct addresses the current set. -1 with `scope->err` filled: the old ones remain. */
int backend_pool_set(struct backend_pool *pool, const struct scope *scope, const struct backend *backends, uint32_t count);

/* {"10.200.0.1": packets, ...} of the current set. */
json_t *backend_pool_describe(const struct backend_pool *pool);

/* Around every burst, by the NF's process: the set stays unchanged until backend_pool_read_unlock. */
static inline const struct backend_set *backend_pool_read_lock(struct backend_pool *pool)
{
	for (;;) {
		uint32_t which = atomic_load(&pool->current);

		atomic_store(&pool->reading, which);
		if (atomic_load(&pool->current) == which) /* else it may be written already */
			return pool->sets[which];
	}
}

static inline void backend_pool_read_unlock(struct backend_pool *pool)
{
	atomic_store_explicit(&pool->reading, NO_SET, memory_order_release);
}

#endif
