/*
 * Which of a source's flows belong to one lane of a chain that runs several times, each time for a part of the flows.
 *
 * Weighted rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM ToN 6(1), 1998;
 * with weights by -ln(u) / weight, which is least for lane k with a probability of its weight over the sum of all): flows fall into
 * buckets by a hash of their 5-tuple, and each bucket to one lane. So every flow has exactly one lane, whoever asks and on
 * whichever host; a lane that is added takes buckets from the others and moves none among them.
 */
#ifndef SEXTANT_LANE_H
#define SEXTANT_LANE_H

#include <stdbool.h>
#include <stdint.h>

#define LANES_MAX 8U
#define LANE_WEIGHT_MAX 16U /* the least share is 1 of 113: a lane draws so many flows for one of its own */
#define LANE_BUCKETS 4096U

struct lane {
	bool divides; /* false: it was not made, and the source sends all flows */
	uint64_t own[LANE_BUCKETS / 64];
};

/* Lane `number` (from 0) of `count` lanes with these weights, each from 1. */
void lane_make(struct lane *lane, uint32_t number, const uint32_t *weights, uint32_t count);

/* By addresses and ports; of a lane that was made. */
bool lane_has(const struct lane *lane, uint32_t src, uint32_t dst, uint16_t src_port, uint16_t dst_port);

#endif
