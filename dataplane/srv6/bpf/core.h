/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A port towards other hosts. Packets for a segment of this host go to its NF (End.T.INT), or are mirrored, stripped and
 * handed to the tenant (End.DT.INT); what is for others the kernel routes. */
#ifndef SEXTANT_SRV6_CORE_H
#define SEXTANT_SRV6_CORE_H

#include "frame.h"

/* When the oldest packet that the NF still has was given, is at least as long ago as the later of this and of its last return. What
 * was given longer ago than it may be given back is no longer out. */
static __always_inline void note_given(struct srv6_nf_state *state, __u64 now)
{
	if (state->given == state->returned || now - state->given_at_ns > SRV6_AGE_MAX_NS)
		state->busy_since_ns = now;
	state->given_at_ns = now;
}

/* The used segment becomes what was measured here. While the NF has the packet, the place of the latency holds the time at
 * which it was given: a packet carries its own time, so that any number may be at an NF at once. */
static __always_inline int give(const struct headers *headers, struct outer *outer, const struct srv6_function *function)
{
	struct srv6_nf_state *state = bpf_map_lookup_elem(&srv6_nf_states, &function->nf);
	__u32 segments = (__u32)outer->last + 1, left = outer->left;
	const struct srv6_address *next;
	struct metadata *metadata;
	struct tlv *tlv;
	__u64 now;

	if (!state)
		return refuse(SRV6_UNKNOWN_SEGMENT);
	if (left == 0)
		return refuse(SRV6_SEGMENTS_LEFT);
	if (outer->hop_limit <= 1)
		return refuse(SRV6_HOP_LIMIT);
	if (left >= SRV6_SEGMENTS_MAX || segments > SRV6_SEGMENTS_MAX) /* the verifier has forgotten it */
		return refuse(SRV6_INTERNAL);
	next = lying_at(headers, SRV6_AT_ENTRY(left - 1), sizeof(*next));
	metadata = lying_at(headers, SRV6_AT_ENTRY(left), sizeof(*metadata));
	tlv = lying_at(headers, SRV6_AT_TLV(segments), sizeof(*tlv));
	if (!next || !metadata || !tlv)
		return refuse(SRV6_INTERNAL);
	copy_address(&outer->destination, next);
	outer->left = left - 1;
	outer->hop_limit--;
	tlv->detection_ns = bpf_htonl(state->latency_ns);
	metadata->device = bpf_htons(function->device);
	metadata->queue = 0;
	metadata->in_time_us = bpf_htonl((__u32)(bpf_ktime_get_tai_ns() / 1000));
	now = bpf_ktime_get_ns(); /* after In_Time: no NF has a packet for longer than its segment does */
	metadata->latency_ns = bpf_htonl((__u32)now);
	note_given(state, now);
	metadata->counter = bpf_htonl((__u32)__sync_fetch_and_add(&state->given, 1) + 1);
	count(SRV6_GIVEN);
	return send(headers->start, &function->way);
}

static __always_inline void mirror(struct __sk_buff *skb, __u32 bytes)
{
	struct srv6_mirror *record = bpf_ringbuf_reserve(&srv6_mirrors, sizeof(*record), 0);

	if (!record) {
		count(SRV6_MIRRORS_LOST);
		return;
	}
	record->at_ns = bpf_ktime_get_tai_ns();
	record->frame_bytes = skb->len - bytes;
	record->bytes = bytes;
	record->zero = 0;
	asm volatile("" : "+r"(bytes)); /* the comparison stays with the variable that the verifier then looks at */
	if (bytes > 0 && bytes <= SRV6_BYTES_MAX && read_at(skb, 0, record->headers, bytes) == 0)
		bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	else
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

/* An IPv4 packet may be shorter than an IPv6 header, which one helper would not leave: the other takes 20 bytes first. */
static __always_inline long unwrap(struct __sk_buff *skb, __u32 bytes, __u8 inner_header)
{
	if (inner_header == SRV6_NEXT_IPV4) {
		if (bpf_skb_change_proto(skb, bpf_htons(ETH_P_IP), 0) < 0)
			return -1;
		bytes -= 20;
	}
	return bpf_skb_adjust_room(skb, -(__s32)bytes, BPF_ADJ_ROOM_MAC, 0);
}

static __always_inline int hand_over(struct __sk_buff *skb, const struct headers *headers, const struct outer *outer,
	const struct srv6_function *function)
{
	__u8 inner_header = outer->inner_header, version = inner_header == SRV6_NEXT_IPV4 ? 4 : 6;
	__u32 segments = (__u32)outer->last + 1;
	const __u8 *first;
	struct headers inner;
	struct ethhdr *ethernet;

	if (outer->left != 0)
		return refuse(SRV6_SEGMENTS_LEFT);
	if (segments > SRV6_SEGMENTS_MAX)
		return refuse(SRV6_INTERNAL);
	first = lying_at(headers, SRV6_BYTES(segments), 1);
	if (!first || *first >> 4 != version)
		return refuse(SRV6_MALFORMED);
	mirror(skb, SRV6_BYTES(segments));
	if (unwrap(skb, SRV6_BYTES(segments), inner_header) < 0)
		return refuse(SRV6_INTERNAL);
	inner = headers_of(skb);
	ethernet = inner.start;
	if ((void *)(ethernet + 1) > inner.end)
		return refuse(SRV6_INTERNAL);
	ethernet->h_proto = bpf_htons(version == 4 ? ETH_P_IP : ETH_P_IPV6);
	count(SRV6_UNWRAPPED);
	return send(ethernet, &function->way);
}

SEC("tc")
int srv6_core(struct __sk_buff *skb)
{
	struct headers headers = headers_of(skb);
	struct ethhdr *ethernet = headers.start;
	struct outer *outer = headers.start + ETH_HLEN;
	struct srv6_function *function;
	struct srv6_segment key = {};

	if (is_of_another_socket(skb))
		return refuse(SRV6_FOREIGN_SOCKET);
	if ((void *)(ethernet + 1) > headers.end || ethernet->h_proto != bpf_htons(ETH_P_IPV6))
		return TO_THE_KERNEL;
	if ((void *)outer + SRV6_AT_SRH > headers.end)
		return refuse(SRV6_TRUNCATED);
	if (outer->next_header != SRV6_NEXT_ROUTING)
		return whose(&outer->destination) == SRV6_OWN ? refuse(SRV6_MALFORMED) : TO_THE_KERNEL;
	if ((void *)(outer + 1) > headers.end)
		return refuse(SRV6_TRUNCATED);
	if (skb->vlan_present || !well_formed(skb, &headers, outer))
		return refuse(SRV6_MALFORMED);
	if (!bpf_map_lookup_elem(&srv6_sources, &outer->source))
		return refuse(SRV6_STRANGE_SOURCE);
	key.tag = bpf_ntohs(outer->tag);
	copy_address(&key.sid, &outer->destination);
	function = bpf_map_lookup_elem(&srv6_functions, &key);
	if (!function)
		return whose(&outer->destination) == SRV6_OTHERS ? TO_THE_KERNEL : refuse(SRV6_UNKNOWN_SEGMENT);
	if (skb->gso_size)
		return refuse(SRV6_OFFLOAD); /* joined by the port it came in at (GRO): one measurement for several packets */
	return function->action == SRV6_TO_TENANT ? hand_over(skb, &headers, outer, function) : give(&headers, outer, function);
}

#endif
