/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Where packets go out to other hosts: how many wait there before the one that an NF has just given back. A queue is the kernel's
 * own, so these types are, too; the loader finds their members in the running kernel's (CO-RE). */
#ifndef SEXTANT_SRV6_QUEUE_H
#define SEXTANT_SRV6_QUEUE_H

#include "frame.h"

#define OF_THE_KERNEL __attribute__((preserve_access_index))
#define TCQ_F_NOLOCK 0x100 /* include/net/sch_generic.h */

struct qdisc_skb_head {
	__u32 qlen;
} OF_THE_KERNEL;

struct Qdisc {
	unsigned int flags;
	struct qdisc_skb_head q;
} OF_THE_KERNEL;

struct netdev_queue {
	struct Qdisc *qdisc;
} OF_THE_KERNEL;

struct net_device {
	struct netdev_queue *_tx;
	struct Qdisc *qdisc;
} OF_THE_KERNEL;

struct sk_buff {
	struct net_device *dev;
} OF_THE_KERNEL;

extern void *bpf_cast_to_kern_ctx(void *context) __attribute__((section(".ksyms"))) __attribute__((weak)); /* Linux 6.2 */

/* Of an NF, for whoever reads it: the most of this second or so, and of the one before. */
static __always_inline void note_queue(__u32 nf, __u32 length)
{
	struct srv6_nf_state *state = bpf_map_lookup_elem(&srv6_nf_states, &nf);
	__u32 epoch = SRV6_QUEUE_EPOCH(bpf_ktime_get_ns()), was, now = 0, before = 0;

	if (!state)
		return;
	was = state->queue;
	if (SRV6_QUEUE_EPOCH_OF(was) == epoch) {
		now = SRV6_QUEUE_NOW_OF(was);
		before = SRV6_QUEUE_BEFORE_OF(was);
	} else if (SRV6_QUEUE_FOLLOWS(SRV6_QUEUE_EPOCH_OF(was), epoch)) {
		before = SRV6_QUEUE_NOW_OF(was);
	}
	state->queue = SRV6_QUEUE(epoch, before, length > now ? length : now);
}

/* What a port's one queue holds; what several have, or what the kernel counts by CPU (pfifo_fast), is not read. */
static __always_inline long length_of(struct __sk_buff *context)
{
	struct sk_buff *skb = bpf_cast_to_kern_ctx(context);
	struct Qdisc *queue = skb->dev->qdisc;
	__u32 length;

	if (queue != skb->dev->_tx->qdisc || queue->flags & TCQ_F_NOLOCK)
		return -1;
	length = queue->q.qlen;
	return length > SRV6_QUEUE_LENGTH_MAX ? SRV6_QUEUE_LENGTH_MAX : length;
}

/* Not in place: a program that writes so takes a frame that another owner shares (TCP, until it is acknowledged) for itself before
 * its first line, and here most are of others. */
static __always_inline long write_at(struct __sk_buff *skb, __u32 offset, const void *from, __u32 bytes)
{
	return bpf_skb_store_bytes(skb, ETH_HLEN + offset, from, bytes, 0);
}

SEC("tc")
int srv6_queue(struct __sk_buff *skb)
{
	__u32 mark = skb->mark, nf = mark & ~SRV6_MARK_MASK;
	__u8 ends[2]; /* Segments Left, Last Entry */
	__be16 queue, map_info;
	long length;

	if ((mark & SRV6_MARK_MASK) != SRV6_RETURNED_MARK)
		return TO_THE_KERNEL;
	skb->mark = 0;
	if (!bpf_cast_to_kern_ctx || read_at(skb, SRV6_AT_LEFT, ends, sizeof(ends)) < 0)
		return TO_THE_KERNEL;
	length = length_of(skb);
	if (length < 0 || ends[0] >= ends[1] || ends[1] >= SRV6_SEGMENTS_MAX)
		return TO_THE_KERNEL;
	note_queue(nf, (__u32)length);
	queue = bpf_htons((__u16)(SRV6_QUEUE_READ | length));
	if (read_at(skb, SRV6_AT_TLV((__u32)ends[1] + 1) + 2, &map_info, sizeof(map_info)) < 0)
		return TO_THE_KERNEL;
	map_info |= bpf_htons(SRV6_HAS_QUEUE);
	if (write_at(skb, SRV6_AT_ENTRY((__u32)ends[0] + 1) + offsetof(struct metadata, queue), &queue, sizeof(queue)) < 0 ||
		write_at(skb, SRV6_AT_TLV((__u32)ends[1] + 1) + 2, &map_info, sizeof(map_info)) < 0)
		return refuse(SRV6_INTERNAL);
	return TO_THE_KERNEL;
}

#endif
