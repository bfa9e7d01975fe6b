#include "source/flow_order.h"

static void add(_Atomic uint32_t *figure, int32_t by)
{
	atomic_store_explicit(figure, atomic_load_explicit(figure, memory_order_relaxed) + (uint32_t)by, memory_order_relaxed);
}

static struct noted note_next(struct flow_seen *flow, uint32_t sequence, uint32_t ahead)
{
	flow->window = ahead + 1 < ORDER_WINDOW ? flow->window << (ahead + 1) | 1 : 1;
	flow->next = sequence + 1;
	add(&flow->lost, (int32_t)ahead);
	return (struct noted){ORDER_NEXT, (int32_t)ahead};
}

/* Of one that is older than the window nobody knows whether it came before: it counts as late, not as found again. */
static struct noted note_late(struct flow_seen *flow, uint32_t behind)
{
	struct noted noted = {.order = ORDER_LATE};

	if (behind < ORDER_WINDOW && (flow->window >> behind & 1) != 0)
		return (struct noted){.order = ORDER_DOUBLED};
	add(&flow->late, 1);
	if (behind >= ORDER_WINDOW)
		return noted;
	flow->window |= 1ULL << behind;
	if (atomic_load_explicit(&flow->lost, memory_order_relaxed) == 0)
		return noted; /* from before the first one that came */
	add(&flow->lost, -1);
	noted.lost = -1;
	return noted;
}

struct noted flow_order_note(struct flow_seen *flow, uint32_t sequence)
{
	uint32_t ahead = sequence - flow->next; /* numbers begin anew after 2^32: what is more than half ahead is behind */

	add(&flow->received, 1);
	if (atomic_load_explicit(&flow->received, memory_order_relaxed) == 1)
		ahead = 0;
	if (ahead <= INT32_MAX)
		return note_next(flow, sequence, ahead);
	return note_late(flow, flow->next - 1 - sequence);
}
