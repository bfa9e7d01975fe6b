#include "window_table.h"

#include <stdlib.h>
#include <string.h>

struct window_head *window_table_find(const struct window_table *table, uint32_t key)
{
	for (int i = 0; i < WINDOWS_MAX && table->windows[i] != NULL; i++)
		if (table->windows[i]->key == key)
			return table->windows[i];
	return NULL;
}

static struct window_head **place_for(struct window_table *table)
{
	struct window_head **place = &table->windows[0];

	for (int i = 0; i < WINDOWS_MAX; i++) {
		if (table->windows[i] == NULL)
			return &table->windows[i];
		if (table->windows[i]->last_ns < (*place)->last_ns)
			place = &table->windows[i];
	}
	return place;
}

struct window_head *window_table_get(struct window_table *table, uint32_t key, size_t size)
{
	struct window_head *found = window_table_find(table, key), **place;

	if (found != NULL)
		return found;
	place = place_for(table);
	if (*place == NULL)
		*place = malloc(size);
	if (*place == NULL)
		return NULL;
	memset(*place, 0, size);
	(*place)->key = key;
	return *place;
}
