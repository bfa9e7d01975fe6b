/* How long an NF of this host had its packets, window by window. Pure, and as window.h. */
#ifndef SEXTANT_SRV6_NF_WINDOW_H
#define SEXTANT_SRV6_NF_WINDOW_H

#include "bpf/values.h"
#include "latencies.h"
#include "window_table.h"

/* What is copied out, to be shown. */
struct nf_figures {
	uint64_t number; /* of the last closed window; 0: none yet */
	uint64_t closed_at_ns;
	uint32_t packets;
	struct latencies latency;
};

struct nf_window {
	struct window_head head; /* by the NF's number */
	uint32_t count; /* of packets in the open one */
	uint64_t first_ns;
	uint32_t samples[WINDOW_PACKETS];
	struct nf_figures closed;
	struct latency_totals totals; /* since they were last cleared */
};

void nf_window_add(struct nf_window *window, const struct srv6_return *given_back);
void nf_window_tick(struct nf_window *window, uint64_t now_ns);

#endif
