/* Figures as JSON. */
#ifndef SEXTANT_SRV6_FIGURES_H
#define SEXTANT_SRV6_FIGURES_H

#include <jansson.h>
#include <pthread.h>
#include <time.h>

#include "base/counter.h"
#include "base/process.h"

static inline json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static inline json_t *figure(const counter *value)
{
	return integer(counter_read(value));
}

/* Of a thread that sleeps in the kernel while it has nothing to do: all of it is work. */
static inline uint64_t thread_cpu_ns(pthread_t thread)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000ULL + (uint64_t)used.tv_nsec;
}

#endif
