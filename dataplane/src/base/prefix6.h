/* An IPv6 prefix, as a configuration writes it. */
#ifndef SEXTANT_PREFIX6_H
#define SEXTANT_PREFIX6_H

#include <stdbool.h>
#include <stdint.h>

#define IPV6_ADDRESS_BYTES 16U

struct prefix6 {
	uint8_t address[IPV6_ADDRESS_BYTES]; /* network order, host bits zero */
	uint8_t length;                      /* 0-128 */
};

#define PREFIX6_EXPECTED "an IPv6 prefix such as 2001:db8::/32 is expected"

/* Whether a prefix is meant to be of IPv6, right or wrong: only there stands a colon. */
bool prefix6_is_meant(const char *text);

/* `2001:db8::/32`; an address is a /128. Host bits are cleared. -1 when it is none. */
int prefix6_parse(const char *text, struct prefix6 *out);

/* Whether it holds the address, 16 bytes in network order. */
bool prefix6_holds(const struct prefix6 *prefix, const uint8_t *address);

#endif
