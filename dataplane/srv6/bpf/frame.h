/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reading and sending frames. Offsets of layout.h begin behind the Ethernet header. */
#ifndef SEXTANT_SRV6_FRAME_H
#define SEXTANT_SRV6_FRAME_H

#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>

#include "maps.h"

#define TO_THE_KERNEL TC_ACT_UNSPEC

/* The outer headers: IPv6 and the first 8 bytes of the segment routing header. */
struct outer {
	__u8 version_and_class, label[3];
	__be16 payload_bytes;
	__u8 next_header, hop_limit;
	struct srv6_address source, destination;
	__u8 inner_header, length, type, left, last, flags;
	__be16 tag;
};

struct metadata {
	__be16 device, queue;
	__be32 in_time_us, latency_ns, counter;
};

struct tlv {
	__u8 type, length;
	__be16 map_info;
	__be32 detection_ns;
};

static __always_inline int refuse(__u32 cause)
{
	count(cause);
	return TC_ACT_SHOT;
}

static __always_inline long read_at(struct __sk_buff *skb, __u32 offset, void *to, __u32 bytes)
{
	return bpf_skb_load_bytes(skb, ETH_HLEN + offset, to, bytes);
}

static __always_inline long write_at(struct __sk_buff *skb, __u32 offset, const void *from, __u32 bytes)
{
	return bpf_skb_store_bytes(skb, ETH_HLEN + offset, from, bytes, 0);
}

static __always_inline __be16 ethertype(struct __sk_buff *skb)
{
	__be16 type = 0;

	return bpf_skb_load_bytes(skb, 12, &type, sizeof(type)) < 0 ? 0 : type;
}

static __always_inline int same(const struct srv6_address *a, const struct srv6_address *b)
{
	__u64 left[2], right[2];

	__builtin_memcpy(left, a, sizeof(left));
	__builtin_memcpy(right, b, sizeof(right));
	return left[0] == right[0] && left[1] == right[1];
}

/* One of enum srv6_whose, or 0 for an address that is no segment. */
static __always_inline __u8 whose(const struct srv6_address *address)
{
	struct srv6_prefix key = {.bits = 128, .address = *address};
	__u8 *found = bpf_map_lookup_elem(&srv6_locators, &key);

	return found ? *found : 0;
}

static __always_inline int send(struct __sk_buff *skb, const struct srv6_way *way)
{
	if (bpf_skb_store_bytes(skb, 0, way->to, sizeof(way->to) + sizeof(way->from), 0) < 0)
		return refuse(SRV6_INTERNAL);
	return bpf_redirect(way->port, way->flags & SRV6_WAY_INTO ? BPF_F_INGRESS : 0);
}

/* `mark`: for the program where it goes out of a port (queue.h). */
static __always_inline int send_to(struct __sk_buff *skb, __u16 tag, const struct srv6_address *sid, __u32 mark)
{
	struct srv6_segment key = {.tag = tag, .sid = *sid};
	struct srv6_way *way = bpf_map_lookup_elem(&srv6_ways, &key);

	if (!way)
		return refuse(SRV6_NO_WAY);
	if (!(way->flags & SRV6_WAY_INTO))
		skb->mark = mark;
	return send(skb, way);
}

/* The kernel asks nobody who sends by another interface than a packet socket is bound to. The mark goes no further: what carries
 * one later was not sent through here. */
static __always_inline int is_of_another_socket(struct __sk_buff *skb)
{
	__u32 mark = skb->mark;

	if ((mark & SRV6_MARK_MASK) != SRV6_MARK)
		return 0;
	skb->mark = 0;
	return mark != SRV6_MARK_OF(skb->ifindex);
}

/* Whether the headers are what an edge of ours writes, whatever has become of the entries since. */
static __always_inline int well_formed(struct __sk_buff *skb, const struct outer *outer)
{
	__u32 segments = (__u32)outer->last + 1;
	struct srv6_address current;
	struct tlv tlv;

	if (outer->version_and_class >> 4 != 6 || outer->next_header != SRV6_NEXT_ROUTING || outer->type != SRV6_ROUTING_TYPE)
		return 0;
	if (outer->inner_header != SRV6_NEXT_IPV4 && outer->inner_header != SRV6_NEXT_IPV6)
		return 0;
	if (segments > SRV6_SEGMENTS_MAX || outer->length != 2 * segments + 1 || outer->left > outer->last)
		return 0;
	if (outer->flags != SRV6_FLAG_INT || bpf_ntohs(outer->payload_bytes) + ETH_HLEN + SRV6_AT_SRH != skb->len)
		return 0;
	if (read_at(skb, SRV6_AT_TLV(segments), &tlv, sizeof(tlv)) < 0 || tlv.type != SRV6_TLV_TYPE || tlv.length != SRV6_TLV_LENGTH)
		return 0;
	return read_at(skb, SRV6_AT_ENTRY(outer->left), &current, sizeof(current)) == 0 && same(&current, &outer->destination);
}

#endif
