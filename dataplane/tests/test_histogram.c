#include "base/histogram.h"
#include "check.h"

/* Bucket i counts [bound(i - 1), bound(i)). */
static void edges_fall_into_their_buckets(void)
{
	for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
		uint64_t bound = histogram_bound(i);

		CHECK(histogram_bucket(bound - 1) == i);
		CHECK(histogram_bucket(bound) == i + 1);
	}
	CHECK(histogram_bucket(0) == 0);
	CHECK(histogram_bucket(UINT64_MAX) == HISTOGRAM_BOUNDS);
}

/* 1024 ns is the first value above the linear part: its bucket is [1024, 1056), 32 / 1024 = 3.1 % wide. */
static void buckets_are_narrow_from_a_microsecond(void)
{
	CHECK(histogram_bound(0) == 32);
	CHECK(histogram_bound(31) == 1024);
	CHECK(histogram_bound(32) == 1056);
	CHECK(histogram_bound(HISTOGRAM_BOUNDS - 1) == 1ULL << 32);
	for (uint32_t i = 32; i < HISTOGRAM_BOUNDS; i++) {
		uint64_t low = histogram_bound(i - 1), width = histogram_bound(i) - low;

		CHECK(width > 0);
		CHECK((double)width <= 0.05 * (double)low);
	}
}

int main(void)
{
	edges_fall_into_their_buckets();
	buckets_are_narrow_from_a_microsecond();
	return 0;
}
