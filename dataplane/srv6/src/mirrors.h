/* The ring of mirrors, read every millisecond by a thread: into windows by chain, and into captures that somebody waits for. */
#ifndef SEXTANT_SRV6_MIRRORS_H
#define SEXTANT_SRV6_MIRRORS_H

#include "bpf/values.h"
#include "codes.h"
#include "window.h"

#define CAPTURED_MAX 100

struct mirrors;

/* From the maps `ring` and `counts`. NULL: said in `err`. It stays until the process ends. */
struct mirrors *mirrors_start(int ring, int counts, struct error *err);

/* Over the windows of all chains, while the thread waits. */
void mirrors_each(struct mirrors *mirrors, void (*each)(void *context, struct window *window), void *context);

struct captured {
	uint16_t bytes;
	uint8_t headers[SRV6_BYTES_MAX];
};

/* Takes the next `wanted` (CAPTURED_MAX at most) of a chain, or as many as come within `wait_ms`: how many. */
uint32_t mirrors_capture(struct mirrors *mirrors, uint16_t tag, uint32_t wanted, uint32_t wait_ms, struct captured *into);

/* CLOCK_TAI, as packets are stamped. */
uint64_t mirrors_now_ns(void);

#endif
