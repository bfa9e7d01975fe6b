/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The far end of a pair, where a packet socket has already seen the frame: the host itself must not take it for its own, nor
 * forward it. */
#ifndef SEXTANT_SRV6_FAR_H
#define SEXTANT_SRV6_FAR_H

#include "frame.h"

SEC("tc")
int srv6_far(struct __sk_buff *skb)
{
	(void)skb;
	return TC_ACT_SHOT;
}

#endif
