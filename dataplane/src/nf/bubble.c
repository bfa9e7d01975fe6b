/*
 * Memory walker: passes every packet on after touching a set number of cache lines of a working set, so that it presses
 * on the caches or on the memory's bandwidth at a rate that the packets set: lines x 64 bytes x packets a second.
 */
#include <rte_eal.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bounded.h"
#include "base/free_memory.h"
#include "nf/bubble_walk.h"
#include "nf/nf.h"
#include "nf/working_set_memory.h"

#define BYTES_LEAST 4096U
#define BYTES_MAX (256U << 20)
#define LINES_MAX 4096U

#define FILL_HERE_MAX (2U << 20) /* sooner done than a process is made */
#define FILL_SECONDS 30U
#define MAP_BYTES (2U << 20)

struct bubble {
	struct working_set set;
	struct walk *walk;
	uint32_t lines_per_packet;
	/* Bytes that this process has mapped: in its own memory, so that a process that takes over begins at 0 again. */
	size_t mapped;
};

static void close_bubble(void *state)
{
	struct bubble *bubble = state;

	working_set_free((void *)(uintptr_t)bubble->set.lines, bubble->set.count * sizeof(struct line));
	rte_free(bubble->walk);
	free(bubble);
}

static int read_pattern(const json_t *config, const struct scope *scope, enum pattern *out)
{
	static const char *const names[] = {[STRIDE] = "stride", [RANDOM] = "random", [CHASE] = "chase"};
	const json_t *value = json_object_get(config, "pattern");

	*out = RANDOM;
	if (value == NULL)
		return 0;
	for (*out = STRIDE; *out <= CHASE; (*out)++)
		if (json_is_string(value) && strcmp(json_string_value(value), names[*out]) == 0)
			return 0;
	return refuse(scope, "pattern", "'stride', 'random' or 'chase' is expected");
}

/* Bytes as a number of whole lines. */
static int read_lines(const json_t *config, const struct scope *scope, const char *key, uint64_t least, uint64_t most,
	int64_t fallback, uint32_t *out)
{
	uint64_t bytes;

	if (config_uint(scope, config, key, least, most, fallback, &bytes) < 0)
		return -1;
	if (bytes % LINE_BYTES != 0)
		return refuse(scope, key, "a multiple of %u (a cache line) is expected", LINE_BYTES);
	*out = (uint32_t)(bytes / LINE_BYTES);
	return 0;
}

static int read_config(const json_t *config, const struct scope *scope, struct bubble *bubble)
{
	static const char *const fields[] = {
		"working_set_bytes", "lines_per_packet", "pattern", "stride_bytes", "write_share", NULL};
	struct working_set *set = &bubble->set;
	uint64_t lines;
	double share = 0;

	if (config_object(scope, config, fields) < 0 ||
	    read_lines(config, scope, "working_set_bytes", BYTES_LEAST, BYTES_MAX, 1 << 20, &set->count) < 0 ||
	    read_lines(config, scope, "stride_bytes", LINE_BYTES, (uint64_t)set->count * LINE_BYTES, LINE_BYTES, &set->stride) < 0 ||
	    config_uint(scope, config, "lines_per_packet", 0, LINES_MAX, 16, &lines) < 0 ||
	    (json_object_get(config, "write_share") != NULL &&
	     config_real(scope, config, "write_share", 0, 1, &share) < 0) ||
	    read_pattern(config, scope, &set->pattern) < 0)
		return -1;
	bubble->lines_per_packet = (uint32_t)lines;
	set->write_share = (uint32_t)(share * WRITE_ALL);
	return 0;
}

static int take_memory(const struct scope *scope, struct bubble *bubble)
{
	size_t bytes = bubble->set.count * sizeof(struct line);
	uint64_t room = free_memory_bytes();

	/* Ordinary pages are a promise: who touches more of them than there are gets killed. */
	if (!rte_eal_has_hugepages() && room < bytes)
		return fail(scope->err, E_NO_ROOM, scope->at, "a working set of %zu MiB, but this host has only %llu MiB free; "
			"make it smaller", bytes >> 20, (unsigned long long)(room >> 20));
	bubble->set.lines = working_set_allocate(bytes);
	bubble->walk = rte_zmalloc(NULL, sizeof(*bubble->walk), LINE_BYTES);
	if (bubble->set.lines == NULL || bubble->walk == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "the runner has no %zu KiB left for this working set; "
			"remove a chain, make the working set smaller, or start the runner with more --memory-mb", bytes >> 10);
	return 0;
}

static void fill(void *argument, void *memory)
{
	const struct bubble *bubble = argument;

	(void)memory;
	walk_begin(&bubble->set, bubble->walk);
}

/* Takes the pages: in a child, so that the kernel, if it has not so many after all, ends that and nobody else. */
static int fill_set(const struct scope *scope, struct bubble *bubble)
{
	size_t bytes = bubble->set.count * sizeof(struct line);
	enum bounded_result end = BOUNDED_DONE;

	if (bytes <= FILL_HERE_MAX)
		fill(bubble, NULL);
	else
		end = bounded_run(fill, bubble, NULL, FILL_SECONDS, 0);
	if (end == BOUNDED_DONE)
		return 0;
	return fail(scope->err, end == BOUNDED_OUT_OF_MEMORY ? E_NO_ROOM : E_START_FAILED, scope->at, "a working set of %zu MiB, %s; "
		"make it smaller", bytes >> 20, end == BOUNDED_OUT_OF_MEMORY ? "and the kernel had no memory left when it was filled" :
		"which could not be filled");
}

static void *open_bubble(const json_t *config, const struct scope *scope, const char *tag)
{
	struct bubble *bubble = calloc(1, sizeof(*bubble));

	(void)tag;
	if (bubble == NULL)
		return NULL;
	if (read_config(config, scope, bubble) == 0 && take_memory(scope, bubble) == 0 && fill_set(scope, bubble) == 0)
		return bubble;
	close_bubble(bubble);
	return NULL;
}

/*
 * The memory is there, but a new process meets a fault at the first touch of every page, dearer than hundreds of lines.
 * So it maps the working set ahead, a piece before each burst. A kernel that cannot (before 5.14) leaves it to the walk.
 */
static void map_ahead(struct bubble *bubble)
{
	size_t bytes = bubble->set.count * sizeof(struct line), page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)bubble->set.lines + bubble->mapped) & ~(page - 1);

	(void)madvise((void *)from, RTE_MIN(MAP_BYTES, bytes - bubble->mapped), MADV_POPULATE_WRITE);
	bubble->mapped += RTE_MIN(MAP_BYTES, bytes - bubble->mapped);
}

static uint32_t process_bubble(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct bubble *bubble = state;

	(void)packets;
	if (bubble->mapped < bubble->set.count * sizeof(struct line))
		map_ahead(bubble);
	walk_step(&bubble->set, bubble->walk, count * bubble->lines_per_packet);
	return (uint32_t)((1ULL << count) - 1);
}

static uint32_t primitive_bubble(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct bubble *bubble = state;

	(void)packets;
	walk_step(&bubble->set, bubble->walk, count * bubble->lines_per_packet);
	return 0;
}

static void describe_bubble(const void *state, json_t *out)
{
	const struct walk *walk = ((const struct bubble *)state)->walk;

	json_object_set_new(out, "touched_lines", json_integer((json_int_t)counter_read(&walk->touched)));
	json_object_set_new(out, "written_lines", json_integer((json_int_t)counter_read(&walk->written)));
}

const struct nf_type NF_BUBBLE = {.name = "bubble", .repeatable = true, .open = open_bubble, .process = process_bubble,
	.primitive = primitive_bubble, .describe = describe_bubble, .close = close_bubble};
