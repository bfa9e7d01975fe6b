/*
 * Packet sizes of a source: shares of up to SIZES_MAX sizes, drawn anew for every packet. Not a fixed order (as the
 * repeated sequence of RFC 6985): that would beat with the flows' order and give each flow one size only.
 */
#ifndef SEXTANT_SIZES_H
#define SEXTANT_SIZES_H

#include <stdint.h>

#include "base/random.h"

#define PACKET_BYTES_MIN 64
#define PACKET_BYTES_MAX 1518
#define SIZES_MAX 16U
#define SIZE_WEIGHT_MAX 1000000U

/*
 * The 'simple IMIX': 64, 594 and 1518 bytes at 7 : 4 : 1, mean 4342 / 12 = 361.8. They are taken as frames without FCS
 * here, as every packet size is, so each is 4 bytes longer on a wire than TRex's (60, 590 and 1514 without FCS).
 */
#define IMIX_SIZES {{64, 7}, {594, 4}, {1518, 1}}

struct size_share {
	uint32_t bytes, weight;
};

struct size_pick {
	uint32_t count, total;
	uint32_t below[SIZES_MAX]; /* sums of weights up to and with each size */
	uint64_t random;
};

#define SIZE_PICK_STREAM 3U

static inline void size_pick_start(struct size_pick *pick, const struct size_share *shares, uint32_t count, uint64_t seed)
{
	pick->count = count;
	pick->total = 0;
	pick->random = random_start(seed, SIZE_PICK_STREAM);
	for (uint32_t i = 0; i < count; i++)
		pick->below[i] = pick->total += shares[i].weight;
}

/* The index of the next packet's size. */
static inline uint32_t size_pick_next(struct size_pick *pick)
{
	uint32_t drawn, index = 0;

	if (pick->count < 2)
		return 0;
	drawn = random_below(&pick->random, pick->total);
	while (drawn >= pick->below[index])
		index++;
	return index;
}

#endif
