/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A port where an NF gives packets back: how long it had each, and on to the next segment. An NF may be broken, or hostile: it
 * gives back only what it was given, within two seconds, and never more than that. */
#ifndef SEXTANT_SRV6_NF_PORT_H
#define SEXTANT_SRV6_NF_PORT_H

#include "frame.h"

#define AGE_MAX_US (SRV6_AGE_MAX_NS / 1000)

/* 0, or why the packet is refused. */
static __always_inline __u32 measure(const struct headers *headers, const struct outer *outer, const struct srv6_nf_port *port)
{
	struct srv6_nf_state *state = bpf_map_lookup_elem(&srv6_nf_states, &port->nf);
	__u32 used = (__u32)outer->left + 1, latency;
	__u64 now = bpf_ktime_get_ns();
	struct srv6_return record = {.at_ns = now, .nf = port->nf};
	struct metadata *metadata;

	if (!state || bpf_ntohs(outer->tag) != port->tag)
		return SRV6_FOREIGN_CHAIN;
	if (used > outer->last || used >= SRV6_SEGMENTS_MAX)
		return SRV6_MALFORMED;
	metadata = lying_at(headers, SRV6_AT_ENTRY(used), sizeof(*metadata));
	if (!metadata)
		return SRV6_MALFORMED;
	if (bpf_ntohs(metadata->device) != port->device)
		return SRV6_FOREIGN_ENTRY;
	latency = (__u32)now - bpf_ntohl(metadata->latency_ns);
	/* The first wraps after 71 minutes, the second after 4.3 seconds. */
	if ((__u32)(bpf_ktime_get_tai_ns() / 1000) - bpf_ntohl(metadata->in_time_us) > AGE_MAX_US || latency > SRV6_AGE_MAX_NS)
		return SRV6_STALE;
	if (__sync_fetch_and_add(&state->returned, 1) >= state->given) {
		__sync_fetch_and_add(&state->returned, -1);
		return SRV6_NEVER_GIVEN;
	}
	state->latency_ns = record.latency_ns = latency;
	state->returned_at_ns = now;
	if (bpf_ringbuf_output(&srv6_returns, &record, sizeof(record), BPF_RB_NO_WAKEUP) < 0)
		count(SRV6_RETURNS_LOST);
	metadata->latency_ns = bpf_htonl(latency);
	return 0;
}

SEC("tc")
int srv6_nf_port(struct __sk_buff *skb)
{
	struct headers headers = headers_of(skb);
	struct ethhdr *ethernet = headers.start;
	struct outer *outer = headers.start + ETH_HLEN;
	__u32 index = skb->ifindex, cause;
	struct srv6_nf_port *port = bpf_map_lookup_elem(&srv6_nf_ports, &index);
	struct srv6_segment next = {};

	if (is_of_another_socket(skb))
		return refuse(SRV6_FOREIGN_SOCKET);
	if (!port || (void *)(outer + 1) > headers.end || ethernet->h_proto != bpf_htons(ETH_P_IPV6) ||
		outer->next_header != SRV6_NEXT_ROUTING)
		return refuse(SRV6_NOT_OF_A_CHAIN);
	if (skb->vlan_present || !well_formed(skb, &headers, outer))
		return refuse(SRV6_MALFORMED);
	if (!bpf_map_lookup_elem(&srv6_sources, &outer->source))
		return refuse(SRV6_STRANGE_SOURCE);
	cause = measure(&headers, outer, port);
	if (cause)
		return refuse(cause);
	count(SRV6_RETURNED);
	next.tag = port->tag;
	copy_address(&next.sid, &outer->destination);
	return send_to(skb, ethernet, &next, SRV6_RETURNED_MARK | (port->nf & ~SRV6_MARK_MASK));
}

#endif
