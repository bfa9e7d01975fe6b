/* The clocks that packets are stamped with. */
#ifndef SEXTANT_SRV6_CLOCKS_H
#define SEXTANT_SRV6_CLOCKS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static inline uint64_t ms_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (to_ns - from_ns) / 1000000 : 0;
}

#endif
