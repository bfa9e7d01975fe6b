#include "nf/port_pool.h"

#include <netinet/in.h>
#include <rte_bitmap.h>
#include <rte_jhash.h>
#include <rte_malloc.h>

#define PORTS 65536U
#define PROTOCOLS 2U

struct port_pool {
	uint32_t first_address, addresses;
	uint32_t free_ports[PROTOCOLS][POOL_ADDRESSES_MAX];
	struct rte_bitmap *maps[PROTOCOLS][POOL_ADDRESSES_MAX]; /* bit = port, set = free */
	_Alignas(64) uint8_t memory[];
};

static struct rte_bitmap *make_map(uint8_t *memory, uint32_t bytes, uint16_t first, uint16_t last)
{
	struct rte_bitmap *map = rte_bitmap_init(PORTS, memory, bytes);

	for (uint32_t port = first; map != NULL && port <= last; port++)
		rte_bitmap_set(map, port);
	return map;
}

struct port_pool *port_pool_open(const struct prefix *addresses, uint16_t first, uint16_t last)
{
	uint32_t count = 1U << (32 - addresses->length), bytes = rte_bitmap_get_memory_footprint(PORTS);
	struct port_pool *pool = rte_zmalloc(NULL, sizeof(*pool) + (size_t)PROTOCOLS * count * bytes, 64);

	if (pool == NULL)
		return NULL;
	pool->first_address = addresses->address;
	pool->addresses = count;
	for (uint32_t i = 0; i < PROTOCOLS * count; i++) {
		uint32_t which = i / count, address = i % count;

		pool->maps[which][address] = make_map(pool->memory + (size_t)i * bytes, bytes, first, last);
		pool->free_ports[which][address] = (uint32_t)last - first + 1;
	}
	return pool;
}

void port_pool_close(struct port_pool *pool)
{
	rte_free(pool);
}

static uint32_t index_of(uint8_t protocol)
{
	return protocol == IPPROTO_UDP ? 0 : 1;
}

bool port_pool_allocate(struct port_pool *pool, uint8_t protocol, uint32_t inside, uint32_t *address, uint16_t *port)
{
	uint32_t which = index_of(protocol), at = rte_jhash_1word(inside, 0) & (pool->addresses - 1), from = 0;
	uint64_t block = 0;

	for (uint32_t tried = 0; pool->free_ports[which][at] == 0; tried++) {
		if (tried == pool->addresses)
			return false;
		at = (at + 1) & (pool->addresses - 1);
	}
	if (rte_bitmap_scan(pool->maps[which][at], &from, &block) == 0)
		return false;
	*port = (uint16_t)(from + (uint32_t)__builtin_ctzll(block));
	*address = pool->first_address + at;
	rte_bitmap_clear(pool->maps[which][at], *port);
	pool->free_ports[which][at]--;
	return true;
}

void port_pool_release(struct port_pool *pool, uint8_t protocol, uint32_t address, uint16_t port)
{
	uint32_t which = index_of(protocol), at = address - pool->first_address;

	rte_bitmap_set(pool->maps[which][at], port);
	pool->free_ports[which][at]++;
}
