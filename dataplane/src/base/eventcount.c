#include "base/eventcount.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Not the PRIVATE operations: several processes share the word. */
void eventcount_signal(struct eventcount *events)
{
	atomic_fetch_add_explicit(&events->count, 1, memory_order_seq_cst);
	(void)syscall(SYS_futex, &events->count, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void eventcount_wait(struct eventcount *events, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000ULL),
		.tv_nsec = (long)(timeout_ns % 1000000000ULL),
	};

	(void)syscall(SYS_futex, &events->count, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}
