/*
 * What the packets of a source carry: zeros, random bytes, or random bytes of which a share of the packets contains one
 * of the given strings, so that a search for patterns has work. Random bytes are cut from one pool whose checksum sums
 * are known, so a packet costs a copy and two look-ups.
 */
#ifndef SEXTANT_PAYLOAD_H
#define SEXTANT_PAYLOAD_H

#include <stdint.h>

#define MATCHES_MAX 32U
#define MATCH_BYTES_MIN 4U /* 1460 random bytes hold a given string of 4 with a chance of 1460 / 2^32 */
#define MATCH_BYTES_MAX 64U

enum payload_kind { PAYLOAD_ZERO, PAYLOAD_RANDOM, PAYLOAD_MATCHES };

struct payload_config {
	enum payload_kind kind;
	double match_share; /* of the packets, 0 to 1 */
	uint32_t match_count;
	struct {
		uint32_t length;
		uint8_t bytes[MATCH_BYTES_MAX];
	} matches[MATCHES_MAX];
};

struct payload {
	const struct payload_config *config;
	uint64_t random;
	uint64_t match_below; /* a 32-bit number below it means a match */
};

/* Fills the pool: once, before payload_write. Same bytes in every process and run. */
void payload_pool_fill(void);

/* `config` must stay. */
void payload_start(struct payload *payload, const struct payload_config *config, uint64_t seed);

/* Writes `length` bytes and returns the sum of their 16-bit words; not for PAYLOAD_ZERO. */
uint64_t payload_write(struct payload *payload, uint8_t *out, uint32_t length);

#endif
