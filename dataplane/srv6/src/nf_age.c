#include "nf_age.h"

uint64_t nf_oldest_ns(const struct srv6_nf_state *state, uint64_t now_ns)
{
	uint64_t since = state->busy_since_ns > state->returned_at_ns ? state->busy_since_ns : state->returned_at_ns;

	if (state->given <= state->returned || now_ns <= since)
		return 0;
	if (now_ns > state->given_at_ns && now_ns - state->given_at_ns > SRV6_AGE_MAX_NS)
		return 0; /* whatever was given may no longer be given back */
	return now_ns - since;
}

int nf_queue_packets(const struct srv6_nf_state *state, uint64_t now_ns)
{
	const uint32_t epoch = SRV6_QUEUE_EPOCH(now_ns), was = SRV6_QUEUE_EPOCH_OF(state->queue);
	const uint32_t now = SRV6_QUEUE_NOW_OF(state->queue), before = SRV6_QUEUE_BEFORE_OF(state->queue);

	if (was == epoch)
		return (int)(now > before ? now : before);
	return SRV6_QUEUE_FOLLOWS(was, epoch) ? (int)now : -1;
}
