/* When packets fall due, with the arithmetic written out. A cycle is a nanosecond. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "packets/arrivals.h"

#define HZ 1000000000ULL
#define MS 1000000ULL
#define SECOND 1000000000ULL

/* Looks at the moments the arrivals ask for, up to `until`; the packets of all looks. */
static uint64_t run(struct arrivals *arrivals, uint64_t until)
{
	uint64_t due = 0, looks = 0;

	while (arrivals_next(arrivals) <= until) {
		due += arrivals_advance(arrivals, arrivals_next(arrivals));
		CHECK(++looks < 1000000);
	}
	return due + arrivals_advance(arrivals, until);
}

/* 5 ms at 40 packets/ms, 15 ms silence: in each 20 ms, 200 packets, all in its first quarter. */
static void bursts_keep_their_duty(void)
{
	struct arrivals_config config = {.step_count = 2, .steps = {{5e-3, 40e3}, {15e-3, 0}}};
	struct arrivals arrivals;

	arrivals_start(&arrivals, &config, HZ, 0);
	for (uint64_t round = 0; round < 50; round++) {
		uint64_t begin = round * 20 * MS;

		CHECK(run(&arrivals, begin + 2 * MS) - 80 <= 1);
		CHECK(run(&arrivals, begin + 5 * MS) - 119 <= 2);
		CHECK(run(&arrivals, begin + 19 * MS) <= 1); /* the rounding of one packet, at most */
		CHECK(arrivals_next(&arrivals) == begin + 20 * MS); /* nothing to look at before the next burst */
		CHECK(run(&arrivals, begin + 20 * MS) <= 1);
	}
}

/* 10 s at 1000/s, 5 s at 4000/s: 30,000 in 15 s; half of them in the last third. */
static void a_trace_keeps_its_steps(void)
{
	struct arrivals_config config = {.step_count = 2, .steps = {{10, 1000}, {5, 4000}}};
	struct arrivals arrivals;
	uint64_t first, second;

	arrivals_start(&arrivals, &config, HZ, 0);
	for (uint64_t round = 0; round < 3; round++) {
		first = run(&arrivals, (15 * round + 10) * SECOND);
		second = run(&arrivals, (15 * round + 15) * SECOND);
		CHECK(first >= 9999 && first <= 10001);
		CHECK(second >= 19999 && second <= 20001);
	}
	/* Away for 1000 rounds and 12 s: 1000 x 30,000 + 10,000 + 2 x 4000. */
	first = arrivals_advance(&arrivals, (15 * 1003 + 12) * SECOND);
	CHECK(first >= 30018000 - 2 && first <= 30018000 + 2);
}

/*
 * 100 looks a second at 1000 packets/s: 10 packets expected a look. Of a Poisson process mean and variance are 10. Over
 * n = 100,000 looks the mean's standard error is sqrt(10 / n) = 0.01, the variance's sqrt((10 + 2 x 100) / n) = 0.046;
 * five of them are allowed. Of even arrivals the variance would be near 0.
 */
static void poisson_counts_have_variance_equal_to_mean(void)
{
	struct arrivals_config config = {.kind = ARRIVALS_POISSON, .step_count = 1, .steps = {{1, 1000}}, .seed = 7};
	struct arrivals arrivals;
	double sum = 0, squares = 0, n = 100000, mean, variance;

	arrivals_start(&arrivals, &config, HZ, 0);
	for (uint64_t look = 1; look <= (uint64_t)n; look++) {
		double due = (double)arrivals_advance(&arrivals, look * 10 * MS);

		sum += due;
		squares += due * due;
	}
	mean = sum / n;
	variance = squares / n - mean * mean;
	CHECK(fabs(mean - 10) < 0.05);
	CHECK(fabs(variance - 10) < 0.23);
}

/*
 * At 20 packets/s it is looked at when the next packet comes, but 10 ms after the last look at the soonest. The wait w is
 * max(10, X) ms with X exponential of mean 50: E[w] = 10 + 50 e^(-10/50) = 50.94, so a look finds 50.94 / 50 = 1.019
 * packets; E[w^2] = 10^2 (1 - e^(-10/50)) + e^(-10/50) (10^2 + 2 x 10 x 50 + 2 x 50^2) = 5012, with a standard error of
 * 80 over 20,000 looks. Even gaps would give 50^2 = 2500.
 */
static void slow_poisson_packets_come_one_by_one(void)
{
	struct arrivals_config config = {.kind = ARRIVALS_POISSON, .step_count = 1, .steps = {{1, 20}}, .seed = 3};
	struct arrivals arrivals;
	uint64_t last = 0, packets = 0, looks = 0;
	double squares = 0;

	arrivals_start(&arrivals, &config, HZ, 0);
	for (; looks < 20000; looks++) {
		uint64_t now = arrivals_next(&arrivals), due = arrivals_advance(&arrivals, now);
		double gap = (double)(now - last) / 1e6;

		CHECK(due >= 1); /* no look for nothing */
		packets += due;
		squares += gap * gap;
		last = now;
	}
	CHECK(fabs((double)packets / ((double)last / 1e9) - 20) < 0.7); /* 20,375 packets, standard error 143 */
	CHECK(fabs((double)packets / (double)looks - 1.019) < 0.01);
	CHECK(fabs(squares / (double)looks - 5012) < 400);
}

static void the_same_seed_gives_the_same_packets(void)
{
	struct arrivals_config config = {.kind = ARRIVALS_POISSON, .step_count = 1, .steps = {{1, 1e5}}, .seed = 7};
	struct arrivals one, same, other;
	uint64_t different = 0;

	arrivals_start(&one, &config, HZ, 0);
	arrivals_start(&same, &config, HZ, 5 * SECOND); /* whenever it starts */
	config.seed = 8;
	arrivals_start(&other, &config, HZ, 0);
	for (uint64_t t = MS; t < SECOND; t += MS) {
		uint64_t due = arrivals_advance(&one, t);

		CHECK(arrivals_advance(&same, 5 * SECOND + t) == due);
		different += arrivals_advance(&other, t) != due;
	}
	CHECK(different > 500);
}

/* A source that was away for an hour at 148.8 Mpps: 5.4e11 packets are counted, not drawn one by one. */
static void a_long_absence_costs_no_time(void)
{
	struct arrivals_config config = {.kind = ARRIVALS_POISSON, .step_count = 1, .steps = {{1, 148.8e6}}, .seed = 1};
	struct arrivals arrivals;
	double due;

	arrivals_start(&arrivals, &config, HZ, 0);
	due = (double)arrivals_advance(&arrivals, 3600 * SECOND);
	CHECK(fabs(due - 3600 * 148.8e6) < 2000);
}

/* Packets at 0, 1, 1 and 4 ms; the mean gap of 4/3 ms follows, so a round takes 5.333 ms. */
static void a_file_keeps_its_gaps(void)
{
	static const uint64_t at_ns[] = {0, MS, MS, 4 * MS};
	struct replay *file = calloc(1, sizeof(*file) + 4 * sizeof(file->packets[0]));
	struct arrivals_config config = {.kind = ARRIVALS_FILE, .replay = file};
	struct arrivals arrivals;

	CHECK(file != NULL);
	file->count = 4;
	file->period_ns = 5333333;
	for (uint32_t i = 0; i < 4; i++)
		file->packets[i].at_ns = at_ns[i];
	arrivals_start(&arrivals, &config, HZ, 0);
	CHECK(run(&arrivals, MS / 2) == 1);
	CHECK(run(&arrivals, 3 * MS) == 2);
	CHECK(run(&arrivals, 5 * MS) == 1);
	CHECK(run(&arrivals, 5333333 + MS / 2) == 1);
	CHECK(run(&arrivals, 5333333 + 2 * MS) == 2);
	/* Away for 100 rounds: 400 packets, less the 3 of this round that came already; then again from the first. */
	CHECK(arrivals_advance(&arrivals, 101 * 5333333ULL + MS / 2) == 400 - 3 + 1);
	CHECK(run(&arrivals, 101 * 5333333ULL + 2 * MS) == 2);
	free(file);
}

static void without_a_rate_nothing_comes(void)
{
	struct arrivals_config none = {.step_count = 1, .steps = {{1, 0}}}, poisson = none;
	struct arrivals arrivals;

	poisson.kind = ARRIVALS_POISSON;
	arrivals_start(&arrivals, &none, HZ, 0);
	CHECK(arrivals_next(&arrivals) == SCHEDULE_NEVER && arrivals_advance(&arrivals, SECOND) == 0);
	arrivals_start(&arrivals, &poisson, HZ, 0);
	CHECK(arrivals_next(&arrivals) == SCHEDULE_NEVER && arrivals_advance(&arrivals, SECOND) == 0);
}

int main(void)
{
	bursts_keep_their_duty();
	a_trace_keeps_its_steps();
	poisson_counts_have_variance_equal_to_mean();
	slow_poisson_packets_come_one_by_one();
	the_same_seed_gives_the_same_packets();
	a_long_absence_costs_no_time();
	a_file_keeps_its_gaps();
	without_a_rate_nothing_comes();
	return 0;
}
