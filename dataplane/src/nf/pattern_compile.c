#include "nf/pattern_compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounded.h"
#include "packets/sizes.h"

#define FLAGS (HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH)
#define COMPILE_SECONDS 4U
#define COMPILE_MEMORY (1UL << 30)
#define DATABASE_MAX (64UL << 20) /* 5000 ordinary patterns take 2 MiB */
#define NO_PATTERN UINT32_MAX

struct compiled { /* shared with the child */
	uint32_t pattern; /* the one being looked at, or refused */
	char cause[160];  /* empty: done */
	size_t size;
	char bytes[DATABASE_MAX];
};

static void say(struct compiled *out, uint32_t pattern, const char *cause)
{
	out->pattern = pattern;
	(void)snprintf(out->cause, sizeof(out->cause), "%s", cause);
}

static bool refused_alone(const char *text, struct compiled *out, uint32_t index)
{
	hs_compile_error_t *error = NULL;
	hs_expr_info_t *info = NULL;
	bool refused = true;

	out->pattern = index;
	if (hs_expression_info(text, FLAGS, &info, &error) != HS_SUCCESS)
		say(out, index, error == NULL ? "out of memory" : error->message);
	else if (info->min_width > PACKET_BYTES_MAX)
		say(out, index, "it matches only what is longer than any packet");
	else
		refused = false;
	hs_free_compile_error(error);
	free(info);
	return refused;
}

static void write_out(struct compiled *out, const hs_database_t *database)
{
	char *bytes = NULL;
	size_t size = 0;

	if (hs_serialize_database(database, &bytes, &size) != HS_SUCCESS || size > sizeof(out->bytes)) {
		say(out, NO_PATTERN, "the patterns' table is too large; give fewer or simpler patterns");
		return;
	}
	memcpy(out->bytes, bytes, size);
	out->size = size;
}

static void compile_all(const struct pattern_list *list, struct compiled *out)
{
	unsigned int *flags = calloc(list->count, sizeof(*flags)), *ids = calloc(list->count, sizeof(*ids));
	hs_compile_error_t *error = NULL;
	hs_database_t *database = NULL;

	if (flags == NULL || ids == NULL) {
		say(out, NO_PATTERN, "out of memory");
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		flags[i] = FLAGS;
		ids[i] = i;
	}
	out->pattern = NO_PATTERN;
	if (hs_compile_multi((const char *const *)list->texts, flags, ids, list->count, HS_MODE_BLOCK, NULL, &database,
		    &error) == HS_SUCCESS)
		write_out(out, database);
	else
		say(out, error == NULL || error->expression < 0 ? NO_PATTERN : (uint32_t)error->expression,
			error == NULL ? "out of memory" : error->message);
}

/* In the child, which ends afterwards: nothing is freed. */
static void work(void *argument, void *memory)
{
	const struct pattern_list *list = argument;

	for (uint32_t i = 0; i < list->count; i++)
		if (refused_alone(list->texts[i], memory, i))
			return;
	compile_all(list, memory);
}

static int refuse_compiled(const struct scope *scope, const struct pattern_list *list, const struct compiled *out,
	enum bounded_result end)
{
	const char *cause = out->cause;

	if (end == BOUNDED_STARVED)
		return fail(scope->err, E_START_FAILED, scope->at, "this host's cores are too busy to compile %u patterns: within %u s there "
			"were not %u s of CPU time for it; try again, or take load off them", list->count, BOUNDED_CLOCK_FACTOR * COMPILE_SECONDS,
			COMPILE_SECONDS);
	if (end == BOUNDED_TIMED_OUT)
		cause = "it takes more than 4 s or 1 GiB to compile; give simpler or fewer patterns";
	else if (end == BOUNDED_OUT_OF_MEMORY)
		cause = "this host has no memory left to compile in; remove a chain";
	else if (end == BOUNDED_CRASHED)
		cause = "the compiler does not survive it; give simpler or fewer patterns";
	if (out->pattern < list->count)
		return pattern_refuse(scope, list, out->pattern, cause);
	return refuse(scope, "", "the %u patterns together are refused: %.160s", list->count, cause);
}

static hs_database_t *read_back(const struct scope *scope, const struct pattern_list *list, const struct compiled *out,
	enum bounded_result end)
{
	hs_database_t *database = NULL;

	if (end != BOUNDED_DONE || out->cause[0] != '\0' || out->size == 0)
		(void)refuse_compiled(scope, list, out, end);
	else if (hs_deserialize_database(out->bytes, out->size, &database) != HS_SUCCESS)
		(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for the patterns' table; remove a chain");
	return database;
}

hs_database_t *pattern_compile(const struct scope *scope, const struct pattern_list *list)
{
	struct compiled *out = bounded_memory(sizeof(*out));
	hs_database_t *database;

	if (out == NULL) {
		(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory to compile the patterns; remove a chain");
		return NULL;
	}
	database = read_back(scope, list, out,
		bounded_run(work, (void *)(uintptr_t)list, out, COMPILE_SECONDS, COMPILE_MEMORY));
	bounded_memory_free(out, sizeof(*out));
	return database;
}
