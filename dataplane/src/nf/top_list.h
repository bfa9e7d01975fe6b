/* The few entries with the most packets, for `describe`: an answer must not grow with a table. */
#ifndef SEXTANT_TOP_LIST_H
#define SEXTANT_TOP_LIST_H

#include <stdint.h>

struct top_entry {
	uint32_t index;
	uint64_t packets; /* 0: no entry */
};

/* Keeps `list` sorted, most packets first, earlier of equals first; what falls off its end is forgotten. */
static inline void top_insert(struct top_entry *list, uint32_t length, uint32_t index, uint64_t packets)
{
	struct top_entry entry = {index, packets};

	for (uint32_t i = 0; i < length; i++) {
		struct top_entry before = list[i];

		if (entry.packets <= before.packets)
			continue;
		list[i] = entry;
		entry = before;
	}
}

#endif
