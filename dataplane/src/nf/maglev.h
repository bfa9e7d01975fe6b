/*
 * Maglev's lookup table: "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016, section 3.4.
 * Every backend has a permutation of all places, from two hashes of its identity; the backends take turns to claim the
 * next free place of theirs until all are taken. Places differ by at most one turn between backends (balance), and one
 * that goes leaves most places of the others where they were (little disruption).
 */
#ifndef SEXTANT_MAGLEV_H
#define SEXTANT_MAGLEV_H

#include <stdint.h>

#define MAGLEV_BACKENDS_MAX 256U

struct maglev_backend {
	uint32_t identity; /* another one, another permutation */
	uint32_t weight;   /* turns relative to the others; 1 and more */
	uint16_t value;    /* what the table says for it */
};

/*
 * Fills `size` places, a prime, for `count` backends: 1 to MAGLEV_BACKENDS_MAX, and no more than there are places.
 * They take turns in the order given.
 */
void maglev_fill(uint16_t *table, uint32_t size, const struct maglev_backend *backends, uint32_t count);

/* Where in a table of `size` places a packet's hash leads: by its high bits, without a division. */
static inline uint32_t maglev_lookup(uint32_t hash, uint32_t size)
{
	return (uint32_t)((uint64_t)hash * size >> 32);
}

#endif
