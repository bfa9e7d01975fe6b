#include "nf/pages.h"

#include <rte_eal.h>
#include <rte_malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct span {
	uintptr_t first, last; /* whole pages */
};

static struct span whole_pages(uintptr_t start, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return (struct span){.first = (start + page - 1) & ~(page - 1), .last = (start + size) & ~(page - 1)};
}

/* Another process could take a hugepage that is returned: the next write would find none and raise SIGBUS. */
static bool return_to_system(struct span span)
{
	return !rte_eal_has_hugepages() && span.first < span.last &&
		madvise((void *)span.first, span.last - span.first, MADV_REMOVE) == 0;
}

void pages_clear(void *start, size_t size)
{
	uintptr_t from = (uintptr_t)start, to = from + size;
	struct span span = whole_pages(from, size);

	if (!return_to_system(span)) {
		memset(start, 0, size);
		return;
	}
	memset(start, 0, span.first - from);
	memset((void *)span.last, 0, to - span.last);
}

void pages_populate(struct rte_hash *keys, void *start, size_t size)
{
	rte_hash_reset(keys);
	memset(start, 0, size);
}
