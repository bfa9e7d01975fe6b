/* The kernel's way of writing sets of CPUs: `0-3,8`. */
#ifndef SEXTANT_CPU_LIST_H
#define SEXTANT_CPU_LIST_H

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#define CORES_MAX CPU_SETSIZE

static inline bool cpu_list_holds(const char *list, unsigned int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long low = strtoul(list, &end, 10), high = *end == '-' ? strtoul(end + 1, &end, 10) : low;

		if (low <= cpu && cpu <= high)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

#endif
