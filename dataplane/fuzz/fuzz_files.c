/* Files of routes, rules and patterns. The first byte chooses which it is; the compiler of patterns is not called. */
#include "fuzz.h"
#include "given_file.h"
#include "nf/pattern_list.h"
#include "nf/routes.h"
#include "nf/rules.h"

static json_t *config;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	config = json_pack("{s:s, s:s, s:s, s:i}", "routes_file", "x", "rules_file", "x", "patterns_file", "x",
		"synthetic_patterns", 0);
	return 0;
}

static int read_routes(const struct scope *scope)
{
	struct routes routes;
	int status = routes_read(config, scope, &routes);

	for (uint32_t i = 0; status == 0 && i < routes.count; i++)
		MUST(routes.list[i].prefix.length <= 32);
	MUST(status < 0 || routes.groups <= routes.count);
	routes_free(&routes);
	return status;
}

static int read_rules(const struct scope *scope)
{
	struct rules rules;
	int status = rules_read(config, scope, &rules);

	for (uint32_t i = 0; status == 0 && i < rules.count; i++)
		MUST(rules.list[i].first_port <= rules.list[i].last_port && rules.list[i].src.length <= 32 &&
			(rules.list[i].action == ALLOW || rules.list[i].action == DENY));
	rules_free(&rules);
	return status;
}

static int read_patterns(const struct scope *scope)
{
	struct pattern_list list;
	int status = pattern_list_read(scope, config, &list);

	MUST(list.count <= PATTERNS_MAX);
	pattern_list_free(&list);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const readers[])(const struct scope *) = {read_routes, read_rules, read_patterns};
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};

	if (size == 0)
		return 0;
	given_file = (struct artefact){.bytes = (uint8_t *)(uintptr_t)data + 1, .size = size - 1};
	MUST((readers[data[0] % 3](&scope) < 0) == (err.code != NULL));
	MUST(json_object_size(config) == 4);
	return 0;
}
