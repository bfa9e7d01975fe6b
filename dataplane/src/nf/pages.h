/* Giving the pages of large tables back to the system. */
#ifndef SEXTANT_PAGES_H
#define SEXTANT_PAGES_H

#include <stddef.h>

/*
 * Writes zeros over `size` bytes of DPDK's memory. Without hugepages whole pages are given back instead: they read as
 * zeros and take no memory until they are written again.
 */
void pages_clear(void *start, size_t size);

/* rte_free of a large block of `size` bytes, which without hugepages would keep its pages. NULL: nothing. */
void pages_free(void *start, size_t size);

#endif
