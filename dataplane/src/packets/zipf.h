/*
 * Zipf-distributed numbers: rank k of 1..n is drawn with a probability proportional to 1 / k^exponent. By
 * rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", ACM TOMACS 6(3), 1996): no table, whatever n is, so nothing has to be built, shared or cached; a
 * table of a million ranks would cost a cache miss a packet.
 */
#ifndef SEXTANT_ZIPF_H
#define SEXTANT_ZIPF_H

#include <stdint.h>

struct zipf {
	uint32_t count;
	double exponent;
	double area_first, area_last; /* H(1.5) - 1 and H(n + 0.5): the uniform number's range */
	double sure;                  /* a rank this near to the inverted point is accepted at once */
};

/* `count` is at least 1, `exponent` more than 0. */
void zipf_make(struct zipf *zipf, uint32_t count, double exponent);

/* A rank from 0 (the likeliest) to count - 1. */
uint32_t zipf_next(const struct zipf *zipf, uint64_t *random);

#endif
