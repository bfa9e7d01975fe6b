#include "control/protocol.h"

#include <string.h>

#include "chains/build.h"
#include "chains/chain.h"
#include "chains/interruption.h"
#include "chains/nf_change.h"
#include "control/report.h"
#include "packets/source_reader.h"

typedef json_t *(*handler)(struct runner *runner, const json_t *request, struct error *err);

static const char *read_name(const json_t *request, const char *key, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	const char *name;

	return config_name(&scope, request, key, NAME_CHARS, &name) < 0 ? NULL : name;
}

static struct chain *find_chain(struct runner *runner, const json_t *request, struct error *err)
{
	const char *name = read_name(request, "chain", err);
	struct chain *chain = name == NULL ? NULL : runner_find_chain(runner, name);

	if (chain == NULL && name != NULL)
		(void)fail(err, E_NOT_FOUND, "chain", "there is no chain '%s'", name);
	return chain;
}

static struct nf *find_nf(struct runner *runner, const json_t *request, struct error *err)
{
	const char *name = read_name(request, "nf", err);
	struct nf *nf = name == NULL ? NULL : runner_find_nf(runner, name);

	if (nf == NULL && name != NULL)
		(void)fail(err, E_NOT_FOUND, "nf", "there is no NF '%s'", name);
	return nf;
}

static json_t *operation_names(void);

static json_t *do_hello(struct runner *runner, const json_t *request, struct error *err)
{
	json_t *answer = report_hello(runner);

	(void)request;
	(void)err;
	json_object_set_new(answer, "operations", operation_names());
	return answer;
}

static json_t *do_query(struct runner *runner, const json_t *request, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	bool keep_peaks;

	if (config_bool(&scope, request, "keep_peaks", false, &keep_peaks) < 0)
		return NULL;
	return report_query(runner, keep_peaks);
}

static json_t *pids(const struct chain *chain)
{
	json_t *nfs = json_array();

	for (uint32_t i = 0; i < chain->nf_count; i++)
		json_array_append_new(nfs,
			json_pack("{s:s, s:i}", "nf", chain->nfs[i]->id, "pid", (int)chain->nfs[i]->group->pid));
	return nfs;
}

/* Microseconds, or null where it could not be measured. */
static json_t *interruption(struct runner *runner, struct chain *chain, const struct nf *nf)
{
	int64_t us = interruption_end(runner, chain, nf);

	return us < 0 ? json_null() : json_integer(us);
}

static json_t *do_add_chain(struct runner *runner, const json_t *request, struct error *err)
{
	struct chain_request wanted;
	struct chain *chain;

	if (chain_request_read(runner, request, &wanted, err) < 0)
		return NULL;
	chain = chain_add(runner, &wanted, err);
	if (chain == NULL)
		return NULL;
	return json_pack("{s:o}", "nfs", pids(chain));
}

static json_t *do_set_source(struct runner *runner, const json_t *request, struct error *err)
{
	struct chain *chain = find_chain(runner, request, err);
	struct source_config source;

	if (chain == NULL || source_config_read(json_object_get(request, "source"), &source, err) < 0 ||
	    chain_set_source(runner, chain, &source, err) < 0)
		return NULL;
	return json_object();
}

static json_t *do_move_nf(struct runner *runner, const json_t *request, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	struct nf *nf = find_nf(runner, request, err);
	uint64_t core;

	if (nf == NULL || config_uint(&scope, request, "core", 0, INT32_MAX, REQUIRED, &core) < 0)
		return NULL;
	interruption_begin(nf->chain);
	if (nf_move(runner, nf, (int)core, err) < 0)
		return NULL;
	return json_pack("{s:i, s:o, s:o}", "core", nf->core,
		"pid", nf->group->pid > 0 ? json_integer(nf->group->pid) : json_null(),
		"interruption_us", interruption(runner, nf->chain, nf));
}

static json_t *do_set_execution(struct runner *runner, const json_t *request, struct error *err)
{
	struct chain *chain = find_chain(runner, request, err);
	enum execution execution;

	if (chain == NULL || execution_read(request, &execution, err) < 0)
		return NULL;
	interruption_begin(chain);
	if (chain_set_execution(runner, chain, execution, err) < 0)
		return NULL;
	return json_pack("{s:o, s:o}", "nfs", pids(chain), "interruption_us", interruption(runner, chain, chain->nfs[0]));
}

static json_t *pause_or_resume(struct runner *runner, const json_t *request, bool paused, struct error *err)
{
	struct chain *chain = find_chain(runner, request, err);

	return chain == NULL || chain_pause(runner, chain, paused, err) < 0 ? NULL : json_object();
}

static json_t *do_pause_chain(struct runner *runner, const json_t *request, struct error *err)
{
	return pause_or_resume(runner, request, true, err);
}

static json_t *do_resume_chain(struct runner *runner, const json_t *request, struct error *err)
{
	return pause_or_resume(runner, request, false, err);
}

static json_t *do_restart_nf(struct runner *runner, const json_t *request, struct error *err)
{
	struct nf *nf = find_nf(runner, request, err);

	if (nf == NULL || nf_restart(runner, nf, err) < 0)
		return NULL;
	return json_pack("{s:i}", "pid", (int)nf->group->pid);
}

static json_t *do_configure_nf(struct runner *runner, const json_t *request, struct error *err)
{
	struct nf *nf = find_nf(runner, request, err);

	if (nf == NULL || nf_configure(nf, json_object_get(request, "config"), err) < 0)
		return NULL;
	return json_object();
}

static json_t *do_remove_chain(struct runner *runner, const json_t *request, struct error *err)
{
	struct chain *chain = find_chain(runner, request, err);
	uint64_t lost = 0;

	if (chain == NULL || chain_remove(runner, chain, &lost, err) < 0)
		return NULL;
	return json_pack("{s:I}", "lost_packets", (json_int_t)lost);
}

static json_t *do_shutdown(struct runner *runner, const json_t *request, struct error *err)
{
	(void)request;
	(void)err;
	runner->shutting_down = true;
	return json_object();
}

static const struct {
	const char *op;
	handler run;
	const char *fields[8];
} OPERATIONS[] = {
	{"hello", do_hello, {"id", "op"}},
	{"query", do_query, {"id", "op", "keep_peaks"}},
	{"add_chain", do_add_chain, {"id", "op", "chain", "nfs", "source", "execution", "paused"}},
	{"set_source", do_set_source, {"id", "op", "chain", "source"}},
	{"move_nf", do_move_nf, {"id", "op", "nf", "core"}},
	{"set_execution", do_set_execution, {"id", "op", "chain", "execution"}},
	{"pause_chain", do_pause_chain, {"id", "op", "chain"}},
	{"resume_chain", do_resume_chain, {"id", "op", "chain"}},
	{"restart_nf", do_restart_nf, {"id", "op", "nf"}},
	{"configure_nf", do_configure_nf, {"id", "op", "nf", "config"}},
	{"remove_chain", do_remove_chain, {"id", "op", "chain"}},
	{"shutdown", do_shutdown, {"id", "op"}},
};

static json_t *operation_names(void)
{
	json_t *names = json_array();

	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++)
		json_array_append_new(names, json_string(OPERATIONS[i].op));
	return names;
}

static json_t *dispatch(struct runner *runner, const json_t *request, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	const json_t *id = json_object_get(request, "id");
	const char *op = json_string_value(json_object_get(request, "op"));

	if (!json_is_object(request))
		return refuse(&scope, "", "a JSON object is expected"), NULL;
	if (id != NULL && !json_is_integer(id) && !json_is_string(id))
		return refuse(&scope, "id", "a whole number or a string is expected"), NULL;
	if (op == NULL)
		return refuse(&scope, "op", "the name of an operation is expected"), NULL;
	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++) {
		if (strcmp(OPERATIONS[i].op, op) != 0)
			continue;
		if (config_object(&scope, request, OPERATIONS[i].fields) < 0)
			return NULL;
		return OPERATIONS[i].run(runner, request, err);
	}
	return fail(err, E_UNKNOWN_OP, "op", "there is no operation '%.64s'", op), NULL;
}

json_t *protocol_refusal(json_t *id, const struct error *err)
{
	json_t *answer = json_pack("{s:b, s:{s:s, s:s, s:s}}", "ok", 0, "error", "code", err->code, "field", err->field,
		"message", err->message);

	/* Texts that quote a request stay valid UTF-8 only if nothing was cut within a character. */
	if (answer == NULL)
		answer = json_pack("{s:b, s:{s:s, s:s, s:s}}", "ok", 0, "error", "code", err->code, "field", "",
			"message", "the request is refused");
	json_object_set(answer, "id", id == NULL ? json_null() : id);
	return answer;
}

static const struct chain *chain_of_request(struct runner *runner, const json_t *request)
{
	const char *chain = json_string_value(json_object_get(request, "chain"));
	const char *name = json_string_value(json_object_get(request, "nf"));
	const struct nf *nf = chain != NULL || name == NULL ? NULL : runner_find_nf(runner, name);

	if (chain != NULL)
		return runner_find_chain(runner, chain);
	return nf == NULL ? NULL : nf->chain;
}

static bool waits_for_build(struct runner *runner, const json_t *request, const char *op)
{
	const struct chain *chain = chain_of_request(runner, request);

	if (strcmp(op, "add_chain") == 0 || strcmp(op, "restart_nf") == 0)
		return true;
	if (chain == NULL || chain != build_chain(runner))
		return false;
	if (strcmp(op, "remove_chain") != 0)
		return true;
	build_cancel(runner, NULL);
	return chain_is_ready(chain); /* an NF of it was to be restarted: first that is undone */
}

bool protocol_must_wait(struct runner *runner, const char *line, size_t length)
{
	json_t *request;
	const char *op;
	bool waits;

	if (!runner->queries_only && runner->build == NULL)
		return false;
	request = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	op = json_string_value(json_object_get(request, "op"));
	if (op == NULL || strcmp(op, "hello") == 0 || strcmp(op, "query") == 0)
		waits = false;
	else
		waits = runner->queries_only || waits_for_build(runner, request, op);
	json_decref(request);
	return waits;
}

json_t *protocol_answer(struct runner *runner, const char *line, size_t length)
{
	struct error err = {0};
	json_error_t where;
	json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
	json_t *id = json_object_get(request, "id"), *answer = NULL;

	if (request == NULL)
		(void)fail(&err, E_BAD_REQUEST, "", "the line is not valid JSON (character %d)", where.position);
	else
		answer = dispatch(runner, request, &err);
	if (answer == NULL) {
		if (err.code == NULL)
			(void)fail(&err, E_INTERNAL, "", "out of memory");
		answer = protocol_refusal(json_is_integer(id) || json_is_string(id) ? id : NULL, &err);
	} else {
		json_object_set_new(answer, "ok", json_true());
		json_object_set(answer, "id", id == NULL ? json_null() : id);
	}
	json_decref(request);
	return answer;
}
