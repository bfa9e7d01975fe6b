/*
 * Single-producer, single-consumer ring of packet pointers between two processes of a chain.
 *
 * Why not rte_ring: its two indices a side (head, tail) are left apart by a process killed between the two stores,
 * and its successor would then publish slots never written. Here each side publishes by ONE store, so a killed
 * process leaves the ring either as before or as after; group_step.c joins the stores of a stage into one step.
 * Indices run freely and wrap at 2^32. `data_armed` and `space_armed` are set by a side that is about to sleep and wants a
 * wake-up.
 */
#ifndef SEXTANT_RING_H
#define SEXTANT_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/eventcount.h"

#define RING_SIZE 1024U
#define RING_MASK (RING_SIZE - 1)

struct rte_mbuf;

struct ring {
	_Alignas(64) _Atomic uint32_t tail; /* stored by the producer */
	_Atomic uint32_t space_armed;
	_Atomic(struct eventcount *) consumer; /* changes when NFs are regrouped */
	_Alignas(64) _Atomic uint32_t head; /* stored by the consumer */
	_Atomic uint32_t data_armed;
	_Atomic(struct eventcount *) producer;
	_Alignas(64) struct rte_mbuf *slots[RING_SIZE];
};

void ring_reset(struct ring *ring, struct eventcount *producer, struct eventcount *consumer);

/* Sets the processes at its two ends; its packets stay. The former ones hold or have ended. */
void ring_connect(struct ring *ring, struct eventcount *producer, struct eventcount *consumer);

static inline uint32_t ring_count(struct ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

	return atomic_load_explicit(&ring->tail, memory_order_acquire) - head;
}

static inline uint32_t ring_free_count(struct ring *ring)
{
	return RING_SIZE - ring_count(ring);
}

/* Producer, after publishing: wakes a consumer that sleeps for data; returns whether one did. */
bool ring_signal_data(struct ring *ring);

/* Consumer: wakes a producer that sleeps for space, once half of the ring is free. */
void ring_signal_space(struct ring *ring);

/* Before sleeping: arm the wake-up, then check the ring again. */
void ring_arm_data(struct ring *ring);
void ring_arm_space(struct ring *ring);

/* Producer: copies `count` pointers behind the tail without publishing them; the space was checked. */
static inline void ring_put(struct ring *ring, uint32_t offset, struct rte_mbuf *packet)
{
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	ring->slots[(tail + offset) & RING_MASK] = packet;
}

/* Consumer: the packet `offset` behind the head; it stays in the ring until the head moves. */
static inline struct rte_mbuf *ring_peek(struct ring *ring, uint32_t offset)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	return ring->slots[(head + offset) & RING_MASK];
}

static inline void ring_publish(struct ring *ring, uint32_t count)
{
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
}

static inline void ring_consume(struct ring *ring, uint32_t count)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	atomic_store_explicit(&ring->head, head + count, memory_order_release);
}

#endif
