#include "captures.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* It lies on the stack of whoever waits. */
struct capture {
	uint16_t tag;
	uint32_t wanted, got;
	struct captured *into;
	struct capture *next;
};

void captures_open(struct captures *captures)
{
	pthread_condattr_t monotonic;

	captures->first = NULL;
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&captures->over, &monotonic);
}

void captures_give(struct captures *captures, uint16_t tag, const struct srv6_mirror *mirror)
{
	for (struct capture *capture = captures->first; capture != NULL; capture = capture->next) {
		struct captured *place = &capture->into[capture->got];

		if (capture->tag != tag || capture->got == capture->wanted)
			continue;
		place->bytes = mirror->bytes;
		memcpy(place->headers, mirror->headers, mirror->bytes);
		if (++capture->got == capture->wanted)
			(void)pthread_cond_broadcast(&captures->over);
	}
}

static struct timespec after_ms(uint32_t milliseconds)
{
	struct timespec end;

	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += milliseconds / 1000;
	end.tv_nsec += (long)(milliseconds % 1000) * 1000000L;
	if (end.tv_nsec >= 1000000000L) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000L;
	}
	return end;
}

uint32_t captures_take(struct captures *captures, pthread_mutex_t *held, uint16_t tag, uint32_t wanted, uint32_t wait_ms,
	struct captured *into)
{
	struct capture own = {.tag = tag, .wanted = wanted, .into = into, .next = captures->first}, **at = &captures->first;
	const struct timespec end = after_ms(wait_ms);

	captures->first = &own;
	while (own.got < wanted && pthread_cond_timedwait(&captures->over, held, &end) != ETIMEDOUT)
		continue;
	while (*at != &own)
		at = &(*at)->next;
	*at = own.next;
	return own.got;
}
