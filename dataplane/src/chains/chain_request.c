#include "chains/chain_request.h"

#include <stdio.h>
#include <string.h>

#include "chains/cores.h"
#include "nf/registry.h"
#include "packets/source_reader.h"

static const char *const NF_FIELDS[] = {"nf", "type", "core", "config", "exclusive", NULL};

static const char *const EXECUTIONS[] = {[ISOLATED] = "isolated", [RUN_TO_COMPLETION] = "run-to-completion"};

const char *execution_name(enum execution execution)
{
	return EXECUTIONS[execution];
}

int execution_read(const json_t *request, enum execution *out, struct error *err)
{
	const char *text = json_string_value(json_object_get(request, "execution"));

	for (*out = ISOLATED; *out <= RUN_TO_COMPLETION; (*out)++)
		if (text != NULL && strcmp(text, EXECUTIONS[*out]) == 0)
			return 0;
	return fail(err, E_BAD_REQUEST, "execution", "'isolated' or 'run-to-completion' is expected");
}

/* `exclusive` also holds among the NFs of one request. */
static int check_exclusive(const struct chain_request *out, uint32_t index, const char *field, struct error *err)
{
	for (uint32_t i = 0; i < index; i++)
		if (out->nfs[i].core == out->nfs[index].core && (out->nfs[i].exclusive || out->nfs[index].exclusive))
			return fail(err, E_CORE_TAKEN, field, "core %d is also requested for '%s', and one of the two is exclusive; choose another",
				out->nfs[index].core, out->nfs[i].id);
	return 0;
}

static int check_new_id(struct runner *runner, const struct chain_request *out, uint32_t index, const struct scope *scope)
{
	struct scope exists = {.code = E_EXISTS, .at = scope->at, .err = scope->err};

	if (runner_find_nf(runner, out->nfs[index].id) != NULL)
		return refuse(&exists, "nf", "an NF '%s' runs already; choose another name", out->nfs[index].id);
	for (uint32_t i = 0; i < index; i++)
		if (strcmp(out->nfs[i].id, out->nfs[index].id) == 0)
			return refuse(scope, "nf", "'%s' is named twice in this chain; choose another name", out->nfs[index].id);
	return 0;
}

static int read_nf(struct runner *runner, const json_t *object, uint32_t index, struct chain_request *out,
	struct error *err)
{
	char at[ERROR_FIELD_MAX], core_field[ERROR_FIELD_MAX];
	struct scope scope = {.code = E_BAD_REQUEST, .at = at, .err = err};
	struct core_request wanted;
	const char *type;
	uint64_t core;

	(void)snprintf(at, sizeof(at), "nfs.%u", index);
	(void)snprintf(core_field, sizeof(core_field), "nfs.%u.core", index);
	if (config_object(&scope, object, NF_FIELDS) < 0 ||
	    config_name(&scope, object, "nf", NAME_CHARS, &out->nfs[index].id) < 0 ||
	    config_string(&scope, object, "type", NAME_CHARS, &type) < 0 ||
	    config_uint(&scope, object, "core", 0, INT32_MAX, REQUIRED, &core) < 0 ||
	    config_bool(&scope, object, "exclusive", false, &out->nfs[index].exclusive) < 0)
		return -1;
	out->nfs[index].type = nf_type_find(type);
	if (out->nfs[index].type == NULL)
		return refuse(&scope, "type", "this runner has no NF type '%.64s'; 'hello' lists those it has", type);
	out->nfs[index].config = json_object_get(object, "config");
	if (!json_is_object(out->nfs[index].config))
		return refuse(&scope, "config", "an object is expected");
	out->nfs[index].core = (int)core;
	wanted = (struct core_request){
		.core = (int)core, .exclusive = out->nfs[index].exclusive, .self = NULL, .field = core_field};
	if (core_check(runner, &wanted, err) < 0 || check_exclusive(out, index, core_field, err) < 0)
		return -1;
	return check_new_id(runner, out, index, &scope);
}

int chain_request_read(struct runner *runner, const json_t *request, struct chain_request *out, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	const json_t *nfs = json_object_get(request, "nfs");
	size_t count = json_array_size(nfs);

	if (config_name(&scope, request, "chain", NAME_CHARS, &out->id) < 0)
		return -1;
	if (runner_find_chain(runner, out->id) != NULL)
		return fail(err, E_EXISTS, "chain", "a chain '%s' runs already; remove it or choose another name", out->id);
	if (!json_is_array(nfs) || count == 0 || count > CHAIN_NFS_MAX)
		return refuse(&scope, "nfs", "a list of 1 to %d NFs is expected", CHAIN_NFS_MAX);
	out->nf_count = (uint32_t)count;
	for (uint32_t i = 0; i < out->nf_count; i++)
		if (read_nf(runner, json_array_get(nfs, i), i, out, err) < 0)
			return -1;
	out->execution = ISOLATED;
	if (json_object_get(request, "execution") != NULL && execution_read(request, &out->execution, err) < 0)
		return -1;
	if (config_bool(&scope, request, "paused", false, &out->paused) < 0)
		return -1;
	return source_config_read(json_object_get(request, "source"), &out->source, err);
}
