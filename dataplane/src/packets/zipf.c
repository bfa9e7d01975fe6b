#include "packets/zipf.h"

#include <math.h>

#include "base/random.h"

#define NEARLY_ZERO 1e-4

/*
 * (e^x - 1) / x and ln(1 + x) / x, by their series near 0, where exponent 1 leads. Away from 0, exp and log are exact to
 * 1e-12 here and far faster than expm1 and log1p.
 */
static double grown(double x)
{
	return fabs(x) > NEARLY_ZERO ? (exp(x) - 1) / x : 1 + x * (1.0 / 2 + x / 6);
}

static double shrunk(double x)
{
	return fabs(x) > NEARLY_ZERO ? log(1 + x) / x : 1 - x * (1.0 / 2 - x / 3);
}

/* The density over real ranks, h(x) = x^-exponent. */
static double density(const struct zipf *zipf, double x)
{
	return exp(-zipf->exponent * log(x));
}

/* Its integral from 1 to x, H(x) = (x^(1 - exponent) - 1) / (1 - exponent), or ln x where the exponent is 1. */
static double area(const struct zipf *zipf, double x)
{
	double logarithm = log(x);

	return grown((1 - zipf->exponent) * logarithm) * logarithm;
}

static double area_inverse(const struct zipf *zipf, double area_to_x)
{
	double t = area_to_x * (1 - zipf->exponent);

	if (t < -1) /* by rounding: 1 + t is x^(1 - exponent) */
		t = -1;
	return exp(shrunk(t) * area_to_x);
}

void zipf_make(struct zipf *zipf, uint32_t count, double exponent)
{
	zipf->count = count;
	zipf->exponent = exponent;
	zipf->area_first = area(zipf, 1.5) - 1;
	zipf->area_last = area(zipf, count + 0.5);
	zipf->sure = 2 - area_inverse(zipf, area(zipf, 2.5) - density(zipf, 2));
}

uint32_t zipf_next(const struct zipf *zipf, uint64_t *random)
{
	for (;;) {
		double u = zipf->area_last + random_unit(random) * (zipf->area_first - zipf->area_last);
		double x = area_inverse(zipf, u);
		uint32_t rank = x >= zipf->count ? zipf->count : x < 1 ? 1 : (uint32_t)(x + 0.5);

		if (rank - x <= zipf->sure || u >= area(zipf, rank + 0.5) - density(zipf, rank))
			return rank - 1;
	}
}
