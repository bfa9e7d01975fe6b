#include "protocol.h"

#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "verbs.h"

#define FIELDS_MAX 8

#define ALWAYS 1   /* even where packets cannot be carried */
#define UNLOCKED 2 /* it may wait, and changes nothing */

static const struct {
	const char *op;
	verb run;
	int flags;
	const char *required[FIELDS_MAX], *optional[FIELDS_MAX];
} VERBS[] = {
	{"hello", do_hello, ALWAYS, {NULL}, {NULL}},
	{"set_host", do_set_host, 0, {"own", "others", "sources"}, {NULL}},
	{"attach", do_attach, 0, {"port", "kind"}, {NULL}},
	{"detach", do_detach, 0, {"port"}, {NULL}},
	{"add_edge", do_add_edge, 0, {"chain"}, {"mtu"}},
	{"add_exit", do_add_exit, 0, {"chain", "tag", "sid"}, {"mtu"}},
	{"add_nf", do_add_nf, 0, {"nf_id", "tag", "sid", "device"}, {"mtu"}},
	{"add_firewall", do_add_firewall, 0, {"nf_id", "tag", "sid", "device", "segments", "rules", "default_action"}, {"mtu"}},
	{"set_rules", do_set_rules, 0, {"nf_id", "segments", "rules", "default_action"}, {NULL}},
	{"remove", do_remove, 0, {NULL}, {"chain", "kind", "nf_id"}},
	{"set_path", do_set_path, 0, {"tag", "source", "segments", "mtu"}, {"chain", "port"}},
	{"set_way", do_set_way, 0, {"tag", "sid"}, {"port", "mac", "local"}},
	{"remove_way", do_remove_way, 0, {"tag", "sid"}, {NULL}},
	{"ways", do_ways, 0, {NULL}, {NULL}},
	{"links", do_links, UNLOCKED, {NULL}, {"up", "wait_ms"}},
	{"read", do_read, 0, {NULL}, {NULL}},
	{"firewalls", do_firewalls, 0, {NULL}, {NULL}},
	{"windows", do_windows, 0, {NULL}, {NULL}},
	{"capture", do_capture, UNLOCKED, {"tag", "count", "wait_ms"}, {NULL}},
};
#define VERB_COUNT (sizeof(VERBS) / sizeof(VERBS[0]))

static int has_its_fields(const json_t *request, size_t number, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	const char *known[2 * FIELDS_MAX + 3] = {"id", "op"};
	size_t count = 2;

	for (size_t i = 0; i < FIELDS_MAX && VERBS[number].required[i] != NULL; i++)
		known[count++] = VERBS[number].required[i];
	for (size_t i = 0; i < FIELDS_MAX && VERBS[number].optional[i] != NULL; i++)
		known[count++] = VERBS[number].optional[i];
	if (config_object(&scope, request, known) < 0)
		return -1;
	for (size_t i = 0; i < FIELDS_MAX && VERBS[number].required[i] != NULL; i++)
		if (json_object_get(request, VERBS[number].required[i]) == NULL)
			return fail(err, E_BAD_REQUEST, VERBS[number].required[i], "is missing");
	return 0;
}

static json_t *dispatch(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	const json_t *id = json_object_get(request, "id");
	const char *op = json_string_value(json_object_get(request, "op"));
	json_t *answer;

	if (id != NULL && !json_is_integer(id) && !json_is_string(id))
		return fail(err, E_BAD_REQUEST, "id", "a whole number or a string is expected"), NULL;
	if (op == NULL)
		return fail(err, E_BAD_REQUEST, "op", "the name of a verb is expected"), NULL;
	for (size_t i = 0; i < VERB_COUNT; i++) {
		if (strcmp(VERBS[i].op, op) != 0)
			continue;
		if (has_its_fields(request, i, err) < 0)
			return NULL;
		if (!(VERBS[i].flags & ALWAYS) && daemon->reason.code != NULL)
			return fail(err, E_NOT_AVAILABLE, "", "%s", daemon->reason.message), NULL;
		if (VERBS[i].flags & UNLOCKED)
			return VERBS[i].run(daemon, request, passed, err);
		(void)pthread_mutex_lock(&daemon->lock);
		answer = VERBS[i].run(daemon, request, passed, err);
		(void)pthread_mutex_unlock(&daemon->lock);
		return answer;
	}
	return fail(err, E_UNKNOWN_OP, "op", "there is no verb '%.64s'", op), NULL;
}

json_t *protocol_refusal(json_t *id, const struct error *err)
{
	json_t *answer = json_pack("{s:b, s:{s:s, s:o, s:s}}", "ok", 0, "error", "code", err->code, "field",
		err->field[0] != '\0' ? json_string(err->field) : json_null(), "message", err->message);

	if (answer != NULL)
		(void)json_object_set_new(answer, "id", id == NULL ? json_null() : id);
	return answer;
}

json_t *protocol_answer(struct daemon *daemon, const char *line, size_t length, int *passed)
{
	json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL), *answer = NULL, *id;
	struct error err = {0};

	*passed = -1;
	if (!json_is_object(request))
		(void)fail(&err, E_BAD_REQUEST, "", "the line is not one JSON object, or a field stands twice in it");
	else
		answer = dispatch(daemon, request, passed, &err);
	id = json_incref(json_object_get(request, "id"));
	json_decref(request);
	if (answer == NULL) {
		if (*passed >= 0)
			(void)close(*passed);
		*passed = -1;
		if (err.code == NULL)
			(void)fail(&err, E_INTERNAL, "", "no memory for an answer");
		return protocol_refusal(json_is_integer(id) || json_is_string(id) ? id : NULL, &err);
	}
	(void)json_object_set_new(answer, "ok", json_true());
	(void)json_object_set_new(answer, "id", id == NULL ? json_null() : id);
	return answer;
}
