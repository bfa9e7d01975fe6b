/* Windows by what they are of: of too many, the one that has been silent for longest is forgotten. Pure. */
#ifndef SEXTANT_SRV6_WINDOW_TABLE_H
#define SEXTANT_SRV6_WINDOW_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define WINDOWS_MAX 256

/* What each begins with. */
struct window_head {
	uint32_t key;
	uint64_t last_ns; /* when a packet came last */
};

/* Those in use come first. */
struct window_table {
	struct window_head *windows[WINDOWS_MAX];
};

/* The window of `key`; one that was not there is made, of `size` bytes, all zero behind its head. NULL without memory. */
struct window_head *window_table_get(struct window_table *table, uint32_t key, size_t size);
/* The same where it is there, otherwise NULL. */
struct window_head *window_table_find(const struct window_table *table, uint32_t key);

#endif
