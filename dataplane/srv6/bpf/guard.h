/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a tenant may not send: it could steer packets through chains, or forge what is measured. Looked at before encapsulation,
 * and in the same program, so that it cannot be left out. */
#ifndef SEXTANT_SRV6_GUARD_H
#define SEXTANT_SRV6_GUARD_H

#include "frame.h"

#define HEADERS_MAX 8

struct inner {
	__u8 next_header; /* of the upper layer */
	__u8 ports_known;
	__u16 ports_at; /* where they would be */
	__u32 mixed;    /* its addresses */
};

static __always_inline __u32 mix(__u32 hash, __u32 word)
{
	hash ^= word; /* FNV-1a, by words */
	return hash * 16777619U;
}

static __always_inline int is_extension(__u8 header)
{
	return header == 0 || header == 60 || header == 51 || header == 44;
}

/* 0, or why the extension headers are refused. */
static __always_inline __u32 walk(struct __sk_buff *skb, struct inner *inner)
{
	__u8 next = inner->next_header, head[4];
	__u32 at = SRV6_AT_SRH;

	for (int i = 0; i < HEADERS_MAX && is_extension(next); i++) {
		__u8 kind = next;

		if (read_at(skb, at, head, sizeof(head)) < 0)
			return SRV6_TRUNCATED;
		next = head[0];
		if (kind == 44) {
			at += 8;
			inner->ports_known = 0;
			if ((head[2] << 8 | head[3]) & 0xfff8)
				break; /* a later fragment: what follows is no header */
		} else {
			at += kind == 51 ? (head[1] + 2U) * 4 : (head[1] + 1U) * 8;
		}
	}
	inner->next_header = next;
	inner->ports_at = (__u16)at;
	if (next == SRV6_NEXT_ROUTING)
		return SRV6_ROUTING_HEADER;
	return is_extension(next) ? SRV6_TOO_MANY_HEADERS : 0;
}

static __always_inline __u32 guard_ipv6(struct __sk_buff *skb, const struct headers *headers, struct inner *inner, __u8 *is_local)
{
	const __u32 *words = lying_at(headers, 0, SRV6_AT_SRH); /* the fixed header */
	const __u8 *bytes = (const __u8 *)words;
	__u32 cause;

	if (!words || bytes[0] >> 4 != 6)
		return SRV6_TRUNCATED;
	if (whose((const void *)(bytes + SRV6_AT_DESTINATION)))
		return SRV6_SID_DESTINATION;
	inner->next_header = bytes[SRV6_AT_NEXT_HEADER];
	inner->ports_known = 1;
	for (int i = 2; i < 10; i++)
		inner->mixed = mix(inner->mixed, bpf_ntohl(words[i]));
	cause = walk(skb, inner);
	if (cause)
		return cause;
	*is_local = bytes[SRV6_AT_DESTINATION] == 0xff && bytes[SRV6_AT_DESTINATION + 1] == 0x02; /* ff02::/16 never leaves its link */
	if (inner->next_header == 58 && bytes[SRV6_AT_HOP_LIMIT] == 255) {
		__u8 type = 0;

		if (read_at(skb, inner->ports_at, &type, 1) < 0)
			return SRV6_TRUNCATED;
		*is_local |= type >= 133 && type <= 136; /* neighbour discovery */
	}
	return 0;
}

static __always_inline __u32 guard_ipv4(const struct headers *headers, struct inner *inner)
{
	const __u32 *words = lying_at(headers, 0, 20);
	const __u8 *bytes = (const __u8 *)words;

	if (!words || bytes[0] >> 4 != 4 || (bytes[0] & 15) < 5)
		return SRV6_TRUNCATED;
	inner->next_header = bytes[9];
	inner->ports_known = !((bytes[6] << 8 | bytes[7]) & 0x3fff); /* no fragment */
	inner->ports_at = (bytes[0] & 15) * 4;
	inner->mixed = mix(mix(inner->mixed, bpf_ntohl(words[3])), bpf_ntohl(words[4]));
	return 0;
}

/* Equal for the packets of a flow on every host and in every run. */
static __always_inline __u32 flow_hash(struct __sk_buff *skb, const struct inner *inner)
{
	__u32 hash = mix(inner->mixed, inner->next_header), ports = 0;

	if (inner->ports_known && (inner->next_header == 6 || inner->next_header == 17) &&
		read_at(skb, inner->ports_at, &ports, sizeof(ports)) == 0)
		hash = mix(hash, bpf_ntohl(ports));
	return hash ^ hash >> 16;
}

#endif
