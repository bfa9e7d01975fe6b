#include "check.h"
#include "traffic/pacing.h"

#define HZ 1000000000ULL /* a cycle a nanosecond */
#define MS 1000000ULL

static void start(struct pacer *pacer, double packets_per_second)
{
	struct arrivals_config config = {.step_count = 1, .steps = {{1, packets_per_second}}};

	pacer_start(pacer, &config, HZ, 0);
}

static uint32_t take_all(struct pacer *pacer)
{
	uint64_t due_at;
	uint32_t count, total = 0;

	while ((count = pacer_take(pacer, 32, &due_at)) > 0)
		total += count;
	return total;
}

/* 0.1 Mpps, one look a millisecond: 100 packets a look, 100,000 in a second. */
static void the_rate_is_kept(void)
{
	struct pacer pacer;
	uint64_t dropped, due = 0, taken = 0;

	start(&pacer, 1e5);
	CHECK(pacer_next(&pacer) == MS);
	for (uint64_t t = 1; t <= 1000; t++) {
		due += pacer_advance(&pacer, t * MS, &dropped);
		CHECK(dropped == 0);
		taken += take_all(&pacer);
	}
	CHECK(due >= 99999 && due <= 100000); /* the last packet may hang on rounding */
	CHECK(taken == due);
}

/* 333 packets a second: the fractions of a packet are carried, none is lost in an hour of looks. */
static void fractions_are_carried(void)
{
	struct pacer pacer;
	uint64_t dropped, due = 0;

	start(&pacer, 333);
	for (uint64_t t = 1; t <= 3600; t++) {
		due += pacer_advance(&pacer, t * 1000 * MS, &dropped);
		(void)take_all(&pacer);
	}
	CHECK(due >= 333 * 3600 - 1 && due <= 333 * 3600);
}

/* Nothing is taken: of 3 x 10000 packets the backlog holds 16384, the rest is dropped; then everything is. */
static void a_full_backlog_drops(void)
{
	struct pacer pacer;
	uint64_t dropped, total = 0;

	start(&pacer, 1e7);
	for (uint64_t t = 1; t <= 3; t++) {
		CHECK(pacer_advance(&pacer, t * MS, &dropped) == 10000);
		total += dropped;
	}
	CHECK(total == 3 * 10000 - PACER_BACKLOG);
	CHECK(pacer.backlog == PACER_BACKLOG);
	CHECK(pacer_advance(&pacer, 1003 * MS, &dropped) == 10000000);
	CHECK(dropped == 10000000);
	CHECK(take_all(&pacer) == PACER_BACKLOG);
	CHECK(pacer.backlog == 0);
}

/* Waiting in the backlog counts: a packet keeps the time it fell due, oldest first. */
static void packets_keep_their_due_time(void)
{
	struct pacer pacer;
	uint64_t dropped, due_at = 0;

	start(&pacer, 1e5); /* 100 a millisecond */
	CHECK(pacer_advance(&pacer, MS, &dropped) == 100);
	CHECK(pacer_advance(&pacer, 2 * MS, &dropped) == 100);
	CHECK(pacer_take(&pacer, 40, &due_at) == 40 && due_at == MS);
	CHECK(pacer_take(&pacer, 320, &due_at) == 60 && due_at == MS);
	CHECK(pacer_take(&pacer, 320, &due_at) == 100 && due_at == 2 * MS);
	CHECK(pacer_take(&pacer, 32, &due_at) == 0);
}

/* More batches than places: the youngest place takes them in, no packet is lost or made up. */
static void many_batches_stay_counted(void)
{
	struct pacer pacer;
	uint64_t dropped, due = 0;

	start(&pacer, 7e4);
	for (uint64_t t = 1; t <= 3 * PACER_BATCHES; t++)
		due += pacer_advance(&pacer, t * MS, &dropped);
	CHECK(due >= 3 * 70 * PACER_BATCHES - 1 && due < PACER_BACKLOG); /* 13,440 */
	CHECK(take_all(&pacer) == due);
}

/* Few wake-ups where little is sent, none where nothing is; short ticks keep a tick's packets few. */
static void ticks_follow_the_rate(void)
{
	struct pacer pacer;
	uint64_t dropped;

	start(&pacer, 10);
	CHECK(pacer_next(&pacer) == 100 * MS);
	start(&pacer, 1e3);
	CHECK(pacer_next(&pacer) == 10 * MS);
	start(&pacer, 1e4); /* 64 packets take 6.4 ms */
	CHECK(pacer_next(&pacer) == 64 * MS / 10);
	start(&pacer, 1e5);
	CHECK(pacer_next(&pacer) == MS);
	start(&pacer, 0);
	CHECK(pacer_next(&pacer) == PACER_NEVER);
	CHECK(pacer_advance(&pacer, 1000 * MS, &dropped) == 0 && dropped == 0);
	start(&pacer, 148.8e6);
	CHECK(pacer_next(&pacer) == MS / 4);
}

/* Paused from the 10th to the 500th millisecond: 100 packets are owed a millisecond, none for the pause. */
static void a_pause_owes_nothing(void)
{
	struct pacer pacer;
	uint64_t dropped;

	start(&pacer, 1e5);
	CHECK(pacer_advance(&pacer, 10 * MS, &dropped) == 1000);
	pacer_resume(&pacer, 500 * MS);
	CHECK(pacer_next(&pacer) == 501 * MS);
	CHECK(pacer_advance(&pacer, 500 * MS, &dropped) == 0 && pacer.backlog == 1000);
	CHECK(pacer_advance(&pacer, 502 * MS, &dropped) == 200 && dropped == 0);
	CHECK(take_all(&pacer) == 1200);
}

/* 10 ms of 0.1 Mpps, 10 ms of nothing; paused after 5 ms: the other 5 ms of the burst, 500 packets, come after the pause. */
static void a_pause_does_not_shorten_a_burst(void)
{
	struct arrivals_config config = {.step_count = 2, .steps = {{0.010, 1e5}, {0.010, 0}}};
	struct pacer pacer;
	uint64_t dropped;

	pacer_start(&pacer, &config, HZ, 0);
	CHECK(pacer_advance(&pacer, 5 * MS, &dropped) == 500);
	pacer_resume(&pacer, 503 * MS);
	CHECK(pacer_advance(&pacer, 518 * MS - 1, &dropped) == 500 && dropped == 0);
	CHECK(pacer_advance(&pacer, 520 * MS, &dropped) == 200); /* the next round began at 518 ms */
}

/* A source that sends nothing stays silent when it is resumed. */
static void a_silent_source_stays_silent(void)
{
	struct pacer pacer;

	pacer_stop(&pacer);
	pacer_resume(&pacer, 500 * MS);
	CHECK(pacer_next(&pacer) == PACER_NEVER);
}

int main(void)
{
	the_rate_is_kept();
	fractions_are_carried();
	a_full_backlog_drops();
	packets_keep_their_due_time();
	many_batches_stay_counted();
	ticks_follow_the_rate();
	a_pause_owes_nothing();
	a_pause_does_not_shorten_a_burst();
	a_silent_source_stays_silent();
	return 0;
}
