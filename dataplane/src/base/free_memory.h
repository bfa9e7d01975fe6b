/* How much memory is free, and whether the kernel killed a process because there was none: of the host and of cgroups. */
#ifndef SEXTANT_FREE_MEMORY_H
#define SEXTANT_FREE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes that this process could still allocate before the OOM killer acts: the least of the host's and all cgroups' limits. */
uint64_t free_memory_bytes(void);

/*
 * Whether the OOM killer has ended a process of this process's cgroup since the last call; for a caller that has just found a
 * child killed. The answer of the first call means nothing.
 */
bool free_memory_claim_oom_kill(void);

/* For free_memory.c and its test: the number behind `key` in the first line that begins with it, or `fallback`. */
uint64_t free_memory_read_figure(FILE *file, const char *key, uint64_t fallback);
/* Reads /proc/self/cgroup: the path of the memory cgroup into `path`. Returns its version, 1 or 2, or -1: none. */
int free_memory_read_cgroup(FILE *file, char *path, size_t capacity);

#endif
