/* Sink of a chain: counts, checks and times what arrives, and gives every packet back to the pool. */
#include "traffic/traffic_sink.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "nf/nf.h"

#define ROUND 256U      /* packets of one chain before the next chain is polled */
#define VERIFY_EACH 61U /* every n-th packet's checksums are verified; a prime, so that round-robin flows are all reached */

static void free_packets(struct traffic *traffic, struct traffic_chain *chain, struct rte_mbuf **packets, uint32_t count)
{
	rte_pktmbuf_free_bulk(packets, count);
	chain->in_flight -= count;
	traffic->in_flight -= count;
}

static uint32_t peek_burst(struct ring *ring, struct rte_mbuf **packets)
{
	uint32_t count = RTE_MIN(ring_count(ring), BURST);

	for (uint32_t i = 0; i < count; i++) {
		packets[i] = ring_peek(ring, i);
		rte_prefetch0(packets[i]);
		rte_prefetch0(&packets[i]->next); /* the stamp is in an mbuf's second cache line */
	}
	return count;
}

/*
 * Order is checked over the whole chain, which is more than over each flow: packets take one way, so those of a flow
 * are in order whenever all are.
 */
static void check_order(struct traffic_chain *chain, uint64_t sequence)
{
	if (sequence < chain->expected)
		counter_add(&chain->slot->misordered, 1);
	else
		chain->expected = sequence + 1;
}

static void record_arrival(struct traffic *traffic, struct chain_slot *slot, uint64_t now)
{
	uint64_t last = counter_read(&slot->last_arrival);
	uint32_t gap_us = last == 0 || now < last ? 0 : (uint32_t)((double)(now - last) * traffic->ns_per_cycle / 1000);

	atomic_store_explicit(&slot->last_arrival, now, memory_order_relaxed);
	peak_record(&slot->longest_gap, atomic_load_explicit(&traffic->shared->peak_round, memory_order_relaxed), gap_us);
	peak_record(&slot->window_gap, atomic_load_explicit(&slot->gap_window, memory_order_relaxed), gap_us);
}

/* Of a burst of packets that share the moment of their arrival. */
struct arrived {
	uint64_t bytes, slowest_ns, fastest_ns, total_ns;
};

static void count_latency(struct chain_slot *slot, struct arrived *arrived, uint64_t ns)
{
	counter_add(&slot->latency[histogram_bucket(ns)], 1);
	arrived->total_ns += ns;
	if (ns > arrived->slowest_ns)
		arrived->slowest_ns = ns;
	if (ns < arrived->fastest_ns)
		arrived->fastest_ns = ns;
}

static void count_burst(struct chain_slot *slot, const struct arrived *arrived, uint32_t count)
{
	uint64_t fastest = counter_read(&slot->latency_min_ns);

	if (counter_read(&slot->delivered) == 0 || arrived->fastest_ns < fastest)
		atomic_store_explicit(&slot->latency_min_ns, arrived->fastest_ns, memory_order_relaxed);
	if (arrived->slowest_ns > counter_read(&slot->latency_max_ns))
		atomic_store_explicit(&slot->latency_max_ns, arrived->slowest_ns, memory_order_relaxed);
	counter_add(&slot->latency_sum_ns, arrived->total_ns);
	counter_add(&slot->delivered_bytes, arrived->bytes);
	counter_add(&slot->delivered, count);
}

static uint32_t receive_burst(struct traffic *traffic, struct traffic_chain *chain)
{
	struct ring *ring = &chain->slot->sink;
	struct rte_mbuf *packets[BURST];
	uint32_t count = peek_burst(ring, packets);
	struct arrived arrived = {.fastest_ns = UINT64_MAX};
	uint64_t now = rte_rdtsc();

	if (count == 0)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct packet_stamp *stamp = packet_stamp(traffic->memory, packets[i]);
		uint64_t cycles = now > stamp->due_at ? now - stamp->due_at : 0;

		arrived.bytes += packets[i]->pkt_len;
		count_latency(chain->slot, &arrived, (uint64_t)((double)cycles * traffic->ns_per_cycle));
		check_order(chain, stamp->sequence);
		if (stamp->sequence % VERIFY_EACH == 0 && !stamp->replayed &&
		    !frame_is_sound(rte_pktmbuf_mtod(packets[i], const uint8_t *), packets[i]->pkt_len))
			counter_add(&chain->slot->damaged, 1);
	}
	ring_consume(ring, count);
	record_arrival(traffic, chain->slot, now);
	count_burst(chain->slot, &arrived, count);
	free_packets(traffic, chain, packets, count);
	return count;
}

bool traffic_sink_poll(struct traffic *traffic, struct traffic_chain *chain)
{
	struct ring *ring = &chain->slot->sink;
	uint32_t count, in_round = 0;

	while (in_round < ROUND && (count = receive_burst(traffic, chain)) > 0)
		in_round += count;
	if (in_round > 0)
		ring_signal_space(ring);
	return in_round >= ROUND;
}

static uint32_t empty_ring(struct traffic *traffic, struct traffic_chain *chain, struct ring *ring)
{
	struct rte_mbuf *packets[BURST];
	uint32_t count, total = 0;

	while ((count = peek_burst(ring, packets)) > 0) {
		ring_consume(ring, count);
		free_packets(traffic, chain, packets, count);
		total += count;
	}
	return total;
}

void traffic_sink_reclaim(struct traffic *traffic, struct traffic_chain *chain)
{
	for (uint32_t i = 0; i < chain->slot->nf_count; i++) {
		struct ring *ring = &chain->slot->nfs[i]->returned;
		uint32_t count;

		if (ring_count(ring) == 0)
			continue;
		count = empty_ring(traffic, chain, ring);
		counter_add(&chain->slot->returned, count);
		ring_signal_space(ring);
	}
}

void traffic_sink_flush(struct traffic *traffic, struct traffic_chain *chain)
{
	uint64_t lost = 0;

	while (traffic_sink_poll(traffic, chain)) /* what reached the sink is delivered */
		;
	traffic_sink_reclaim(traffic, chain);
	for (uint32_t i = 0; i < chain->slot->nf_count; i++)
		lost += empty_ring(traffic, chain, &chain->slot->nfs[i]->in);
	counter_add(&chain->slot->lost, lost);
}
