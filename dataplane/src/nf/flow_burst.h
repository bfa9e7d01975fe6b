/* The packets of a burst that an NF works on flow by flow; the others pass or are filtered before. */
#ifndef SEXTANT_FLOW_BURST_H
#define SEXTANT_FLOW_BURST_H

#include "nf/flow_table.h"
#include "nf/nf.h"

struct flow_burst {
	uint32_t count;
	uint32_t packet[BURST]; /* its number in the whole burst */
	struct packet_view view[BURST];
	struct flow_key key[BURST];
	int32_t at[BURST]; /* its flow's place, or negative */
};

/* Whether the NF leaves this packet as it is; `state` is the NF's. */
typedef bool (*flow_burst_passes)(const void *state, const struct packet_view *view);

/* Takes up the packets that do not pass and have ports; returns those that pass. Inlined, and `passes` with it. */
static inline __attribute__((always_inline)) uint32_t flow_burst_sort(struct flow_burst *burst, struct rte_mbuf **packets,
	uint32_t count, flow_burst_passes passes, const void *state)
{
	uint32_t pass = 0;

	burst->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct packet_view *view = &burst->view[burst->count];

		packet_read(packets[i], view);
		if (passes(state, view)) {
			pass |= 1U << i;
		} else if (view->ports != NULL) {
			flow_key_read(view, &burst->key[burst->count]);
			burst->packet[burst->count++] = i;
		}
	}
	return pass;
}

/* Finds the flows of a burst and marks them as seen in this tick, so that none of them is evicted as idle. */
static inline void flow_burst_find(struct flow_burst *burst, struct flow_table *table, uint32_t tick)
{
	flow_table_find_many(table, burst->key, burst->count, burst->at);
	for (uint32_t i = 0; i < burst->count; i++)
		if (burst->at[i] >= 0)
			flow_table_touch(table, burst->at[i], tick);
}

#endif
