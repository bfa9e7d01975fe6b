/*
 * The thread that sends: sleeps until absolute deadlines, and sends what fell due in small bursts. Another thread changes rate and source
 * while it runs.
 */
#ifndef SEXTANT_SENDER_H
#define SEXTANT_SENDER_H

#include <net/ethernet.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/counter.h"
#include "base/eventcount.h"
#include "base/packet_port.h"
#include "source/stamped_source.h"

/* What the sending thread is to take up. */
struct change {
	struct source_config config;
	struct stamped_source *source; /* NULL: the packets go on as they are, at another rate */
};

/* offered = sent + source_drops + unsent, once a burst is done. */
struct sender {
	struct packet_port port;
	uint8_t ether[2 * ETH_ALEN]; /* destination, source */
	_Atomic(struct change *) next;
	struct eventcount events; /* a change has come */
	counter offered, sent, sent_bytes;
	counter source_drops; /* fell due while so many were waiting that nobody would want them any more */
	counter unsent;       /* the kernel did not take it */
	/* Of the sending thread alone. */
	struct stamped_source *source;
	struct arrivals arrivals;
	uint64_t last_ns; /* up to here packets have been returned */
};

/* Hands a change over; one that was not taken up yet is lost, but for its packets. `change` is the sender's from now on. */
void sender_change(struct sender *sender, struct change *change);

/* Whether all that was handed over is taken up: a source that is to send nothing sends nothing from then on, and its counts are final. */
bool sender_is_settled(const struct sender *sender);

/* Never returns. */
void sender_run(struct sender *sender) __attribute__((noreturn));

/* When the next packet of an even or Poisson source falls due, a tenth of a millisecond on at least. Of CLOCK_MONOTONIC. */
uint64_t sender_deadline(const struct arrivals *arrivals);

#endif
