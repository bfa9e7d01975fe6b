#include "shared/ring.h"

#include <string.h>

void ring_reset(struct ring *ring, struct bell *producer, struct bell *consumer)
{
	memset(ring, 0, sizeof(*ring));
	ring_hand_over(ring, producer, consumer);
}

void ring_hand_over(struct ring *ring, struct bell *producer, struct bell *consumer)
{
	atomic_store(&ring->producer, producer);
	atomic_store(&ring->consumer, consumer);
}

/*
 * The fence orders our publication before the look at the sleeper's flag; ring_want_* orders the flag before the
 * look at the ring. So one of the two always sees the other, and no wake-up is lost. The bell is read after the flag was
 * taken back: if it is still the bell of the process that stood there before, the flag was not yet its successor's.
 */
static bool wake(_Atomic uint32_t *need, _Atomic(struct bell *) *bell)
{
	if (atomic_load_explicit(need, memory_order_relaxed) == 0)
		return false;
	atomic_store(need, 0);
	bell_ring(atomic_load(bell));
	return true;
}

bool ring_signal_data(struct ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return wake(&ring->need_data, &ring->consumer);
}

void ring_signal_room(struct ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (ring_used(ring) <= RING_SIZE / 2)
		wake(&ring->need_room, &ring->producer);
}

void ring_want_data(struct ring *ring)
{
	atomic_store_explicit(&ring->need_data, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

void ring_want_room(struct ring *ring)
{
	atomic_store_explicit(&ring->need_room, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}
