#include "shell/work.h"

#include <rte_cycles.h>
#include <rte_errno.h>
#include <string.h>

#include "base/eventcount.h"

#define MTU_MOST 16384U /* buffers for more would be a waste: no path of hosts has it */

static uint32_t frame_bytes_most(const struct packet_port *port)
{
	return RTE_ETHER_HDR_LEN + (port->mtu < MTU_MOST ? port->mtu : MTU_MOST);
}

int work_prepare(struct work *work, struct error *err)
{
	uint32_t bytes = ENVELOPE_AHEAD + frame_bytes_most(&work->port) + ENVELOPE_BEHIND;
	struct rte_mempool *pool = rte_pktmbuf_pool_create("sextant-shell", BURST, 0, 0, (uint16_t)RTE_ALIGN(bytes, 64U), SOCKET_ID_ANY);

	if (pool == NULL)
		return fail(err, E_NO_ROOM, "--memory-mb", "no memory for %u packets (%s); raise --memory-mb", BURST, rte_strerror(rte_errno));
	for (uint32_t i = 0; i < BURST; i++) {
		work->envelopes[i].packet = rte_pktmbuf_alloc(pool);
		if (work->envelopes[i].packet == NULL)
			return fail(err, E_NO_ROOM, "--memory-mb", "no packet left in a pool of %u", BURST);
	}
	work->clock.tsc_hz = rte_get_tsc_hz();
	return 0;
}

/* Opens what was received; returns how many packets the NF gets, and in `open` whose they are. */
static uint32_t open_all(struct work *work, const uint32_t *lengths, uint32_t count, uint64_t now, struct envelope **open)
{
	struct work_counters *counters = &work->counters;
	uint32_t opened = 0;

	for (uint32_t i = 0; i < count; i++) {
		enum measured_read read = MEASURED_MALFORMED;

		if (lengths[i] > frame_bytes_most(&work->port)) {
			counter_add(&counters->rx, 1);
			counter_add(&counters->too_large, 1);
			continue;
		}
		read = envelope_open(&work->envelopes[i], lengths[i]);
		if (read == MEASURED_FOREIGN) {
			counter_add(&counters->foreign, 1);
			continue;
		}
		counter_add(&counters->rx, 1);
		if (read != MEASURED_READ)
			counter_add(&counters->malformed, 1);
		else if (measured_age_ns(work->envelopes[i].outer, now) > WAIT_MAX_NS)
			counter_add(&counters->waited, 1);
		else
			open[opened++] = &work->envelopes[i];
	}
	return opened;
}

static uint32_t run_nf(struct work *work, struct envelope **open, uint32_t count)
{
	struct rte_mbuf *packets[BURST];
	uint64_t began;
	uint32_t keep;

	for (uint32_t i = 0; i < count; i++)
		packets[i] = open[i]->packet;
	began = burst_start(&work->clock, &work->cost, count);
	keep = work->type->process(work->state, packets, count);
	counter_add(&work->counters.cycles, without_preemption(&work->clock, &work->cost, rte_rdtsc() - began, count));
	return keep;
}

/* False where nothing of it can be sent. */
static bool close_one(struct work *work, struct envelope *envelope, struct mmsghdr *message, struct iovec *parts)
{
	uint32_t inner_bytes;
	uint8_t *inner = envelope_close(envelope, &inner_bytes);

	if (inner == NULL) {
		counter_add(&work->counters.malformed, 1);
		return false;
	}
	if (envelope->measured.outer_bytes + inner_bytes > frame_bytes_most(&work->port)) {
		counter_add(&work->counters.too_large, 1);
		return false;
	}
	parts[0] = (struct iovec){envelope->outer, envelope->measured.outer_bytes};
	parts[1] = (struct iovec){inner, inner_bytes};
	*message = (struct mmsghdr){.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}};
	return true;
}

uint32_t work_process(struct work *work, const uint32_t *lengths, uint32_t count, uint64_t now, struct mmsghdr *messages,
	struct iovec (*parts)[2])
{
	struct envelope *open[BURST];
	uint32_t opened = open_all(work, lengths, count, now, open), keep, closed = 0;

	if (opened == 0)
		return 0;
	keep = run_nf(work, open, opened);
	for (uint32_t i = 0; i < opened; i++) {
		if ((keep >> i & 1) == 0)
			counter_add(&work->counters.filtered, 1);
		else if (close_one(work, open[i], &messages[closed], parts[closed]))
			closed++;
	}
	return closed;
}

void work_run(struct work *work)
{
	struct mmsghdr in[BURST] = {0}, out[BURST];
	struct iovec places[BURST], parts[BURST][2];
	uint32_t lengths[BURST];

	for (uint32_t i = 0; i < BURST; i++) {
		places[i] = (struct iovec){envelope_frame(&work->envelopes[i]), frame_bytes_most(&work->port)};
		in[i].msg_hdr = (struct msghdr){.msg_iov = &places[i], .msg_iovlen = 1};
	}
	for (;;) {
		uint32_t count = packet_port_receive(&work->port, in, BURST), closed, sent;

		for (uint32_t i = 0; i < count; i++)
			lengths[i] = in[i].msg_len;
		closed = work_process(work, lengths, count, now_ns(), out, parts);
		sent = packet_port_send(&work->port, out, closed);
		counter_add(&work->counters.tx, sent);
		counter_add(&work->counters.unsent, closed - sent);
	}
}
