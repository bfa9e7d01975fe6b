#include "base/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Not the PRIVATE operations: the word lies in memory that several processes share. */
void bell_ring(struct bell *bell)
{
	atomic_fetch_add_explicit(&bell->rings, 1, memory_order_seq_cst);
	(void)syscall(SYS_futex, &bell->rings, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void bell_wait(struct bell *bell, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000ULL),
		.tv_nsec = (long)(timeout_ns % 1000000000ULL),
	};

	(void)syscall(SYS_futex, &bell->rings, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}
