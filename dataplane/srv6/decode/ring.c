#include "decode/ring.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/values.h"
#include "decode/print.h"

#define LOOK_EVERY_MS 1 /* the programs wake nobody up, which would take most of their speed */

static int print_mirror(void *left, void *data, size_t size)
{
	const struct srv6_mirror *mirror = data;
	struct srv6_headers headers;
	const char *why;

	if (size < sizeof(*mirror) || mirror->bytes > sizeof(mirror->headers))
		return 0;
	why = srv6_decode(mirror->headers, mirror->bytes, &headers);
	if (why != NULL) {
		(void)printf("{\"error\": \"%s\"", why);
	} else {
		srv6_print(stdout, &headers);
	}
	(void)printf(", \"at_ns\": %" PRIu64 ", \"frame_bytes\": %u}\n", (uint64_t)mirror->at_ns, mirror->frame_bytes);
	return --*(long *)left > 0 ? 0 : -ECANCELED;
}

static void follow(struct ring_buffer *ring, const long *left, int idle_ms)
{
	const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};

	for (int idle = 0; *left > 0 && idle < idle_ms; idle += LOOK_EVERY_MS) {
		if (ring_buffer__consume(ring) != 0)
			idle = 0;
		(void)nanosleep(&pause, NULL);
	}
}

int ring_print(const char *path, long count, int idle_ms)
{
	int map = bpf_obj_get(path);
	struct ring_buffer *ring = map < 0 ? NULL : ring_buffer__new(map, print_mirror, &count, NULL);

	if (ring == NULL) {
		(void)fprintf(stderr, "%s: no ring of mirrors can be opened there: %s\n", path, strerror(errno));
		return 1;
	}
	follow(ring, &count, idle_ms);
	ring_buffer__free(ring);
	(void)close(map);
	return 0;
}
