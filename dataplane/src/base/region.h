/*
 * Shared memory for data that is made after the first fork and read by children that already run: captures to replay. They
 * would not see memory that is mapped later, so one range is mapped in advance. The kernel allocates its pages when they are
 * written; freeing returns them.
 */
#ifndef SEXTANT_REGION_H
#define SEXTANT_REGION_H

#include <stddef.h>

/* Before the first fork. 0 bytes: nothing can be allocated. Returns -1 when the range cannot be mapped. */
int region_open(size_t bytes);

/* By the control process only. NULL: no space, or too many blocks. The memory is zero. */
void *region_alloc(size_t bytes);

/* Frees what region_alloc returned; NULL is ignored. No process may read it any more. */
void region_free(const void *memory);

/* Bytes that are not allocated, perhaps not in one block. */
size_t region_free_bytes(void);

#endif
