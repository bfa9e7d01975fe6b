/* Source of a chain: paced packets into the ring of its first NF; what finds no space is dropped here and counted. */
#include "traffic/traffic_source.h"

#include <rte_cycles.h>

#include "nf/nf.h"

#define SIGNAL_AFTER 256U

/* Packets that fell due and were never made count as dropped: offered = sent + source_drops + backlog, always. */
static void drop_backlog(struct traffic_chain *chain)
{
	counter_add(&chain->slot->source_drops, chain->pacer.backlog);
	pacer_stop(&chain->pacer);
	chain->sending = false;
}

static void start_source(struct traffic *traffic, struct traffic_chain *chain, uint32_t number)
{
	if (!chain->live) {
		chain->live = true;
		chain->sequence = chain->expected = 0;
		chain->in_flight = 0;
		chain->pacer.backlog = 0;
	}
	drop_backlog(chain);
	packet_source_start(&chain->source, &chain->slot->sources[number % 2]);
	chain->sending = chain->source.config.packets_per_second > 0;
	atomic_store_explicit(&chain->slot->last_arrival, 0, memory_order_relaxed);
	if (chain->sending)
		pacer_start(&chain->pacer, &chain->source.config.arrivals, traffic->tsc_hz, rte_rdtsc());
	atomic_store_explicit(&chain->slot->applied_source, number, memory_order_release);
	eventcount_signal(&traffic->shared->control_events);
}

/* Packets due before the pause are still sent, so nothing is dropped; none fall due during it. */
static void apply_pause(struct traffic *traffic, struct traffic_chain *chain)
{
	struct chain_slot *slot = chain->slot;
	uint32_t paused = atomic_load_explicit(&slot->paused, memory_order_acquire);

	if (paused == atomic_load_explicit(&slot->applied_paused, memory_order_relaxed))
		return;
	pacer_resume(&chain->pacer, rte_rdtsc());
	atomic_store_explicit(&slot->last_arrival, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->applied_paused, paused, memory_order_release);
	eventcount_signal(&traffic->shared->control_events);
}

void traffic_source_update(struct traffic *traffic, struct traffic_chain *chain, uint32_t state)
{
	struct chain_slot *slot = chain->slot;
	uint32_t wanted = atomic_load_explicit(&slot->requested_source, memory_order_acquire);

	if (state != CHAIN_ACTIVE) {
		if (chain->sending)
			drop_backlog(chain);
	} else if (wanted != atomic_load_explicit(&slot->applied_source, memory_order_relaxed)) {
		start_source(traffic, chain, wanted);
	}
	apply_pause(traffic, chain);
}

/*
 * A chain may hold as many packets as are free (dynamic threshold of Choudhury and Hahne, alpha = 1): a chain with a stuck
 * NF holds half of the pool at most, k such chains leave 1/(k+1), and no other chain starves.
 */
static uint32_t pool_quota(const struct traffic *traffic, const struct traffic_chain *chain)
{
	uint32_t free_packets = PACKETS - traffic->in_flight;

	return free_packets > chain->in_flight ? free_packets - chain->in_flight : 0;
}

static void make_packets(struct traffic *traffic, struct traffic_chain *chain, struct rte_mbuf **packets, uint32_t count,
	uint64_t due_at)
{
	struct ring *ring = &chain->slot->nfs[0]->in;
	uint64_t unmatched = chain->source.unmatched, malformed = chain->source.malformed;
	bool replayed = chain->source.config.replay != NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *packet = packets[i];

		packet->pkt_len = packet_source_write(&chain->source, chain->sequence, rte_pktmbuf_mtod(packet, uint8_t *));
		packet->data_len = (uint16_t)packet->pkt_len;
		*packet_stamp(traffic->memory, packet) = (struct packet_stamp){
			.due_at = due_at, .sequence = chain->sequence++, .replayed = replayed};
		ring_put(ring, i, packet);
	}
	if (replayed) {
		counter_add(&chain->slot->unmatched, chain->source.unmatched - unmatched);
		counter_add(&chain->slot->malformed, chain->source.malformed - malformed);
	}
}

/* Sends one burst of what is due; returns its packets, 0 when nothing is due or there is no space. */
static uint32_t send_burst(struct traffic *traffic, struct traffic_chain *chain)
{
	struct ring *ring = &chain->slot->nfs[0]->in;
	struct rte_mbuf *packets[BURST];
	uint32_t most = RTE_MIN(BURST, RTE_MIN(ring_free_count(ring), pool_quota(traffic, chain)));
	uint64_t due_at = 0;
	uint32_t count;

	most = RTE_MIN(most, chain->pacer.backlog);
	if (most == 0 || rte_pktmbuf_alloc_bulk(traffic->memory->packets, packets, most) != 0)
		return 0;
	for (uint32_t made = 0; made < most; made += count) {
		count = pacer_take(&chain->pacer, most - made, &due_at);
		make_packets(traffic, chain, packets + made, count, due_at);
		ring_publish(ring, count);
	}
	counter_add(&chain->slot->sent, most);
	chain->in_flight += most;
	traffic->in_flight += most;
	return most;
}

void traffic_source_poll(struct traffic *traffic, struct traffic_chain *chain)
{
	struct ring *ring = &chain->slot->nfs[0]->in;
	uint64_t dropped;
	uint32_t sent, unsignalled = 0, in_round = 0;

	if (!traffic_source_is_paused(chain)) {
		counter_add(&chain->slot->offered, pacer_advance(&chain->pacer, rte_rdtsc(), &dropped));
		counter_add(&chain->slot->source_drops, dropped);
	}
	while (in_round < RING_SIZE && (sent = send_burst(traffic, chain)) > 0) {
		in_round += sent;
		unsignalled += sent;
		if (unsignalled >= SIGNAL_AFTER) {
			ring_signal_data(ring);
			unsignalled = 0;
		}
	}
	if (unsignalled > 0) /* a needless wake-up would travel down the chain and come back */
		ring_signal_data(ring);
}
