#include "rings.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "counts.h"

/* The programs wake nobody up, which would take most of their speed. Where nothing has come for a while, it may wait: a ring holds more
 * than comes in the longest pause. A host without traffic wakes twenty times a second, not a hundred: that is most of what it costs. */
#define LOOK_EVERY_NS 1000000L
#define LOOK_RARELY_NS 10000000L
#define LOOK_IDLY_NS 50000000L
#define LOOKS_TO_RARELY 1000
#define LOOKS_TO_IDLY (LOOKS_TO_RARELY + 1000) /* 11 s without a packet */

struct rings {
	struct ring_buffer *reader;
	int counts;
	uint64_t lost;
	struct window_table chains, nfs;
	struct captures captures;
	pthread_mutex_t lock;
};

static int take_mirror(void *context, void *data, size_t size)
{
	const struct srv6_mirror *mirror = data;
	struct rings *rings = context;
	struct srv6_headers headers;
	struct window *window;

	if (size < sizeof(*mirror) || mirror->bytes > sizeof(mirror->headers) ||
		srv6_decode(mirror->headers, mirror->bytes, &headers) != NULL)
		return 0;
	window = (struct window *)window_table_get(&rings->chains, headers.tag, sizeof(*window));
	if (window != NULL)
		window_add(window, &headers, mirror->at_ns, rings->lost);
	captures_give(&rings->captures, headers.tag, mirror);
	return 0;
}

static int take_return(void *context, void *data, size_t size)
{
	const struct srv6_return *given_back = data;
	struct rings *rings = context;
	struct nf_window *window;

	if (size < sizeof(*given_back))
		return 0;
	window = (struct nf_window *)window_table_get(&rings->nfs, given_back->nf, sizeof(*window));
	if (window != NULL)
		nf_window_add(window, given_back);
	return 0;
}

/* Whether something had come. */
static bool look(struct rings *rings)
{
	const uint64_t tai = clock_ns(CLOCK_TAI), monotonic = clock_ns(CLOCK_MONOTONIC);
	int came;

	rings->lost = counts_sum(rings->counts, SRV6_MIRRORS_LOST);
	came = ring_buffer__consume(rings->reader);
	for (int i = 0; i < WINDOWS_MAX && rings->chains.windows[i] != NULL; i++)
		window_tick((struct window *)rings->chains.windows[i], tai, rings->lost);
	for (int i = 0; i < WINDOWS_MAX && rings->nfs.windows[i] != NULL; i++)
		nf_window_tick((struct nf_window *)rings->nfs.windows[i], monotonic);
	return came != 0;
}

static struct timespec pause_after(int in_vain)
{
	if (in_vain < LOOKS_TO_RARELY)
		return (struct timespec){.tv_nsec = LOOK_EVERY_NS};
	return (struct timespec){.tv_nsec = in_vain < LOOKS_TO_IDLY ? LOOK_RARELY_NS : LOOK_IDLY_NS};
}

static void *follow(void *argument)
{
	struct rings *rings = argument;
	int in_vain = 0;

	for (;;) {
		struct timespec pause;

		(void)pthread_mutex_lock(&rings->lock);
		in_vain = look(rings) ? 0 : in_vain + (in_vain < LOOKS_TO_IDLY);
		(void)pthread_mutex_unlock(&rings->lock);
		pause = pause_after(in_vain);
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

struct rings *rings_start(int mirrors, int returns, int counts, struct error *err)
{
	struct rings *rings = calloc(1, sizeof(*rings));
	pthread_t thread;

	if (rings == NULL)
		return fail(err, E_INTERNAL, "", "no memory for windows"), NULL;
	rings->counts = counts;
	(void)pthread_mutex_init(&rings->lock, NULL);
	captures_open(&rings->captures);
	rings->reader = ring_buffer__new(mirrors, take_mirror, rings, NULL);
	if (rings->reader != NULL && ring_buffer__add(rings->reader, returns, take_return, rings) == 0 &&
		pthread_create(&thread, NULL, follow, rings) == 0)
		return rings;
	(void)fail(err, E_NOT_AVAILABLE, "", "the rings cannot be read: %s", strerror(errno));
	ring_buffer__free(rings->reader);
	free(rings);
	return NULL;
}

void rings_each_chain(struct rings *rings, void (*each)(void *context, struct window *window), void *context)
{
	(void)pthread_mutex_lock(&rings->lock);
	for (int i = 0; i < WINDOWS_MAX && rings->chains.windows[i] != NULL; i++)
		each(context, (struct window *)rings->chains.windows[i]);
	(void)pthread_mutex_unlock(&rings->lock);
}

bool rings_read_nf(struct rings *rings, uint32_t nf, struct nf_figures *figures, struct latency_totals *totals)
{
	struct nf_window *window;

	(void)pthread_mutex_lock(&rings->lock);
	window = (struct nf_window *)window_table_find(&rings->nfs, nf);
	if (window != NULL) {
		*figures = window->closed;
		if (totals != NULL) {
			*totals = window->totals;
			memset(&window->totals, 0, sizeof(window->totals));
		}
	}
	(void)pthread_mutex_unlock(&rings->lock);
	return window != NULL;
}

uint32_t rings_capture(struct rings *rings, uint16_t tag, uint32_t wanted, uint32_t wait_ms, struct captured *into)
{
	uint32_t got;

	(void)pthread_mutex_lock(&rings->lock);
	got = captures_take(&rings->captures, &rings->lock, tag, wanted, wait_ms, into);
	(void)pthread_mutex_unlock(&rings->lock);
	return got;
}
