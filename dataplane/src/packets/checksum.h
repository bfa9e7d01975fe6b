/* The Internet checksum (RFC 1071) as sums of 16-bit words that can be added up before they are folded. */
#ifndef SEXTANT_CHECKSUM_H
#define SEXTANT_CHECKSUM_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t checksum_fold(uint64_t sum)
{
	sum = (sum & 0xffffffffU) + (sum >> 32);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* The folded sum of the words in network order; a last odd byte counts as a word's first. Summed in the machine's order
 * four bytes at a time, which the compiler makes vectors of: the sum does not depend on the order (RFC 1071, 2 (B)). */
static inline uint64_t checksum_sum(const uint8_t *bytes, uint32_t length)
{
	uint32_t word, last = 0;
	uint64_t sum = 0;
	uint32_t at = 0;

	for (; at + 4 <= length; at += 4) {
		memcpy(&word, bytes + at, sizeof(word));
		sum += word;
	}
	memcpy(&last, bytes + at, length - at);
	return be16toh(checksum_fold(sum + last));
}

#endif
