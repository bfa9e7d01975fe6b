/* The thread that works on packets: takes a burst from the port, lets the NF process it, gives back what is kept. */
#ifndef SEXTANT_SHELL_WORK_H
#define SEXTANT_SHELL_WORK_H

#include "base/counter.h"
#include "base/packet_port.h"
#include "nf/burst_cost.h"
#include "shell/envelope.h"

/*
 * A packet that waited for its NF longer than this is dropped unworked: an NF that is offered more than it can do works on what is
 * new, instead of on what nobody waits for any more, or what would be refused when it is given back (SRV6_AGE_MAX_NS).
 */
#define WAIT_MAX_NS 200000000U

/* rx = tx + filtered + malformed + too_large + waited + unsent, once a burst is done. */
struct work_counters {
	counter rx, tx, filtered;
	counter malformed; /* headers that are none of the contract's, or a packet inside that is not whole */
	counter too_large; /* longer than the interface's MTU, as it came or as the NF made it */
	counter waited;    /* for longer than WAIT_MAX_NS */
	counter unsent;    /* the kernel took it not */
	counter foreign;   /* frames that carry no measurements: not counted as received, not given back */
	counter cycles;    /* of the NF alone */
};

struct work {
	const struct nf_type *type;
	void *state;
	struct packet_port port;
	struct work_counters counters;
	struct burst_clock clock;
	struct cost cost;
	struct envelope envelopes[BURST];
};

/* Takes the buffers. -1 with `err` filled. The port is open. */
int work_prepare(struct work *work, struct error *err);

/* `lengths` bytes were received in each envelope's place, and it is `now_ns`: what is left to be sent is in `messages`, each of two parts of `parts`. */
uint32_t work_process(struct work *work, const uint32_t *lengths, uint32_t count, uint64_t now_ns, struct mmsghdr *messages,
	struct iovec (*parts)[2]);

/* Never returns. */
void work_run(struct work *work) __attribute__((noreturn));

#endif
