#include "nf/working_set_memory.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#define HUGEPAGE (2UL << 20)

static _Atomic size_t taken; /* of ordinary pages; by all sets, in whichever thread they are made and freed */

static size_t heap_bytes(void)
{
	struct rte_malloc_socket_stats stats;
	size_t bytes = 0;

	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++)
		if (rte_malloc_get_socket_stats(socket, &stats) == 0)
			bytes += stats.heap_totalsz_bytes;
	return bytes;
}

static void *map(size_t bytes, int flags)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void *working_set_allocate(size_t bytes)
{
	void *memory = NULL;

	if (rte_eal_has_hugepages())
		return map(RTE_ALIGN_CEIL(bytes, HUGEPAGE), MAP_HUGETLB);
	if (atomic_fetch_add(&taken, bytes) + bytes <= heap_bytes())
		memory = map(bytes, MAP_NORESERVE);
	if (memory == NULL)
		atomic_fetch_sub(&taken, bytes);
	return memory;
}

void working_set_free(void *memory, size_t bytes)
{
	bool hugepages = rte_eal_has_hugepages() != 0;

	if (memory == NULL)
		return;
	(void)munmap(memory, hugepages ? RTE_ALIGN_CEIL(bytes, HUGEPAGE) : bytes);
	if (!hugepages)
		atomic_fetch_sub(&taken, bytes);
}
