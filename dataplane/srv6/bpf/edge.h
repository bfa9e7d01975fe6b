/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* H.Encaps.INT: what comes in at a tenant's port is looked at, wrapped, and sent to the first segment of its path. */
#ifndef SEXTANT_SRV6_EDGE_H
#define SEXTANT_SRV6_EDGE_H

#include "guard.h"

#define HOP_LIMIT 64
#define COLLECTED (SRV6_HAS_DEVICE | SRV6_HAS_TIME | SRV6_HAS_LATENCY | SRV6_HAS_COUNTER)

static __always_inline long write_outer(struct __sk_buff *skb, const struct srv6_path *path, __u8 inner_header, __u32 label)
{
	__u32 last = path->count - 1;
	struct outer outer = {.version_and_class = 0x60, .label = {label >> 16 & 15, label >> 8, label}};

	outer.payload_bytes = bpf_htons(skb->len - ETH_HLEN - SRV6_AT_SRH);
	outer.next_header = SRV6_NEXT_ROUTING;
	outer.hop_limit = HOP_LIMIT;
	outer.source = path->source;
	outer.destination = path->segments[0];
	outer.inner_header = inner_header;
	outer.length = 2 * last + 3;
	outer.type = SRV6_ROUTING_TYPE;
	outer.left = outer.last = last;
	outer.flags = SRV6_FLAG_INT;
	outer.tag = bpf_htons(path->tag);
	return write_at(skb, 0, &outer, sizeof(outer));
}

/* Entry 0 is the last segment. */
static __always_inline long write_entries(struct __sk_buff *skb, const struct srv6_path *path)
{
	struct tlv tlv = {.type = SRV6_TLV_TYPE, .length = SRV6_TLV_LENGTH, .map_info = bpf_htons(COLLECTED)};
	__u32 segments = path->count;

	for (__u32 i = 0; i < SRV6_SEGMENTS_MAX && i < segments; i++)
		if (write_at(skb, SRV6_AT_ENTRY(segments - 1 - i), &path->segments[i], SRV6_SEGMENT_BYTES) < 0)
			return -1;
	return write_at(skb, SRV6_AT_TLV(segments), &tlv, sizeof(tlv));
}

static __always_inline int wrap(struct __sk_buff *skb, const struct srv6_path *path, __u8 inner_header, __u32 label)
{
	__u32 segments = path->count;
	__be16 type = bpf_htons(ETH_P_IPV6);

	if (segments == 0 || segments > SRV6_SEGMENTS_MAX)
		return refuse(SRV6_NO_PATH);
	if (skb->len - ETH_HLEN + SRV6_BYTES(segments) > path->mtu)
		return refuse(SRV6_TOO_LARGE);
	if (bpf_skb_adjust_room(skb, SRV6_BYTES(segments), BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_ENCAP_L3_IPV6) < 0 ||
		bpf_skb_store_bytes(skb, 12, &type, sizeof(type), 0) < 0 || write_outer(skb, path, inner_header, label) < 0 ||
		write_entries(skb, path) < 0)
		return refuse(SRV6_INTERNAL);
	count(SRV6_WRAPPED);
	return send_to(skb, path->tag, &path->segments[0], 0);
}

SEC("tc")
int srv6_edge(struct __sk_buff *skb)
{
	__u32 port = skb->ifindex, cause;
	struct inner inner = {.mixed = 2166136261U};
	struct srv6_path *path;
	__u8 inner_header, is_local = 0;

	if (is_of_another_socket(skb))
		return refuse(SRV6_FOREIGN_SOCKET);
	if (skb->vlan_present)
		return refuse(SRV6_VLAN);
	switch (bpf_ntohs(ethertype(skb))) {
	case ETH_P_ARP:
		return TO_THE_KERNEL;
	case ETH_P_IP:
		inner_header = SRV6_NEXT_IPV4;
		cause = guard_ipv4(skb, &inner);
		break;
	case ETH_P_IPV6:
		inner_header = SRV6_NEXT_IPV6;
		cause = guard_ipv6(skb, &inner, &is_local);
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
