/*
 * Shared memory for what is made after the first fork and read by children that live already: captures to replay.
 * Memory mapped later does not exist in them, so a range is mapped before; the kernel gives pages when they are written
 * and takes them back when they are freed.
 */
#ifndef SEXTANT_REGION_H
#define SEXTANT_REGION_H

#include <stddef.h>

/* Before the first fork. 0 bytes: nothing can be allocated. Returns -1 when the range cannot be mapped. */
int region_open(size_t bytes);

/* By the control process only. NULL: no room (or too many pieces). The memory is zero. */
void *region_alloc(size_t bytes);

/* What region_alloc gave; NULL is passed over. Nobody may read it any more. */
void region_free(const void *memory);

/* Bytes that are not allocated. */
size_t region_room(void);

#endif
