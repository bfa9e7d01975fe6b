/* Allocating the pages of large tables before they are used, and returning them to the system. */
#ifndef SEXTANT_PAGES_H
#define SEXTANT_PAGES_H

#include <rte_hash.h>
#include <stddef.h>

/*
 * Writes zeros over `size` bytes of DPDK's memory. Without hugepages whole pages are given back instead: they read as
 * zeros and take no memory until they are written again.
 */
void pages_clear(void *start, size_t size);

/*
 * Touches all of a new hash table and of the `size` bytes that lie beside it: the memory is taken now, or missed, and not when
 * packets come, or when DPDK writes zeros over the table at its end. They stay empty and zero.
 */
void pages_populate(struct rte_hash *keys, void *start, size_t size);

#endif
