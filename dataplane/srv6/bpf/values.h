/* Keys and values of the maps, as whoever fills them writes them (docs/contracts/srv6.md). Numbers are the host's own way round. */
#ifndef SEXTANT_SRV6_VALUES_H
#define SEXTANT_SRV6_VALUES_H

#include <linux/types.h>

#include "../layout.h"

struct srv6_address {
	__u8 bytes[16];
};

/* What an edge port wraps its tenant's packets in. */
struct srv6_path {
	__u16 tag;   /* the chain */
	__u16 count; /* of segments, 1 to SRV6_SEGMENTS_MAX */
	__u32 mtu;   /* of the narrowest link of the path: what would be larger is refused here */
	struct srv6_address source;
	struct srv6_address segments[SRV6_SEGMENTS_MAX]; /* in the order of travel */
};

/* A segment of a chain: chains may not use each other's. */
struct srv6_segment {
	__u16 tag, zero;
	struct srv6_address sid;
};

#define SRV6_WAY_INTO 1 /* as if it came in at the port, for a segment of this host, and not out of it */

struct srv6_way {
	__u32 port; /* interface index */
	__u32 flags;
	__u8 to[6], from[6]; /* Ethernet addresses */
};

enum srv6_action { SRV6_TO_NF = 1, SRV6_TO_TENANT = 2 };

/* What this host does with packets for one of its segments. */
struct srv6_function {
	__u32 action;
	__u32 nf;
	__u16 device, zero;
	struct srv6_way way;
};

/* Who may give back packets at a port. */
struct srv6_nf_port {
	__u32 nf;
	__u16 tag, device;
};

/* An NF gives back what it has had for no longer than this. */
#define SRV6_AGE_MAX_NS 2000000000U

/* Times are CLOCK_MONOTONIC. */
struct srv6_nf_state {
	__u64 given, returned;
	__u64 given_at_ns, returned_at_ns;
	__u64 busy_since_ns; /* given when the NF had no other packet */
	__u32 latency_ns;    /* of the last packet that came back */
	__u32 queue;         /* SRV6_QUEUE; 0: none was ever read */
};

/* How many packets waited at the port by which an NF's packets go on: the most in the running 1.07 s, and in those before. In one
 * word, so that nobody reads half of it; two CPUs at once may lose one packet's word of many. */
#define SRV6_QUEUE_LENGTH_MAX 0xfffU
#define SRV6_QUEUE_READ 0x1000U /* Q_ID 1: the queue was read; 0: there is none that could be */
#define SRV6_QUEUE(epoch, before, now) ((epoch) << 24 | (before) << 12 | (now))
#define SRV6_QUEUE_EPOCH_OF(queue) ((queue) >> 24)
#define SRV6_QUEUE_BEFORE_OF(queue) ((queue) >> 12 & SRV6_QUEUE_LENGTH_MAX)
#define SRV6_QUEUE_NOW_OF(queue) ((queue) & SRV6_QUEUE_LENGTH_MAX)
/* 1 to 255, of CLOCK_MONOTONIC. */
#define SRV6_QUEUE_EPOCH(now_ns) ((__u32)(((now_ns) >> 30) % 255) + 1)
#define SRV6_QUEUE_FOLLOWS(was, epoch) ((was) != 0 && (was) % 255 + 1 == (epoch))

/* An interface that was there before the daemon, and what the daemon has done to it. No program reads it. */
struct srv6_attached {
	__u32 program;
	__u32 added_clsact;
};

/* Keys that are no interface's: of the namespace that all indices are of (SO_NETNS_COOKIE), and of the generation of links. */
#define SRV6_ATTACHED_NAMESPACE 0
#define SRV6_ATTACHED_GENERATION 0xffffffffU
#define SRV6_ATTACHED_IS_PORT(key) ((key) != SRV6_ATTACHED_NAMESPACE && (key) != SRV6_ATTACHED_GENERATION)

/* Frames from a socket that was passed for a port carry this, and the port's index (SO_MARK, which takes a right to change). */
#define SRV6_MARK 0x5e600000U
#define SRV6_MARK_MASK 0xfff00000U
#define SRV6_MARK_OF(port) (SRV6_MARK | ((port) & ~SRV6_MARK_MASK))

/* What an NF has just given back, on its way out of a port: this, and the NF. */
#define SRV6_RETURNED_MARK 0x5e700000U

struct srv6_prefix {
	__u32 bits;
	struct srv6_address address;
};

enum srv6_whose { SRV6_OTHERS = 1, SRV6_OWN = 2 };

/* The headers of a packet that left, in the ring. */
struct srv6_mirror {
	__u64 at_ns; /* CLOCK_TAI */
	__u32 frame_bytes; /* of the packet as the tenant gets it */
	__u16 bytes, zero; /* of `headers` in use */
	__u8 headers[SRV6_BYTES_MAX];
};

/* An NF gave a packet back, in the other ring. */
struct srv6_return {
	__u64 at_ns; /* CLOCK_MONOTONIC */
	__u32 nf;
	__u32 latency_ns;
};

enum srv6_count {
	SRV6_WRAPPED,
	SRV6_GIVEN,
	SRV6_RETURNED,
	SRV6_UNWRAPPED,
	SRV6_MIRRORS_LOST, /* the ring was full; the packet went on */
	/* Refused, by cause: */
	SRV6_NO_PATH,
	SRV6_ETHERTYPE,
	SRV6_VLAN,
	SRV6_TOO_LARGE,
	SRV6_OFFLOAD,
	SRV6_TRUNCATED,
	SRV6_TOO_MANY_HEADERS,
	SRV6_ROUTING_HEADER,
	SRV6_SID_DESTINATION,
	SRV6_MALFORMED,
	SRV6_STRANGE_SOURCE,
	SRV6_UNKNOWN_SEGMENT,
	SRV6_SEGMENTS_LEFT,
	SRV6_HOP_LIMIT,
	SRV6_NO_WAY,
	SRV6_NOT_OF_A_CHAIN,
	SRV6_FOREIGN_CHAIN,
	SRV6_FOREIGN_ENTRY,
	SRV6_STALE,
	SRV6_NEVER_GIVEN,
	SRV6_FOREIGN_SOCKET,
	SRV6_INTERNAL,
	/* And: */
	SRV6_RETURNS_LOST, /* the ring was full; the packet went on */
	SRV6_COUNTS
};

#endif
