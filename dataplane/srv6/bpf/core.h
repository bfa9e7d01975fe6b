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
static __always_inline int give(struct __sk_buff *skb, struct outer *outer, const struct srv6_function *function)
{
	struct srv6_nf_state *state = bpf_map_lookup_elem(&srv6_nf_states, &function->nf);
	__u32 segments = (__u32)outer->last + 1, left = outer->left;
	struct metadata metadata = {.device = bpf_htons(function->device)};
	struct srv6_address next;
	__u64 now;
	__be32 detection;
	__u8 rest[2];

	if (!state)
		return refuse(SRV6_UNKNOWN_SEGMENT);
	if (left == 0)
		return refuse(SRV6_SEGMENTS_LEFT);
	if (outer->hop_limit <= 1)
		return refuse(SRV6_HOP_LIMIT);
	rest[0] = left - 1;
	rest[1] = outer->hop_limit - 1;
	metadata.in_time_us = bpf_htonl((__u32)(bpf_ktime_get_tai_ns() / 1000));
	now = bpf_ktime_get_ns(); /* after In_Time: no NF has a packet for longer than its segment does */
	note_given(state, now);
	metadata.counter = bpf_htonl((__u32)__sync_fetch_and_add(&state->given, 1) + 1);
	metadata.latency_ns = bpf_htonl((__u32)now);
	detection = bpf_htonl(state->latency_ns);
	if (read_at(skb, SRV6_AT_ENTRY(left - 1), &next, sizeof(next)) < 0 ||
		write_at(skb, SRV6_AT_ENTRY(left), &metadata, sizeof(metadata)) < 0 ||
		write_at(skb, SRV6_AT_DESTINATION, &next, sizeof(next)) < 0 || write_at(skb, SRV6_AT_LEFT, &rest[0], 1) < 0 ||
		write_at(skb, SRV6_AT_HOP_LIMIT, &rest[1], 1) < 0 ||
		write_at(skb, SRV6_AT_DETECTION(segments), &detection, sizeof(detection)) < 0)
		return refuse(SRV6_INTERNAL);
	count(SRV6_GIVEN);
	return send(skb, &function->way);
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
	__be16 type = bpf_htons(inner_header == SRV6_NEXT_IPV4 ? ETH_P_IP : ETH_P_IPV6);

	if (inner_header == SRV6_NEXT_IPV4) {
		if (bpf_skb_change_proto(skb, bpf_htons(ETH_P_IP), 0) < 0)
			return -1;
		bytes -= 20;
	}
	if (bpf_skb_adjust_room(skb, -(__s32)bytes, BPF_ADJ_ROOM_MAC, 0) < 0)
		return -1;
	return bpf_skb_store_bytes(skb, 12, &type, sizeof(type), 0);
}

static __always_inline int hand_over(struct __sk_buff *skb, const struct outer *outer, const struct srv6_function *function)
{
	__u32 bytes = SRV6_BYTES((__u32)outer->last + 1);
	__u8 first = 0;

	if (outer->left != 0)
		return refuse(SRV6_SEGMENTS_LEFT);
	if (read_at(skb, bytes, &first, 1) < 0 || first >> 4 != (outer->inner_header == SRV6_NEXT_IPV4 ? 4 : 6))
		return refuse(SRV6_MALFORMED);
	mirror(skb, bytes);
	if (unwrap(skb, bytes, outer->inner_header) < 0)
		return refuse(SRV6_INTERNAL);
	count(SRV6_UNWRAPPED);
	return send(skb, &function->way);
}

SEC("tc")
int srv6_core(struct __sk_buff *skb)
{
	struct srv6_function *function;
	struct srv6_segment key = {};
	struct outer outer;
	__u8 owner;

	if (is_of_another_socket(skb))
		return refuse(SRV6_FOREIGN_SOCKET);
	if (ethertype(skb) != bpf_htons(ETH_P_IPV6))
		return TO_THE_KERNEL;
	if (read_at(skb, 0, &outer, SRV6_AT_SRH) < 0)
		return refuse(SRV6_TRUNCATED);
	owner = whose(&outer.destination);
	if (outer.next_header != SRV6_NEXT_ROUTING)
		return owner == SRV6_OWN ? refuse(SRV6_MALFORMED) : TO_THE_KERNEL;
	if (read_at(skb, 0, &outer, sizeof(outer)) < 0)
		return refuse(SRV6_TRUNCATED);
	if (skb->vlan_present || !well_formed(skb, &outer))
		return refuse(SRV6_MALFORMED);
	if (!bpf_map_lookup_elem(&srv6_sources, &outer.source))
		return refuse(SRV6_STRANGE_SOURCE);
	key.tag = bpf_ntohs(outer.tag);
	key.sid = outer.destination;
	function = bpf_map_lookup_elem(&srv6_functions, &key);
	if (!function)
		return owner == SRV6_OTHERS ? TO_THE_KERNEL : refuse(SRV6_UNKNOWN_SEGMENT);
	return function->action == SRV6_TO_TENANT ? hand_over(skb, &outer, function) : give(skb, &outer, function);
}

#endif
