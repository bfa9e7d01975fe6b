/* Edges, exits and NFs go in the order in which no packet meets half of one: first nothing more is given to them, then they are
 * gone, then what was known of them. What an NF still has is lost: whoever removes one lets it drain first. */
#include <string.h>

#include "fields.h"
#include "firewall.h"
#include "pair.h"
#include "verbs.h"

static bool is_of_port(void *context, const void *key, void *value)
{
	(void)key;
	return ((const struct srv6_function *)value)->way.port == *(const uint32_t *)context;
}

static int remove_pair(struct daemon *daemon, const struct pair *pair, struct error *err)
{
	uint32_t port = pair->near;

	plane_each(&daemon->plane, MAP_FUNCTIONS, is_of_port, &port);
	if (pair_remove(daemon, pair, err) < 0)
		return -1;
	plane_take(&daemon->plane, MAP_PATHS, &port);
	plane_take(&daemon->plane, MAP_NF_PORTS, &port);
	plane_take(&daemon->plane, MAP_NF_STATES, &port);
	return 0;
}

static int remove_nf(struct daemon *daemon, const json_t *request, struct error *err)
{
	const char *nf_id;
	struct pair pair;

	if (field_nf_id(request, &nf_id, err) < 0)
		return -1;
	if (json_object_get(request, "kind") != NULL)
		return fail(err, E_BAD_REQUEST, "kind", "only a chain has an edge and an exit");
	if (pair_find(daemon, PAIR_FIREWALL, nf_id, &pair)) {
		if (remove_pair(daemon, &pair, err) < 0)
			return -1;
		firewall_remove(daemon, nf_id);
		return 0;
	}
	if (!pair_find(daemon, PAIR_NF, nf_id, &pair))
		return fail(err, E_NOT_FOUND, "nf_id", "there is no NF '%s'", nf_id);
	return remove_pair(daemon, &pair, err);
}

static int remove_ends(struct daemon *daemon, const json_t *request, struct error *err)
{
	const char *chain, *kind = "";
	struct pair edge, exit;
	bool has_edge, has_exit;

	if (field_chain(request, &chain, err) < 0)
		return -1;
	if (json_object_get(request, "kind") != NULL && field_text(request, "kind", 8, &kind, err) < 0)
		return -1;
	if (strcmp(kind, "") != 0 && strcmp(kind, "edge") != 0 && strcmp(kind, "exit") != 0)
		return fail(err, E_BAD_REQUEST, "kind", "'edge' or 'exit' is expected");
	has_edge = strcmp(kind, "exit") != 0 && pair_find(daemon, PAIR_EDGE, chain, &edge);
	has_exit = strcmp(kind, "edge") != 0 && pair_find(daemon, PAIR_EXIT, chain, &exit);
	if (!has_edge && !has_exit)
		return fail(err, E_NOT_FOUND, "chain", "chain '%s' has no %s here", chain, kind[0] == '\0' ? "edge and no exit" : kind);
	if (has_edge && remove_pair(daemon, &edge, err) < 0)
		return -1;
	return has_exit ? remove_pair(daemon, &exit, err) : 0;
}

json_t *do_remove(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	bool is_nf = json_object_get(request, "nf_id") != NULL;

	(void)passed;
	if (is_nf == (json_object_get(request, "chain") != NULL))
		return fail(err, E_BAD_REQUEST, "", "either nf_id or chain is expected"), NULL;
	if ((is_nf ? remove_nf(daemon, request, err) : remove_ends(daemon, request, err)) < 0)
		return NULL;
	return json_object();
}
