#include "source/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ULL
#define SENDS 32U             /* packets a call */
#define SHORTEST_NS 100000ULL /* ten thousand wake-ups a second: what falls due in between leaves together */
#define LONGEST_NS 10000000ULL /* a change waits no longer */
#define IDLE_NS NS_PER_SECOND
#define BACKLOG_MAX 16384U /* as a runner's source holds back */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

void sender_change(struct sender *sender, struct change *change)
{
	struct change *former = atomic_exchange(&sender->next, NULL);

	if (former != NULL) {
		if (change->source == NULL)
			change->source = former->source;
		else
			stamped_source_free(former->source);
		free(former);
	}
	atomic_store(&sender->next, change);
	eventcount_signal(&sender->events);
}

bool sender_is_settled(const struct sender *sender)
{
	return atomic_load(&sender->next) == NULL;
}

static void take_change(struct sender *sender)
{
	struct change *change = atomic_exchange(&sender->next, NULL);

	if (change == NULL)
		return;
	if (change->source != NULL) {
		stamped_source_free(sender->source);
		sender->source = change->source;
	}
	sender->source->packets.config.packets_per_second = change->config.packets_per_second;
	sender->last_ns = clock_ns(CLOCK_MONOTONIC);
	arrivals_start(&sender->arrivals, &change->config.arrivals, NS_PER_SECOND, sender->last_ns);
	free(change);
}

uint64_t sender_deadline(const struct arrivals *arrivals)
{
	const struct schedule *schedule = &arrivals->schedule;
	const struct schedule_step *step = &schedule->steps[schedule->at];
	uint64_t edge = schedule->count > 1 ? schedule->origin + step->end : UINT64_MAX, longest = schedule->last + LONGEST_NS;
	uint64_t deadline = longest;
	double wait;

	if (step->packets_per_cycle > 0) {
		/* In expected packets until the next one: of a Poisson process that is drawn already. */
		wait = (arrivals->kind == ARRIVALS_POISSON ? arrivals->carried : 1 - arrivals->carried) / step->packets_per_cycle;
		if (wait < (double)LONGEST_NS)
			deadline = schedule->last + (uint64_t)wait + 1;
	}
	if (deadline < schedule->last + SHORTEST_NS)
		deadline = schedule->last + SHORTEST_NS;
	return deadline < edge ? deadline : edge;
}

static void sleep_until(uint64_t deadline)
{
	struct timespec until = {.tv_sec = (time_t)(deadline / NS_PER_SECOND), .tv_nsec = (long)(deadline % NS_PER_SECOND)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Times of packets that fell due between two looks lie evenly between them: what waited, waited from then on. */
struct due {
	uint64_t from_ns, span_ns, count;
};

static void send_burst(struct sender *sender, const struct due *due, uint64_t first, uint32_t count)
{
	static uint8_t frames[SENDS][PACKET_BYTES_MAX];
	struct mmsghdr messages[SENDS];
	struct iovec parts[SENDS];
	uint64_t bytes = 0;
	uint32_t sent;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t at_ns = due->from_ns + (uint64_t)((double)due->span_ns * (double)(first + i + 1) / (double)due->count);

		parts[i] = (struct iovec){frames[i], stamped_source_write(sender->source, at_ns, frames[i])};
		memcpy(frames[i], sender->ether, sizeof(sender->ether));
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
	}
	sent = packet_port_send(&sender->port, messages, count);
	for (uint32_t i = 0; i < count; i++)
		bytes += messages[i].msg_len; /* 0: it was not sent */
	counter_add(&sender->sent, sent);
	counter_add(&sender->sent_bytes, bytes);
	counter_add(&sender->unsent, count - sent);
}

static void send_due(struct sender *sender)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), to_tai = clock_ns(CLOCK_TAI) - now;
	struct due due = {.from_ns = sender->last_ns + to_tai, .span_ns = now - sender->last_ns};
	uint64_t first = 0;

	due.count = arrivals_advance(&sender->arrivals, now);
	sender->last_ns = now;
	counter_add(&sender->offered, due.count);
	if (due.count > BACKLOG_MAX) {
		first = due.count - BACKLOG_MAX;
		counter_add(&sender->source_drops, first);
	}
	for (uint32_t count; first < due.count; first += count) {
		count = due.count - first < SENDS ? (uint32_t)(due.count - first) : SENDS;
		send_burst(sender, &due, first, count);
	}
}

void sender_run(struct sender *sender)
{
	(void)prctl(PR_SET_TIMERSLACK, 1UL); /* else a sleep ends up to 50 us late */
	for (;;) {
		uint32_t seen = eventcount_read(&sender->events);

		take_change(sender);
		if (sender->source == NULL || sender->source->packets.config.packets_per_second <= 0) {
			eventcount_wait(&sender->events, seen, IDLE_NS);
			continue;
		}
		sleep_until(sender_deadline(&sender->arrivals));
		send_due(sender);
	}
}
