/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* H.Encaps.INT: what comes in at a tenant's port is looked at, wrapped, and sent to the first segment of its path. */
#ifndef SEXTANT_SRV6_EDGE_H
#define SEXTANT_SRV6_EDGE_H

#include "guard.h"

#define HOP_LIMIT 64
#define COLLECTED (SRV6_HAS_DEVICE | SRV6_HAS_TIME | SRV6_HAS_LATENCY | SRV6_HAS_COUNTER)

static __always_inline void write_outer(struct outer *outer, const struct srv6_path *path, __u32 payload_bytes, __u8 inner_header,
	__u32 label)
{
	__u32 last = path->count - 1;

	outer->version_and_class = 0x60;
	outer->label[0] = label >> 16 & 15;
	outer->label[1] = label >> 8;
	outer->label[2] = label;
	outer->payload_bytes = bpf_htons(payload_bytes);
	outer->next_header = SRV6_NEXT_ROUTING;
	outer->hop_limit = HOP_LIMIT;
	copy_address(&outer->source, &path->source);
	copy_address(&outer->destination, &path->segments[0]);
	outer->inner_header = inner_header;
	outer->length = 2 * last + 3;
	outer->type = SRV6_ROUTING_TYPE;
	outer->left = outer->last = last;
	outer->flags = SRV6_FLAG_INT;
	outer->tag = bpf_htons(path->tag);
}

/* Entry 0 is the last segment. */
static __always_inline long write_entries(const struct headers *headers, const struct srv6_path *path, __u32 segments)
{
	struct tlv *tlv = lying_at(headers, SRV6_AT_TLV(segments), sizeof(*tlv));

	for (__u32 i = 0; i < SRV6_SEGMENTS_MAX && i < segments; i++) {
		struct srv6_address *entry = lying_at(headers, SRV6_AT_ENTRY(i), SRV6_SEGMENT_BYTES);
		__u64 from = segments - 1 - i;

		asm volatile("%0 &= %1" : "+r"(from) : "i"(SRV6_SEGMENTS_MAX - 1)); /* for the verifier; the compiler knows it */
		if (!entry)
			return -1;
		copy_address(entry, &path->segments[from]);
	}
	if (!tlv)
		return -1;
	tlv->type = SRV6_TLV_TYPE;
	tlv->length = SRV6_TLV_LENGTH;
	tlv->map_info = bpf_htons(COLLECTED);
	tlv->detection_ns = 0;
	return 0;
}

static __always_inline int wrap(struct __sk_buff *skb, const struct srv6_path *path, __u8 inner_header, __u32 label)
{
	__u32 segments = path->count;
	struct srv6_segment next = {};
	struct headers headers;
	struct ethhdr *ethernet;
	struct outer *outer;

	if (segments == 0 || segments > SRV6_SEGMENTS_MAX)
		return refuse(SRV6_NO_PATH);
	if (skb->len - ETH_HLEN + SRV6_BYTES(segments) > path->mtu)
		return refuse(SRV6_TOO_LARGE);
	if (bpf_skb_adjust_room(skb, SRV6_BYTES(segments), BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_ENCAP_L3_IPV6) < 0)
		return refuse(SRV6_INTERNAL);
	headers = headers_of(skb);
	ethernet = headers.start;
	outer = headers.start + ETH_HLEN;
	if ((void *)(outer + 1) > headers.end)
		return refuse(SRV6_INTERNAL);
	ethernet->h_proto = bpf_htons(ETH_P_IPV6);
	write_outer(outer, path, skb->len - ETH_HLEN - SRV6_AT_SRH, inner_header, label);
	if (write_entries(&headers, path, segments) < 0)
		return refuse(SRV6_INTERNAL);
	count(SRV6_WRAPPED);
	next.tag = path->tag;
	copy_address(&next.sid, &path->segments[0]);
	return send_to(skb, ethernet, &next, 0);
}

SEC("tc")
int srv6_edge(struct __sk_buff *skb)
{
	struct headers headers = headers_of(skb);
	const struct ethhdr *ethernet = headers.start;
	__u32 port = skb->ifindex, cause;
	struct inner inner = {.mixed = 2166136261U};
	struct srv6_path *path;
	__u8 inner_header, is_local = 0;

	if (is_of_another_socket(skb))
		return refuse(SRV6_FOREIGN_SOCKET);
	if (skb->vlan_present)
		return refuse(SRV6_VLAN);
	if ((void *)(ethernet + 1) > headers.end)
		return refuse(SRV6_ETHERTYPE);
	switch (bpf_ntohs(ethernet->h_proto)) {
	case ETH_P_ARP:
		return TO_THE_KERNEL;
	case ETH_P_IP:
		inner_header = SRV6_NEXT_IPV4;
		cause = guard_ipv4(&headers, &inner);
		break;
	case ETH_P_IPV6:
		inner_header = SRV6_NEXT_IPV6;
		cause = guard_ipv6(skb, &headers, &inner, &is_local);
		break;
	default:
		return refuse(SRV6_ETHERTYPE);
	}
	if (cause)
		return refuse(cause);
	if (is_local)
		return TO_THE_KERNEL;
	if (skb->gso_size)
		return refuse(SRV6_OFFLOAD); /* several packets in one: each wants headers of its own */
	path = bpf_map_lookup_elem(&srv6_paths, &port);
	return path ? wrap(skb, path, inner_header, flow_hash(skb, &inner) & 0xfffff) : refuse(SRV6_NO_PATH);
}

#endif
