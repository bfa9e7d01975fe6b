/*
 * Which packets of each flow have come: how many are lost, and how many came late. Pure; one thread notes, any may read.
 */
#ifndef SEXTANT_FLOW_ORDER_H
#define SEXTANT_FLOW_ORDER_H

#include <stdatomic.h>
#include <stdint.h>

#define ORDER_WINDOW 64U /* the last packets of a flow of which each is known to have come or not */

struct flow_seen {
	_Atomic uint32_t received, lost, late;
	uint32_t next;   /* the number that comes after the highest */
	uint64_t window; /* bit i: number next - 1 - i has come */
};

enum order { ORDER_NEXT, ORDER_LATE, ORDER_DOUBLED };

struct noted {
	enum order order;
	int32_t lost; /* more packets that are lost now, or one less where a late one came */
};

/* A flow counts from the first packet that came of it. */
struct noted flow_order_note(struct flow_seen *flow, uint32_t sequence);

#endif
