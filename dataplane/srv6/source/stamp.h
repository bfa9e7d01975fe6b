/*
 * What the source writes at the begin of each payload and the sink reads there: 20 bytes, so that a 64-byte frame of IPv4 has room.
 * In network order: magic u16, stream u16, flow u32, sequence u32 (of the flow, from 0), time u64 (ns of CLOCK_TAI).
 */
#ifndef SEXTANT_STAMP_H
#define SEXTANT_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#define STAMP_BYTES 20U

struct stamp {
	uint16_t stream; /* another one whenever flows or packets of the source have changed */
	uint32_t flow, sequence;
	uint64_t at_ns;
};

/* Writes it; returns the sum of its 16-bit words (packets/checksum.h). */
uint64_t stamp_write(const struct stamp *stamp, uint8_t *out);

/* Finds it in a frame that may be anything: behind IPv4 or IPv6 and UDP or TCP. False: there is none. */
bool stamp_read(const uint8_t *frame, uint32_t length, struct stamp *stamp);

#endif
