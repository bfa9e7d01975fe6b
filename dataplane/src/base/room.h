/* How much memory is left, and who was killed for want of it: by the host's account and that of memory groups (cgroups). */
#ifndef SEXTANT_ROOM_H
#define SEXTANT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the kernel could give to this process without ending somebody, by every limit that it shows. */
uint64_t room_bytes(void);

/*
 * Whether the kernel has killed a process of this one's memory group for want of memory since this was last asked: for
 * whoever has just found a child killed. Of the first call the answer says nothing.
 */
bool room_claim_kill(void);

/* The next two read what the kernel writes, for room.c and its test. `key` and a number in a line; `fallback`: none. */
uint64_t room_figure(FILE *file, const char *key, uint64_t fallback);
/* The path of the memory group in /proc/self/cgroup: of version 1 where it has the memory controller. -1: none. */
int room_group(FILE *file, char *path, size_t room);

#endif
