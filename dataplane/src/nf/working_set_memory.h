/*
 * Memory of working sets: mapped for each, since DPDK's heap writes zeros over what it gets back, hundreds of MiB of new
 * pages where they are needed least. Shared with the processes that are forked afterwards; hugepages where DPDK has them.
 */
#ifndef SEXTANT_WORKING_SET_MEMORY_H
#define SEXTANT_WORKING_SET_MEMORY_H

#include <stddef.h>

/*
 * Zeros, taken from the system as they are touched (hugepages at once). NULL: there are no so many hugepages, or all
 * sets together would be larger than DPDK's memory, which is what the runner was given.
 */
void *working_set_allocate(size_t bytes);

/* Frees what working_set_allocate returned for `bytes`; NULL is ignored. */
void working_set_free(void *memory, size_t bytes);

#endif
