/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reading and sending frames. Offsets of layout.h begin behind the Ethernet header. Headers are read and written where they lie: a
 * call of a helper for each field took half of a program's time. */
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

/* A frame's headers where they lie, until a helper changes the frame. */
struct headers {
	void *start, *end; /* of all that may be read */
};

#define FRONT_BYTES (ETH_HLEN + SRV6_BYTES_MAX)

/* Of a frame whose headers lie in several pieces they come into one first. */
static __always_inline struct headers headers_of(struct __sk_buff *skb)
{
	__u32 bytes = skb->len < FRONT_BYTES ? skb->len : FRONT_BYTES;

	if ((void *)(long)skb->data + bytes > (void *)(long)skb->data_end)
		(void)bpf_skb_pull_data(skb, bytes); /* where it fails they stay short, and are taken for truncated */
	return (struct headers){(void *)(long)skb->data, (void *)(long)skb->data_end};
}

/* What lies at an offset of layout.h, NULL where the frame ends before that. */
static __always_inline void *lying_at(const struct headers *headers, __u32 offset, __u32 bytes)
{
	void *found = headers->start + ETH_HLEN + offset;

	return found + bytes > headers->end ? NULL : found;
}

static __always_inline long read_at(struct __sk_buff *skb, __u32 offset, void *to, __u32 bytes)
{
	return bpf_skb_load_bytes(skb, ETH_HLEN + offset, to, bytes);
}

static __always_inline int same(const struct srv6_address *a, const struct srv6_address *b)
{
	const __u64 *left = (const void *)a, *right = (const void *)b;

	return left[0] == right[0] && left[1] == right[1];
}

/* Four bytes at a time, of which a stack is made: the compiler would take them one by one. */
static __always_inline void copy_address(void *to, const void *from)
{
	const __u32 *left = from;
	__u32 *right = to;

	for (int i = 0; i < 4; i++)
		right[i] = left[i];
}

/* One of enum srv6_whose, or 0 for an address that is no segment. */
static __always_inline __u8 whose(const struct srv6_address *address)
{
	struct srv6_prefix key = {.bits = 128};
	__u8 *found;

	copy_address(&key.address, address);
	found = bpf_map_lookup_elem(&srv6_locators, &key);
	return found ? *found : 0;
}

/* `ethernet`: the frame's first bytes, which become those of the way. */
static __always_inline int send(void *ethernet, const struct srv6_way *way)
{
	__builtin_memcpy(ethernet, way->to, sizeof(way->to) + sizeof(way->from));
	return bpf_redirect(way->port, way->flags & SRV6_WAY_INTO ? BPF_F_INGRESS : 0);
}

/* `mark`: for the program where it goes out of a port (queue.h). */
static __always_inline int send_to(struct __sk_buff *skb, void *ethernet, const struct srv6_segment *next, __u32 mark)
{
	struct srv6_way *way = bpf_map_lookup_elem(&srv6_ways, next);

	if (!way)
		return refuse(SRV6_NO_WAY);
	if (!(way->flags & SRV6_WAY_INTO))
		skb->mark = mark;
	return send(ethernet, way);
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
static __always_inline int well_formed(struct __sk_buff *skb, const struct headers *headers, const struct outer *outer)
{
	__u32 segments = (__u32)outer->last + 1;
	const struct srv6_address *current;
	const struct tlv *tlv;

	if (outer->version_and_class >> 4 != 6 || outer->next_header != SRV6_NEXT_ROUTING || outer->type != SRV6_ROUTING_TYPE)
		return 0;
	if (outer->inner_header != SRV6_NEXT_IPV4 && outer->inner_header != SRV6_NEXT_IPV6)
		return 0;
	if (segments > SRV6_SEGMENTS_MAX || outer->length != 2 * segments + 1 || outer->left > outer->last)
		return 0;
	if (outer->flags != SRV6_FLAG_INT || bpf_ntohs(outer->payload_bytes) + ETH_HLEN + SRV6_AT_SRH != skb->len)
		return 0;
	tlv = lying_at(headers, SRV6_AT_TLV(segments), sizeof(*tlv));
	if (!tlv || tlv->type != SRV6_TLV_TYPE || tlv->length != SRV6_TLV_LENGTH)
		return 0;
	current = lying_at(headers, SRV6_AT_ENTRY(outer->left), sizeof(*current));
	return current && same(current, &outer->destination);
}

#endif
