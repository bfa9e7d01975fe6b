/* Which frames of a capture enter a chain whose match is of IPv6, and which stay outside. */
#ifndef SEXTANT_INGRESS_MATCH_H
#define SEXTANT_INGRESS_MATCH_H

#include "packets/source_config.h"

enum ingress_class {
	INGRESS_MATCHED,
	INGRESS_UNMATCHED, /* other addresses, protocol or port, another EtherType, or a fragment, which shows no port */
	INGRESS_MALFORMED, /* no whole IPv6 packet */
};

/* `config` is of IPv6. */
enum ingress_class ingress_classify(const struct source_config *config, const uint8_t *frame, uint32_t length);

/*
 * Leaves those of a replay that match; the others are counted with the packet behind them, and with the last one those
 * at the end. -1, and the replay as it was, where none matches.
 */
int ingress_filter(const struct source_config *config, struct replay *replay);

#endif
