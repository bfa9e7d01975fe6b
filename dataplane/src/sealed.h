/*
 * What the sink can check of a packet that arrives encrypted (ESP), as the last NF that touched it was a VPN's near end.
 * Its content cannot be seen: the header's checksum and length and the order of the clear ESP sequence numbers can.
 */
#ifndef SEXTANT_SEALED_H
#define SEXTANT_SEALED_H

#include <stdbool.h>
#include <stdint.h>

struct sealed_order {
	bool known;
	uint32_t spi, expected; /* the lowest number of this association that may still arrive in order */
};

enum sealed { SEALED_IN_ORDER, SEALED_MISORDERED, SEALED_DAMAGED };

/* Whether it is ESP in IPv4 at all; its checksum and length are not looked at. */
bool sealed_is(const uint8_t *frame, uint32_t length);

/* `verify`: the IPv4 checksum too. Another SPI is another association, with numbers of its own. */
enum sealed sealed_check(struct sealed_order *order, const uint8_t *frame, uint32_t length, bool verify);

#endif
