#include "base/region.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096U
#define BLOCKS_MAX 128U /* twice the chains and more: a chain has an old and a new one for a moment */

struct block { /* in pages */
	size_t first, count;
};

static struct {
	uint8_t *base;
	size_t pages;
	uint32_t used; /* pieces, by rising address */
	struct block blocks[BLOCKS_MAX];
} region;

int region_open(size_t bytes)
{
	void *base;

	region.pages = bytes / PAGE;
	if (region.pages == 0)
		return 0;
	base = mmap(NULL, region.pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		region.pages = 0;
		return -1;
	}
	region.base = base;
	return 0;
}

/* The first gap that is wide enough: where piece number `*at` would stand. */
static bool find_gap(size_t count, uint32_t *at, size_t *first)
{
	*first = 0;
	for (*at = 0; *at < region.used; (*at)++) {
		if (region.blocks[*at].first - *first >= count)
			return true;
		*first = region.blocks[*at].first + region.blocks[*at].count;
	}
	return region.pages - *first >= count;
}

void *region_alloc(size_t bytes)
{
	size_t count = bytes / PAGE + 1, first;
	uint32_t at;

	if (region.used == BLOCKS_MAX || !find_gap(count, &at, &first))
		return NULL;
	memmove(region.blocks + at + 1, region.blocks + at, (region.used - at) * sizeof(region.blocks[0]));
	region.blocks[at] = (struct block){.first = first, .count = count};
	region.used++;
	return region.base + first * PAGE;
}

void region_free(const void *memory)
{
	for (uint32_t i = 0; i < region.used; i++) {
		struct block *block = &region.blocks[i];
		uint8_t *start = region.base + block->first * PAGE;

		if (start != memory)
			continue;
		/* MADV_DONTNEED would only unmap pages of shared memory; this gives them back, and they read as zero. */
		if (madvise(start, block->count * PAGE, MADV_REMOVE) < 0)
			memset(start, 0, block->count * PAGE);
		memmove(block, block + 1, (--region.used - i) * sizeof(*block));
		return;
	}
}

size_t region_free_bytes(void)
{
	size_t taken = 0;

	for (uint32_t i = 0; i < region.used; i++)
		taken += region.blocks[i].count;
	return (region.pages - taken) * PAGE;
}
