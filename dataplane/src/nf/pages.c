#include "pages.h"

#include <rte_eal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_clear(void *start, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)start, to = from + size;
	uintptr_t first = (from + page - 1) & ~(page - 1), last = to & ~(page - 1);

	/* A hugepage given back would be anyone's: the next write to it could find none, and kill the writer. */
	if (rte_eal_has_hugepages() || first >= last || madvise((void *)first, last - first, MADV_REMOVE) < 0) {
		memset(start, 0, size);
		return;
	}
	memset(start, 0, first - from);
	memset((void *)last, 0, to - last);
}
