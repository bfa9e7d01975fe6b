#include "nf/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nf/text_lines.h"

#define LISTED_MAX 10000U
#define RULES_MAX 20000U /* of both: rte_acl's build takes some seconds for so many if they overlap badly */
#define FILE_BYTES_MAX (4U << 20)

int rules_read_action(const json_t *object, const struct scope *scope, const char *key, uint32_t fallback, uint32_t *out)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	if (value == NULL && fallback != 0)
		*out = fallback;
	else if (text != NULL && strcmp(text, "allow") == 0)
		*out = ALLOW;
	else if (text != NULL && strcmp(text, "deny") == 0)
		*out = DENY;
	else
		return refuse(scope, key, "'allow' or 'deny' is expected");
	return 0;
}

/* [first, last], both inclusive; absent or null means every port. */
static int read_ports(const json_t *object, const struct scope *scope, struct rule *rule)
{
	const json_t *range = json_object_get(object, "dst_port");
	json_int_t first = json_integer_value(json_array_get(range, 0)), last = json_integer_value(json_array_get(range, 1));

	rule->first_port = 0;
	rule->last_port = UINT16_MAX;
	if (range == NULL || json_is_null(range))
		return 0;
	if (json_array_size(range) != 2 || !json_is_integer(json_array_get(range, 0)) ||
	    !json_is_integer(json_array_get(range, 1)) || first < 0 || last > UINT16_MAX || first > last)
		return refuse(scope, "dst_port", "[first, last] with 0 <= first <= last <= 65535 is expected");
	rule->first_port = (uint16_t)first;
	rule->last_port = (uint16_t)last;
	return 0;
}

/* A rule that names addresses speaks of their family alone. */
static int read_end(const json_t *object, const struct scope *scope, const char *key, struct rule *rule,
	struct prefix *out, struct prefix6 *out6)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	bool *other;

	*out = (struct prefix){0};
	*out6 = (struct prefix6){0};
	if (value == NULL)
		return 0;
	other = text != NULL && prefix6_is_meant(text) ? &rule->ipv4 : &rule->ipv6;
	*other = false;
	if (!rule->ipv4 && !rule->ipv6)
		return refuse(scope, key, "a rule has one address family; write a rule for each");
	if (!rule->ipv6)
		return config_prefix(scope, object, key, out);
	return prefix6_parse(text, out6) < 0 ? refuse(scope, key, PREFIX6_EXPECTED) : 0;
}

static int read_rule(const json_t *object, const struct scope *scope, struct rule *rule)
{
	static const char *const fields[] = {"action", "src", "dst", "protocol", "dst_port", NULL};

	rule->protocol = 0;
	rule->ipv4 = rule->ipv6 = true;
	if (config_object(scope, object, fields) < 0 || rules_read_action(object, scope, "action", 0, &rule->action) < 0 ||
	    read_end(object, scope, "src", rule, &rule->src, &rule->src6) < 0 ||
	    read_end(object, scope, "dst", rule, &rule->dst, &rule->dst6) < 0 ||
	    (json_object_get(object, "protocol") != NULL &&
	     config_protocol(scope, object, "protocol", &rule->protocol) < 0))
		return -1;
	return read_ports(object, scope, rule);
}

static int read_listed(const json_t *list, const struct scope *scope, struct rules *out)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		char at[ERROR_FIELD_MAX];
		struct scope inner = {.code = scope->code, .at = at, .err = scope->err};

		(void)snprintf(at, sizeof(at), "%s.rules.%zu", scope->at, i);
		if (read_rule(json_array_get(list, i), &inner, &out->list[out->count]) < 0)
			return -1;
		out->count++;
	}
	return 0;
}

/* One JSON object, with the fields that a rule of the list has. The refusal names the line, then the field. */
static int read_line(const char *line, uint32_t number, const struct scope *scope, struct rule *out)
{
	struct error wrong = {0};
	struct scope inner = {.code = scope->code, .at = "", .err = &wrong};
	json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	int status = -1;

	if (!json_is_object(object))
		(void)refuse(scope, "rules_file", "line %u: a JSON object is expected, as {\"action\": \"deny\"}", number);
	else if (read_rule(object, &inner, out) == 0)
		status = 0;
	else
		(void)refuse(scope, "rules_file", "line %u: %s: %s", number, wrong.field, wrong.message);
	json_decref(object);
	return status;
}

static int read_file(const struct artefact *file, const struct scope *scope, struct rules *out)
{
	uint32_t room = out->count;
	struct text_lines lines;
	const char *line;

	if (text_lines_open(&lines, scope, "rules_file", file) < 0)
		return -1;
	while ((line = text_lines_next(&lines)) != NULL) {
		if (out->count == RULES_MAX)
			return refuse(scope, "rules_file", "line %u: a table has %u rules at most", lines.number, RULES_MAX);
		if (out->count == room) {
			struct rule *list = reallocarray(out->list, room * 2 + 64, sizeof(*list));

			if (list == NULL)
				return refuse(scope, "rules_file", "out of memory");
			out->list = list;
			room = room * 2 + 64;
		}
		if (read_line(line, lines.number, scope, &out->list[out->count]) < 0)
			return -1;
		out->count++;
	}
	return 0;
}

static int read_both(const json_t *list, const struct artefact *file, const struct scope *scope, struct rules *out)
{
	out->list = calloc(json_array_size(list) + 1, sizeof(*out->list));
	if (out->list == NULL)
		return refuse(scope, "rules", "out of memory");
	if (read_listed(list, scope, out) < 0)
		return -1;
	return read_file(file, scope, out);
}

int rules_read(const json_t *config, const struct scope *scope, struct rules *out)
{
	const json_t *list = json_object_get(config, "rules");
	struct artefact file;
	int status;

	*out = (struct rules){0};
	if ((list != NULL && !json_is_array(list)) || json_array_size(list) > LISTED_MAX)
		return refuse(scope, "rules", "a list of at most %u rules is expected; put more into a rules_file", LISTED_MAX);
	if (artefact_read(scope, config, "rules_file", FILE_BYTES_MAX, &file) < 0)
		return -1;
	status = read_both(list, &file, scope, out);
	artefact_free(&file);
	return status;
}

void rules_free(struct rules *rules)
{
	free(rules->list);
	*rules = (struct rules){0};
}
