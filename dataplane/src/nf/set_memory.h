/*
 * Memory of working sets: mapped for each, since DPDK's heap writes zeros over what it gets back, hundreds of MiB of new
 * pages where they are needed least. Shared with the processes that are forked afterwards; hugepages where DPDK has them.
 */
#ifndef SEXTANT_SET_MEMORY_H
#define SEXTANT_SET_MEMORY_H

#include <stddef.h>

/*
 * Zeros, taken from the system as they are touched (hugepages at once). NULL: there are no so many hugepages, or all
 * sets together would be larger than DPDK's memory, which is what the runner was given.
 */
void *set_memory_take(size_t bytes);

/* What set_memory_take gave for `bytes`; NULL is passed over. */
void set_memory_free(void *memory, size_t bytes);

#endif
