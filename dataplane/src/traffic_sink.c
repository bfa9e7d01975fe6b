/* Sink of a chain: counts, checks and times what arrives, and gives every packet back to the pool. */
#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "nf/nf.h"
#include "traffic.h"

#define ROUND 256U       /* packets of one chain before the others have their turn */
#define VERIFY_EACH 16U  /* every n-th packet's IPv4 checksum is verified */

static void give_back(struct traffic *traffic, struct flow_state *chain, struct rte_mbuf **packets, uint32_t count)
{
	rte_pktmbuf_free_bulk(packets, count);
	chain->in_flight -= count;
	traffic->in_flight -= count;
}

static uint32_t peek_burst(struct ring *ring, struct rte_mbuf **packets)
{
	uint32_t count = RTE_MIN(ring_used(ring), BURST);

	for (uint32_t i = 0; i < count; i++) {
		packets[i] = ring_peek(ring, i);
		rte_prefetch0(packets[i]);
		rte_prefetch0(rte_pktmbuf_mtod(packets[i], void *));
	}
	return count;
}

static void check(struct flow_state *chain, struct rte_mbuf *packet, bool verify)
{
	uint64_t sequence;

	if (!frame_read(rte_pktmbuf_mtod(packet, const uint8_t *), packet->pkt_len, verify, &sequence)) {
		counter_add(&chain->slot->damaged, 1);
		return;
	}
	if (sequence < chain->expected)
		counter_add(&chain->slot->misordered, 1);
	else
		chain->expected = sequence + 1;
}

static uint32_t receive_burst(struct traffic *traffic, struct flow_state *chain)
{
	struct ring *ring = &chain->slot->sink;
	struct rte_mbuf *packets[BURST];
	uint32_t count = peek_burst(ring, packets);
	uint64_t now = rte_rdtsc();

	for (uint32_t i = 0; i < count; i++) {
		uint64_t stamp = *packet_stamp(traffic->memory, packets[i]);
		uint64_t cycles = now > stamp ? now - stamp : 0;

		counter_add(&chain->slot->latency[histogram_bucket((uint64_t)((double)cycles * traffic->ns_per_cycle))], 1);
		check(chain, packets[i], i % VERIFY_EACH == 0);
	}
	ring_consume(ring, count);
	counter_add(&chain->slot->delivered, count);
	give_back(traffic, chain, packets, count);
	return count;
}

bool sink_poll(struct traffic *traffic, struct flow_state *chain)
{
	struct ring *ring = &chain->slot->sink;
	uint32_t count, in_round = 0;

	while (in_round < ROUND && (count = receive_burst(traffic, chain)) > 0)
		in_round += count;
	if (in_round > 0)
		ring_signal_room(ring);
	return in_round >= ROUND;
}

static uint32_t empty_ring(struct traffic *traffic, struct flow_state *chain, struct ring *ring)
{
	struct rte_mbuf *packets[BURST];
	uint32_t count, total = 0;

	while ((count = peek_burst(ring, packets)) > 0) {
		ring_consume(ring, count);
		give_back(traffic, chain, packets, count);
		total += count;
	}
	return total;
}

void sink_take_back(struct traffic *traffic, struct flow_state *chain)
{
	for (uint32_t i = 0; i < chain->slot->nf_count; i++) {
		struct ring *ring = &chain->slot->nfs[i]->returned;
		uint32_t count;

		if (ring_used(ring) == 0)
			continue;
		count = empty_ring(traffic, chain, ring);
		counter_add(&chain->slot->returned, count);
		ring_signal_room(ring);
	}
}

void sink_flush(struct traffic *traffic, struct flow_state *chain)
{
	uint64_t lost = 0;

	while (sink_poll(traffic, chain)) /* what reached the sink is delivered */
		;
	sink_take_back(traffic, chain);
	for (uint32_t i = 0; i < chain->slot->nf_count; i++)
		lost += empty_ring(traffic, chain, &chain->slot->nfs[i]->in);
	counter_add(&chain->slot->lost, lost);
}
