#include "packets/lane.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

#define BUCKET_SHIFT 52 /* the highest 12 of 64 bits number the buckets */
_Static_assert(LANE_BUCKETS == 1U << (64 - BUCKET_SHIFT), "a bucket for each value of these bits");

/* Exponentially distributed with the weight as its rate; the lane with the least has the bucket. */
static double distance(uint32_t bucket, uint32_t lane, uint32_t weight)
{
	uint64_t random = random_start(bucket, lane);

	return -log(random_unit(&random)) / weight;
}

void lane_make(struct lane *lane, uint32_t number, const uint32_t *weights, uint32_t count)
{
	memset(lane, 0, sizeof(*lane));
	lane->divides = true;
	for (uint32_t bucket = 0; bucket < LANE_BUCKETS; bucket++) {
		double own = distance(bucket, number, weights[number]);
		bool is_least = true;

		for (uint32_t other = 0; other < count && is_least; other++)
			is_least = other == number || own < distance(bucket, other, weights[other]);
		if (is_least)
			lane->own[bucket / 64] |= 1ULL << (bucket % 64);
	}
}

bool lane_has(const struct lane *lane, uint32_t src, uint32_t dst, uint16_t src_port, uint16_t dst_port)
{
	uint64_t hash = random_start((uint64_t)src << 32 | dst, (uint64_t)src_port << 16 | dst_port);
	uint32_t bucket = (uint32_t)(hash >> BUCKET_SHIFT);

	return (lane->own[bucket / 64] >> (bucket % 64) & 1) != 0;
}
