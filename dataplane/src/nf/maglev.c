#include "nf/maglev.h"

#include <rte_jhash.h>
#include <string.h>

#define FREE UINT16_MAX
#define OFFSET_SEED 0x6d61676cU /* any two different ones */
#define SKIP_SEED 0x65762d32U

struct cursor {
	uint32_t at, skip; /* the permutation: at, at + skip, at + 2 skip, ... modulo the size */
	uint32_t credit;
};

/* Claims the next free place of a backend's permutation. */
static void claim(uint16_t *table, uint32_t size, struct cursor *cursor, uint16_t value)
{
	while (table[cursor->at] != FREE)
		cursor->at = (cursor->at + cursor->skip) % size;
	table[cursor->at] = value;
}

static uint32_t heaviest(const struct maglev_backend *backends, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		if (backends[i].weight > most)
			most = backends[i].weight;
	return most;
}

/* The heaviest has a turn in every round, the others in the share of the rounds that their weight is of its. */
void maglev_fill(uint16_t *table, uint32_t size, const struct maglev_backend *backends, uint32_t count)
{
	uint32_t most = heaviest(backends, count), filled = 0;
	struct cursor cursors[MAGLEV_BACKENDS_MAX];

	memset(table, 0xff, size * sizeof(*table));
	for (uint32_t i = 0; i < count; i++)
		cursors[i] = (struct cursor){.at = rte_jhash_1word(backends[i].identity, OFFSET_SEED) % size,
			.skip = rte_jhash_1word(backends[i].identity, SKIP_SEED) % (size - 1) + 1};
	while (filled < size) {
		for (uint32_t i = 0; i < count && filled < size; i++) {
			cursors[i].credit += backends[i].weight;
			if (cursors[i].credit < most)
				continue;
			cursors[i].credit -= most;
			claim(table, size, &cursors[i], backends[i].value);
			filled++;
		}
	}
}
