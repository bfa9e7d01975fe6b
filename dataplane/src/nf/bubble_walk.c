#include "nf/bubble_walk.h"

#include "nf/nf.h"

static inline uint32_t below(uint64_t *random, uint32_t bound)
{
	return (uint32_t)((uint64_t)nf_random(random) * bound >> 32);
}

/* Sattolo's shuffle: one cycle through all lines, so that a chase is as long as the working set. */
static void link_lines(volatile struct line *lines, uint32_t count, uint64_t *random)
{
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t other = below(random, i);
		uint64_t next = lines[i].next;

		lines[i].next = lines[other].next;
		lines[other].next = next;
	}
}

void walk_begin(const struct working_set *set, struct walk *walk)
{
	*walk = (struct walk){.random = nf_seed(set->count)};
	for (uint32_t i = 0; i < set->count; i++) {
		set->lines[i].next = i;
		set->lines[i].written = 0;
	}
	if (set->pattern == CHASE)
		link_lines(set->lines, set->count, &walk->random);
}

/* Behind the end, the next pass begins one line further than the last one did. */
static inline uint32_t after_stride(const struct working_set *set, uint32_t at)
{
	at += set->stride;
	if (at < set->count)
		return at;
	at = at % set->stride + 1;
	return at == set->stride ? 0 : at;
}

/* Inlined for each pattern: a call a line would cost more than a line in the cache does. */
static inline __attribute__((always_inline)) void walk_as(const struct working_set *set, struct walk *walk, uint32_t lines,
	enum pattern pattern)
{
	uint32_t at = walk->at, due = walk->due, written = 0;
	uint64_t random = walk->random;

	for (uint32_t i = 0; i < lines; i++) {
		if (pattern == STRIDE)
			at = after_stride(set, at);
		else if (pattern == RANDOM)
			at = below(&random, set->count);
		else
			at = (uint32_t)set->lines[at].next;
		due += set->write_share;
		if (due < WRITE_ALL) {
			(void)set->lines[at].written;
			continue;
		}
		due -= WRITE_ALL;
		written++;
		set->lines[at].written++;
	}
	walk->at = at;
	walk->due = due;
	walk->random = random;
	counter_add(&walk->touched, lines);
	counter_add(&walk->written, written);
}

void walk_step(const struct working_set *set, struct walk *walk, uint32_t lines)
{
	if (set->pattern == STRIDE)
		walk_as(set, walk, lines, STRIDE);
	else if (set->pattern == RANDOM)
		walk_as(set, walk, lines, RANDOM);
	else
		walk_as(set, walk, lines, CHASE);
}
