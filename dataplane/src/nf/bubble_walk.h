/*
 * Walking over the cache lines of a working set:
 *   stride  lines a set distance apart, pass after pass until each was touched once: prefetchers follow, bandwidth counts
 *   random  lines that do not depend on each other: many misses at a time
 *   chase   each line says which is next, one cycle through all in random order: one miss at a time, latency counts
 */
#ifndef SEXTANT_BUBBLE_WALK_H
#define SEXTANT_BUBBLE_WALK_H

#include <stdint.h>

#include "base/counter.h"

#define LINE_BYTES 64U
#define WRITE_ALL (1U << 16) /* a write share of 1, in fixed point */

enum pattern { STRIDE, RANDOM, CHASE };

struct line {
	_Alignas(LINE_BYTES) uint64_t next; /* chase: the line after this one */
	uint64_t written;                   /* how often */
};

struct working_set {
	volatile struct line *lines;
	uint32_t count;
	uint32_t stride; /* in lines, at most `count` */
	uint32_t write_share;
	enum pattern pattern;
};

struct walk { /* in shared memory: whichever process walks goes on where the last one stood */
	uint64_t random;
	uint32_t at;  /* line touched last */
	uint32_t due; /* share of a write that is owed */
	counter touched, written;
};

/* Writes every line once, so that all of the memory is there (it may be done in another process), and begins the walk. */
void walk_begin(const struct working_set *set, struct walk *walk);

/* Touches `lines` lines: reads them, and writes the share of them that is to be written, evenly. */
void walk_step(const struct working_set *set, struct walk *walk, uint32_t lines);

#endif
