#include "mirrors.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counts.h"

#define LOOK_EVERY_NS 1000000L /* the programs wake nobody up, which would take most of their speed */
#define CHAINS_MAX 256 /* that leave at this host; beyond, the one that has been silent for longest is forgotten */

struct capture {
	uint16_t tag;
	uint32_t wanted, got;
	struct captured *into;
	struct capture *next;
};

struct mirrors {
	struct ring_buffer *ring;
	int counts;
	uint64_t lost;
	struct window *windows[CHAINS_MAX];
	struct capture *captures;
	pthread_mutex_t lock;
	pthread_cond_t captured;
};

uint64_t mirrors_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_TAI, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* NULL without memory: then nothing of a further chain is known. */
static struct window *window_of(struct mirrors *mirrors, uint16_t tag)
{
	int place = 0;

	for (int i = 0; i < CHAINS_MAX; i++) {
		const struct window *window = mirrors->windows[i];

		if (window != NULL && window->tag == tag)
			return mirrors->windows[i];
		if (mirrors->windows[place] != NULL && (window == NULL || window->last_ns < mirrors->windows[place]->last_ns))
			place = i;
	}
	if (mirrors->windows[place] == NULL)
		mirrors->windows[place] = malloc(sizeof(struct window));
	if (mirrors->windows[place] != NULL) {
		memset(mirrors->windows[place], 0, sizeof(struct window));
		mirrors->windows[place]->tag = tag;
	}
	return mirrors->windows[place];
}

static void give_to_captures(struct mirrors *mirrors, uint16_t tag, const struct srv6_mirror *mirror)
{
	for (struct capture *capture = mirrors->captures; capture != NULL; capture = capture->next) {
		struct captured *place = &capture->into[capture->got];

		if (capture->tag != tag || capture->got == capture->wanted)
			continue;
		place->bytes = mirror->bytes;
		memcpy(place->headers, mirror->headers, mirror->bytes);
		if (++capture->got == capture->wanted)
			(void)pthread_cond_broadcast(&mirrors->captured);
	}
}

static int take(void *context, void *data, size_t size)
{
	const struct srv6_mirror *mirror = data;
	struct mirrors *mirrors = context;
	struct srv6_headers headers;
	struct window *window;

	if (size < sizeof(*mirror) || mirror->bytes > sizeof(mirror->headers) ||
		srv6_decode(mirror->headers, mirror->bytes, &headers) != NULL)
		return 0;
	window = window_of(mirrors, headers.tag);
	if (window != NULL)
		window_add(window, &headers, mirror->at_ns, mirrors->lost);
	if (mirrors->captures != NULL)
		give_to_captures(mirrors, headers.tag, mirror);
	return 0;
}

static void *follow(void *argument)
{
	const struct timespec pause = {.tv_nsec = LOOK_EVERY_NS};
	struct mirrors *mirrors = argument;

	for (;;) {
		uint64_t now = mirrors_now_ns();

		(void)pthread_mutex_lock(&mirrors->lock);
		mirrors->lost = counts_sum(mirrors->counts, SRV6_MIRRORS_LOST);
		(void)ring_buffer__consume(mirrors->ring);
		for (int i = 0; i < CHAINS_MAX && mirrors->windows[i] != NULL; i++)
			window_tick(mirrors->windows[i], now, mirrors->lost);
		(void)pthread_mutex_unlock(&mirrors->lock);
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

struct mirrors *mirrors_start(int ring, int counts, struct error *err)
{
	struct mirrors *mirrors = calloc(1, sizeof(*mirrors));
	pthread_condattr_t monotonic;
	pthread_t thread;

	if (mirrors == NULL)
		return fail(err, E_INTERNAL, "", "no memory for windows"), NULL;
	mirrors->counts = counts;
	(void)pthread_mutex_init(&mirrors->lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&mirrors->captured, &monotonic);
	mirrors->ring = ring_buffer__new(ring, take, mirrors, NULL);
	if (mirrors->ring != NULL && pthread_create(&thread, NULL, follow, mirrors) == 0)
		return mirrors;
	(void)fail(err, E_NOT_AVAILABLE, "", "the ring of mirrors cannot be read: %s", strerror(errno));
	ring_buffer__free(mirrors->ring);
	free(mirrors);
	return NULL;
}

void mirrors_each(struct mirrors *mirrors, void (*each)(void *context, struct window *window), void *context)
{
	(void)pthread_mutex_lock(&mirrors->lock);
	for (int i = 0; i < CHAINS_MAX && mirrors->windows[i] != NULL; i++)
		each(context, mirrors->windows[i]);
	(void)pthread_mutex_unlock(&mirrors->lock);
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

uint32_t mirrors_capture(struct mirrors *mirrors, uint16_t tag, uint32_t wanted, uint32_t wait_ms, struct captured *into)
{
	struct capture own = {.tag = tag, .wanted = wanted, .into = into}, **at;
	const struct timespec end = after_ms(wait_ms);

	(void)pthread_mutex_lock(&mirrors->lock);
	own.next = mirrors->captures;
	mirrors->captures = &own;
	while (own.got < wanted && pthread_cond_timedwait(&mirrors->captured, &mirrors->lock, &end) != ETIMEDOUT)
		continue;
	for (at = &mirrors->captures; *at != &own; at = &(*at)->next)
		continue;
	*at = own.next;
	(void)pthread_mutex_unlock(&mirrors->lock);
	return own.got;
}
