/* Where packets go: a chain's path at its edge, and from host to host. Each is one update of one map: packets before it take the
 * old way, packets after it the new one, and none is lost. */
#include <errno.h>
#include <string.h>

#include "base/config.h"
#include "fields.h"
#include "pair.h"
#include "verbs.h"

#define MTU_LEAST 1280 /* of IPv6 */

/* The chain's own edge, or an interface attached as one. */
static int read_edge(struct daemon *daemon, const json_t *request, uint32_t *port, struct error *err)
{
	struct srv6_attached attached;
	const char *name;
	struct link link;

	if (json_object_get(request, "port") == NULL) {
		if (field_chain(request, &name, err) < 0)
			return -1;
		*port = pair_port(daemon, PAIR_EDGE, name);
		return *port != 0 ? 0 : fail(err, E_NOT_FOUND, "chain", "chain '%s' has no edge here: add_edge", name);
	}
	if (json_object_get(request, "chain") != NULL)
		return fail(err, E_BAD_REQUEST, "", "either chain or port is expected");
	if (field_interface(request, "port", &name, err) < 0)
		return -1;
	if (netlink_find(daemon->netlink, name, &link) < 0 || !plane_get(&daemon->plane, MAP_ATTACHED, &link.index, &attached) ||
		attached.program != PROGRAM_EDGE)
		return fail(err, E_NOT_FOUND, "port", "'%s' is not attached as an edge", name);
	*port = link.index;
	return 0;
}

json_t *do_set_path(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct srv6_path path = {0};
	uint32_t tag, port;
	size_t count;

	(void)passed;
	if (field_number(request, "tag", 1, UINT16_MAX, -1, &tag, err) < 0 || field_address(request, "source", &path.source, err) < 0 ||
		field_list(request, "segments", 1, SRV6_SEGMENTS_MAX, item_address, ADDRESS_EXPECTED, path.segments, SRV6_SEGMENT_BYTES,
		&count, err) < 0 || field_number(request, "mtu", MTU_LEAST, UINT16_MAX, -1, &path.mtu, err) < 0)
		return NULL;
	path.tag = (uint16_t)tag;
	path.count = (uint16_t)count;
	if (read_edge(daemon, request, &port, err) < 0 || plane_put(&daemon->plane, MAP_PATHS, &port, &path, err) < 0)
		return NULL;
	return json_object();
}

static int way_to_other_host(struct daemon *daemon, const json_t *request, struct srv6_way *way, struct error *err)
{
	struct srv6_attached attached;
	const char *name;
	struct link link;

	if (field_interface(request, "port", &name, err) < 0 || field_mac(request, "mac", way->to, err) < 0)
		return -1;
	if (netlink_find(daemon->netlink, name, &link) < 0 || !plane_get(&daemon->plane, MAP_ATTACHED, &link.index, &attached) ||
		attached.program != PROGRAM_CORE)
		return fail(err, E_NOT_FOUND, "port", "'%s' is not attached as a port to other hosts", name);
	way->port = link.index;
	memcpy(way->from, link.mac, MAC_BYTES);
	return 0;
}

/* Into a port of ours whose program looks up what this host does with the segment, as if the packet came from outside. */
static int way_within(struct daemon *daemon, const json_t *request, const struct srv6_segment *segment, struct srv6_way *way,
	struct error *err)
{
	struct srv6_function function;

	if (json_object_get(request, "port") != NULL || json_object_get(request, "mac") != NULL)
		return fail(err, E_BAD_REQUEST, "local", "either local, or port and mac");
	if (!plane_get(&daemon->plane, MAP_FUNCTIONS, segment, &function))
		return fail(err, E_NOT_FOUND, "sid", "no NF and no exit of this host has this segment: add it first");
	way->port = daemon->local;
	way->flags = SRV6_WAY_INTO;
	return 0;
}

json_t *do_set_way(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	struct srv6_segment segment;
	struct srv6_way way = {0};
	bool local;

	(void)passed;
	if (field_segment(request, &segment, err) < 0 || config_bool(&scope, request, "local", false, &local) < 0)
		return NULL;
	if ((local ? way_within(daemon, request, &segment, &way, err) : way_to_other_host(daemon, request, &way, err)) < 0 ||
		plane_put(&daemon->plane, MAP_WAYS, &segment, &way, err) < 0)
		return NULL;
	return json_object();
}

json_t *do_remove_way(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct srv6_segment segment;
	struct srv6_way way;

	(void)passed;
	if (field_segment(request, &segment, err) < 0)
		return NULL;
	if (!plane_get(&daemon->plane, MAP_WAYS, &segment, &way))
		return fail(err, E_NOT_FOUND, "sid", "there is no way to this segment"), NULL;
	plane_take(&daemon->plane, MAP_WAYS, &segment);
	return json_object();
}
