/* The thread that receives: finds the stamp in each packet, notes order and latency. */
#ifndef SEXTANT_RECEIVER_H
#define SEXTANT_RECEIVER_H

#include "base/counter.h"
#include "base/histogram.h"
#include "base/packet_port.h"
#include "packets/source_config.h"
#include "source/flow_order.h"

#define STREAM_NONE UINT32_MAX

struct receiver {
	struct packet_port port;
	counter delivered, delivered_bytes;
	counter lost, misordered, doubled; /* of the stream that arrives now, and of those before it */
	counter damaged;                   /* of every 61st packet that was looked into: a wrong length or checksum */
	counter unstamped;                 /* frames that are none of a source's, not counted as delivered */
	counter ahead;                     /* sent later than received: the hosts' clocks are apart. They count as 0 ns */
	counter flows;                     /* of this stream, of which a packet has come */
	counter latency_sum_ns, latency_min_ns, latency_max_ns;
	counter latency[HISTOGRAM_BUCKETS];
	_Atomic uint32_t stream;
	uint32_t former_stream;  /* its last packets may still come */
	uint64_t until_check;
	struct flow_seen *seen; /* FLOWS_MAX; pages are taken as flows come */
};

/* -1 with `err` filled. The port is open. */
int receiver_prepare(struct receiver *receiver, struct error *err);

/* Notes one frame that arrived at `now_ns` of CLOCK_TAI. */
void receiver_note(struct receiver *receiver, const uint8_t *frame, uint32_t length, uint64_t now_ns);

/* Never returns. */
void receiver_run(struct receiver *receiver) __attribute__((noreturn));

#endif
