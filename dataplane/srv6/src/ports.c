/* Interfaces that were there before: ports to other hosts, and to tenants. */
#include <errno.h>
#include <string.h>

#include "fields.h"
#include "hook.h"
#include "netlink.h"
#include "verbs.h"

static int read_port(struct daemon *daemon, const json_t *request, struct link *link, struct error *err)
{
	const char *name;
	int result;

	if (field_interface(request, "port", &name, err) < 0)
		return -1;
	result = netlink_find(daemon->netlink, name, link);
	if (result == -ENODEV)
		return fail(err, E_NOT_FOUND, "port", "there is no interface '%s' in this namespace", name);
	if (result < 0)
		return fail(err, E_KERNEL, "port", "interfaces cannot be read: %s", strerror(-result));
	if (!link->is_ethernet || link->is_loopback)
		return fail(err, E_BAD_REQUEST, "port", "'%s' carries no Ethernet frames", name);
	if (strncmp(link->alias, "sextant:", 8) == 0)
		return fail(err, E_BAD_REQUEST, "port", "'%s' is an end of a pair of Sextant's own", name);
	return 0;
}

static int read_kind(const json_t *request, enum program *program, struct error *err)
{
	const char *kind;

	if (field_text(request, "kind", 8, &kind, err) < 0)
		return -1;
	if (strcmp(kind, "core") != 0 && strcmp(kind, "edge") != 0)
		return fail(err, E_BAD_REQUEST, "kind", "'core' or 'edge' is expected");
	*program = kind[0] == 'c' ? PROGRAM_CORE : PROGRAM_EDGE;
	return 0;
}

json_t *do_attach(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	char mac[MAC_TEXT_BYTES];
	struct srv6_attached before;
	enum program program = PROGRAM_CORE;
	struct link link;
	bool added;
	int result;

	(void)passed;
	if (read_port(daemon, request, &link, err) < 0 || read_kind(request, &program, err) < 0)
		return NULL;
	if (!plane_get(&daemon->plane, MAP_ATTACHED, &link.index, &before))
		before.added_clsact = 0;
	result = hook_attach(&daemon->plane, link.index, program, &added);
	if (result == -EEXIST)
		return fail(err, E_EXISTS, "port", "%s has a filter of another at priority 1: remove it", link.name), NULL;
	if (result < 0)
		return fail(err, E_KERNEL, "port", "no filter can be put at %s: %s", link.name, strerror(-result)), NULL;
	before.program = program;
	before.added_clsact |= added;
	if (plane_put(&daemon->plane, MAP_ATTACHED, &link.index, &before, err) < 0)
		return NULL;
	return json_pack("{s:I, s:s}", "port", (json_int_t)link.index, "mac", text_of_mac(link.mac, mac));
}

json_t *do_detach(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct srv6_attached attached;
	struct link link;
	int result;

	(void)passed;
	if (read_port(daemon, request, &link, err) < 0)
		return NULL;
	if (!plane_get(&daemon->plane, MAP_ATTACHED, &link.index, &attached))
		return fail(err, E_NOT_FOUND, "port", "%s was not attached", link.name), NULL;
	result = hook_detach(&daemon->plane, daemon->netlink, link.index, attached.added_clsact != 0);
	if (result < 0)
		return fail(err, E_KERNEL, "port", "the filter at %s cannot be removed: %s", link.name, strerror(-result)), NULL;
	plane_take(&daemon->plane, MAP_PATHS, &link.index);
	plane_take(&daemon->plane, MAP_ATTACHED, &link.index);
	return json_object();
}
