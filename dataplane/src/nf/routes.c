#include "nf/routes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nf/text_lines.h"

#define LISTED_MAX 10000U
#define FILE_MAX 1000000U
#define FILE_BYTES_MAX (32U << 20)
#define SPACE " \t"
#define BLOCKS (1U << 24) /* /24 prefixes there are */

/* "192.168.0.0/16" or "2001:db8::/32" as the next route; NULL, or what is wrong with it. */
static const char *add_route(struct routes *out, const char *prefix, uint16_t hop)
{
	if (!prefix6_is_meant(prefix)) {
		if (prefix_parse(prefix, &out->list[out->count].prefix) < 0)
			return PREFIX_EXPECTED;
		out->list[out->count++].hop = hop;
		return NULL;
	}
	if (out->count6 == ROUTES6_MAX)
		return "a table has 1000 routes of IPv6 at most";
	if (prefix6_parse(prefix, &out->list6[out->count6].prefix) < 0)
		return PREFIX6_EXPECTED;
	out->list6[out->count6++].hop = hop;
	return NULL;
}

static int read_listed(const json_t *list, const struct scope *scope, struct routes *out)
{
	static const char *const fields[] = {"prefix", "next_hop", NULL};

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *object = json_array_get(list, i);
		const char *prefix = json_string_value(json_object_get(object, "prefix")), *wrong;
		char at[ERROR_FIELD_MAX];
		struct scope inner = {.code = scope->code, .at = at, .err = scope->err};
		uint64_t hop;

		(void)snprintf(at, sizeof(at), "%s.routes.%zu", scope->at, i);
		if (prefix == NULL)
			return refuse(&inner, "prefix", PREFIX_EXPECTED);
		if (config_object(&inner, object, fields) < 0 ||
		    config_uint(&inner, object, "next_hop", 0, NEXT_HOPS - 1, REQUIRED, &hop) < 0)
			return -1;
		wrong = add_route(out, prefix, (uint16_t)hop);
		if (wrong != NULL)
			return refuse(&inner, "prefix", "%s", wrong);
	}
	return 0;
}

/* "192.168.0.0/16 7"; NULL, or what is wrong with it. */
static const char *read_line(char *line, struct routes *out)
{
	char *hop = line + strcspn(line, SPACE), *end;
	unsigned long number;

	if (*hop == '\0')
		return "a prefix and a next hop are expected, as 192.168.0.0/16 7";
	*hop++ = '\0';
	hop += strspn(hop, SPACE);
	number = strtoul(hop, &end, 10);
	if (!isdigit((unsigned char)*hop) || *end != '\0' || number >= NEXT_HOPS)
		return "the next hop is to be a whole number from 0 to 65535";
	return add_route(out, line, (uint16_t)number);
}

static int read_file(const struct artefact *file, const struct scope *scope, struct routes *out)
{
	uint32_t most = out->count + FILE_MAX;
	struct text_lines lines;
	const char *wrong;
	char *line;

	if (text_lines_open(&lines, scope, "routes_file", file) < 0)
		return -1;
	while ((line = text_lines_next(&lines)) != NULL) {
		if (out->count == most)
			return refuse(scope, "routes_file", "line %u: a table has %u routes at most", lines.number, FILE_MAX);
		wrong = read_line(line, out);
		if (wrong != NULL)
			return refuse(scope, "routes_file", "line %u: %s", lines.number, wrong);
	}
	return 0;
}

static uint32_t count_lines(const struct artefact *file)
{
	uint32_t lines = 1;

	for (size_t i = 0; i < file->size; i++)
		lines += file->bytes[i] == '\n';
	return lines;
}

static int count_groups(const struct scope *scope, struct routes *routes)
{
	uint8_t *seen = calloc(BLOCKS / 8, 1);

	if (seen == NULL)
		return refuse(scope, "routes", "out of memory");
	for (uint32_t i = 0; i < routes->count; i++) {
		uint32_t block = routes->list[i].prefix.address >> 8;

		if (routes->list[i].prefix.length <= 24)
			continue;
		routes->groups += (seen[block / 8] >> block % 8 & 1) == 0;
		seen[block / 8] = (uint8_t)(seen[block / 8] | 1U << block % 8);
	}
	free(seen);
	return 0;
}

static int read_both(const json_t *list, const struct artefact *file, const struct scope *scope, struct routes *out)
{
	out->list = calloc(json_array_size(list) + count_lines(file), sizeof(*out->list));
	out->list6 = calloc(ROUTES6_MAX, sizeof(*out->list6));
	if (out->list == NULL || out->list6 == NULL)
		return refuse(scope, "routes", "out of memory");
	if (read_listed(list, scope, out) < 0 || read_file(file, scope, out) < 0)
		return -1;
	return count_groups(scope, out);
}

int routes_read(const json_t *config, const struct scope *scope, struct routes *out)
{
	const json_t *list = json_object_get(config, "routes");
	struct artefact file;
	int status;

	*out = (struct routes){0};
	if ((list != NULL && !json_is_array(list)) || json_array_size(list) > LISTED_MAX)
		return refuse(scope, "routes", "a list of at most %u routes is expected; put more into a routes_file", LISTED_MAX);
	if (artefact_read(scope, config, "routes_file", FILE_BYTES_MAX, &file) < 0)
		return -1;
	status = read_both(list, &file, scope, out);
	artefact_free(&file);
	return status;
}

void routes_free(struct routes *routes)
{
	free(routes->list);
	free(routes->list6);
	*routes = (struct routes){0};
}
