/* Headers that somebody waits for. Under the lock of the rings (rings.h). */
#ifndef SEXTANT_SRV6_CAPTURES_H
#define SEXTANT_SRV6_CAPTURES_H

#include <pthread.h>
#include <stdint.h>

#include "bpf/values.h"

#define CAPTURED_MAX 100

struct captured {
	uint16_t bytes;
	uint8_t headers[SRV6_BYTES_MAX];
};

struct capture;

struct captures {
	struct capture *first;
	pthread_cond_t over;
};

void captures_open(struct captures *captures);
void captures_give(struct captures *captures, uint16_t tag, const struct srv6_mirror *mirror);
/* Takes the next `wanted` (CAPTURED_MAX at most) of a chain, or as many as come within `wait_ms`: how many. */
uint32_t captures_take(struct captures *captures, pthread_mutex_t *held, uint16_t tag, uint32_t wanted, uint32_t wait_ms,
	struct captured *into);

#endif
