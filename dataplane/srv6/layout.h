/* Where everything lies in a measured packet, from its outer IPv6 header on (docs/contracts/srv6.md). Read by the programs in
 * the kernel and by the decoder: numbers only. */
#ifndef SEXTANT_SRV6_LAYOUT_H
#define SEXTANT_SRV6_LAYOUT_H

#define SRV6_SEGMENTS_MAX 8
#define SRV6_SEGMENT_BYTES 16

#define SRV6_AT_NEXT_HEADER 6
#define SRV6_AT_HOP_LIMIT 7
#define SRV6_AT_SOURCE 8
#define SRV6_AT_DESTINATION 24
#define SRV6_AT_SRH 40
#define SRV6_AT_LEFT 43
#define SRV6_AT_LAST 44
#define SRV6_AT_ENTRIES 48
#define SRV6_AT_ENTRY(i) (SRV6_AT_ENTRIES + SRV6_SEGMENT_BYTES * (i))
#define SRV6_AT_LATENCY 8 /* in an entry that was measured; while its NF has the packet, when that got it (CLOCK_MONOTONIC) */
#define SRV6_AT_TLV(n) SRV6_AT_ENTRY(n)
#define SRV6_BYTES(n) (SRV6_AT_TLV(n) + 8) /* all that is added to a packet of n segments: 56 + 16n */
#define SRV6_BYTES_MAX SRV6_BYTES(SRV6_SEGMENTS_MAX)

#define SRV6_NEXT_ROUTING 43
#define SRV6_NEXT_IPV4 4
#define SRV6_NEXT_IPV6 41
#define SRV6_ROUTING_TYPE 4
#define SRV6_FLAG_INT 1
#define SRV6_TLV_TYPE 0x84
#define SRV6_TLV_LENGTH 6

/* MapInfo: what the INT Metadata holds. */
#define SRV6_HAS_DEVICE 0x10
#define SRV6_HAS_TIME 0x08
#define SRV6_HAS_LATENCY 0x04
#define SRV6_HAS_QUEUE 0x02
#define SRV6_HAS_COUNTER 0x01
#define SRV6_HAS_ALL 0x1f

#endif
