#include "shared/ring.h"

#include <string.h>

void ring_reset(struct ring *ring, struct eventcount *producer, struct eventcount *consumer)
{
	memset(ring, 0, sizeof(*ring));
	ring_connect(ring, producer, consumer);
}

void ring_connect(struct ring *ring, struct eventcount *producer, struct eventcount *consumer)
{
	atomic_store(&ring->producer, producer);
	atomic_store(&ring->consumer, consumer);
}

/*
 * The fence orders our publication before our check of the sleeper's flag; ring_arm_* orders the flag before the check of the
 * ring. So one of the two always sees the other, and no wake-up is lost. The eventcount is read after the flag was cleared:
 * if it is still the former process's, then its successor had not set the flag yet.
 */
static bool wake(_Atomic uint32_t *armed, _Atomic(struct eventcount *) *events)
{
	if (atomic_load_explicit(armed, memory_order_relaxed) == 0)
		return false;
	atomic_store(armed, 0);
	eventcount_signal(atomic_load(events));
	return true;
}

bool ring_signal_data(struct ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return wake(&ring->data_armed, &ring->consumer);
}

void ring_signal_space(struct ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (ring_count(ring) <= RING_SIZE / 2)
		wake(&ring->space_armed, &ring->producer);
}

void ring_arm_data(struct ring *ring)
{
	atomic_store_explicit(&ring->data_armed, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

void ring_arm_space(struct ring *ring)
{
	atomic_store_explicit(&ring->space_armed, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}
