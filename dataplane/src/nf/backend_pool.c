#include "nf/backend_pool.h"

#include <rte_malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READER_POLLS 1000 /* a millisecond apart, until no burst reads the old set */

static struct backend_set *make_set(uint32_t size)
{
	return rte_zmalloc(NULL, sizeof(struct backend_set) + size * sizeof(uint16_t), 64);
}

struct backend_pool *backend_pool_open(uint32_t size)
{
	struct backend_pool *pool = rte_zmalloc(NULL, sizeof(*pool), 64);

	if (pool == NULL)
		return NULL;
	pool->size = size;
	atomic_store(&pool->reading, NO_SET);
	pool->sets[0] = make_set(size);
	pool->sets[1] = make_set(size);
	if (pool->sets[0] != NULL && pool->sets[1] != NULL)
		return pool;
	backend_pool_close(pool);
	return NULL;
}

void backend_pool_close(struct backend_pool *pool)
{
	if (pool == NULL)
		return;
	rte_free(pool->sets[0]);
	rte_free(pool->sets[1]);
	rte_free(pool);
}

/* A burst takes microseconds, but its process may wait long for its core. */
static int wait_no_reader(struct backend_pool *pool, const struct scope *scope, uint32_t index)
{
	for (int poll = 0; atomic_load(&pool->reading) == index; poll++) {
		if (poll == READER_POLLS)
			return refuse(scope, "backends", "the NF's process has worked on the same burst for a second; try again");
		(void)usleep(1000);
	}
	return 0;
}

static uint32_t slot_of(const struct backend_set *set, uint32_t address)
{
	for (uint32_t slot = 0; slot < BACKEND_SLOTS; slot++)
		if (set->serials[slot] != 0 && set->addresses[slot] == address)
			return slot;
	return BACKEND_SLOTS;
}

static uint32_t free_slot(const struct backend_set *old, const struct backend_set *new)
{
	uint32_t slot = 0;

	while (old->serials[slot] != 0 || new->serials[slot] != 0) /* two sets never fill all of them */
		slot++;
	return slot;
}

static uint32_t assign_slot(struct backend_pool *pool, const struct backend_set *old, struct backend_set *new, uint32_t address)
{
	uint32_t slot = slot_of(old, address);

	if (slot < BACKEND_SLOTS) {
		new->serials[slot] = old->serials[slot];
	} else {
		slot = free_slot(old, new);
		new->serials[slot] = ++pool->last_serial;
		atomic_store(&pool->packets[slot], 0); /* no burst counts there: it is in no set that is read */
	}
	new->addresses[slot] = address;
	return slot;
}

/* So that every load balancer with these backends, in whatever order they were given, has the same table. */
static int by_address(const void *a, const void *b)
{
	uint32_t left = ((const struct backend *)a)->address, right = ((const struct backend *)b)->address;

	return left < right ? -1 : left > right;
}

static bool has_entry(const struct backend_set *set, uint32_t size, uint16_t slot)
{
	for (uint32_t i = 0; i < size; i++)
		if (set->table[i] == slot)
			return true;
	return false;
}

static int check_entries(const struct backend_pool *pool, const struct scope *scope, const struct backend_set *set,
	const struct maglev_backend *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!has_entry(set, pool->size, members[i].value))
			return refuse(scope, "table_size", "%u entries are too few: a backend of weight %u gets none; choose a larger table",
				pool->size, members[i].weight);
	return 0;
}

int backend_pool_set(struct backend_pool *pool, const struct scope *scope, const struct backend *backends, uint32_t count)
{
	uint32_t index = 1 - atomic_load(&pool->current);
	const struct backend_set *old = pool->sets[1 - index];
	struct backend_set *new = pool->sets[index];
	struct maglev_backend members[BACKENDS_MAX];
	struct backend sorted[BACKENDS_MAX];

	if (wait_no_reader(pool, scope, index) < 0)
		return -1;
	memcpy(sorted, backends, count * sizeof(*backends));
	qsort(sorted, count, sizeof(*sorted), by_address);
	memset(new->serials, 0, sizeof(new->serials));
	for (uint32_t i = 0; i < count; i++)
		members[i] = (struct maglev_backend){.identity = sorted[i].address, .weight = sorted[i].weight,
			.value = (uint16_t)assign_slot(pool, old, new, sorted[i].address)};
	maglev_fill(new->table, pool->size, members, count);
	if (check_entries(pool, scope, new, members, count) < 0)
		return -1;
	atomic_store(&pool->current, index);
	return 0;
}

json_t *backend_pool_describe(const struct backend_pool *pool)
{
	const struct backend_set *set = pool->sets[atomic_load(&pool->current)];
	json_t *out = json_object();

	for (uint32_t slot = 0; slot < BACKEND_SLOTS; slot++) {
		uint32_t address = set->addresses[slot];
		char name[sizeof("255.255.255.255")];

		if (set->serials[slot] == 0)
			continue;
		(void)snprintf(name, sizeof(name), "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
			address & 255);
		json_object_set_new(out, name, json_integer((json_int_t)counter_read(&pool->packets[slot])));
	}
	return out;
}
