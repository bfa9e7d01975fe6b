#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "netlink.h"

struct present {
	const struct daemon *daemon;
	struct link *all;
	int count;
};

static bool is_here(const struct present *present, uint32_t port)
{
	for (int i = 0; i < present->count; i++)
		if (present->all[i].index == port)
			return true;
	return false;
}

static bool key_has_gone(void *context, const void *key, void *value)
{
	uint32_t port = *(const uint32_t *)key;

	(void)value;
	return SRV6_ATTACHED_IS_PORT(port) && !is_here(context, port);
}

static bool function_has_gone(void *context, const void *key, void *value)
{
	(void)key;
	return !is_here(context, ((const struct srv6_function *)value)->way.port);
}

/* A way within this host goes into its own port, which a successor may have had to make anew. */
static bool way_has_gone(void *context, const void *key, void *value)
{
	const struct present *present = context;
	struct srv6_way *way = value;
	struct error ignored = {0};

	if ((way->flags & SRV6_WAY_INTO) && way->port != present->daemon->local) {
		way->port = present->daemon->local;
		(void)plane_put(&present->daemon->plane, MAP_WAYS, key, way, &ignored);
	}
	return !is_here(present, way->port);
}

int sweep(struct daemon *daemon, struct error *err)
{
	const struct plane *plane = &daemon->plane;
	struct present present = {.daemon = daemon};

	present.count = netlink_links(daemon->netlink, &present.all);
	if (present.count < 0)
		return fail(err, E_NOT_AVAILABLE, "", "links cannot be read: %s", strerror(-present.count));
	plane_each(plane, MAP_FUNCTIONS, function_has_gone, &present);
	plane_each(plane, MAP_WAYS, way_has_gone, &present);
	plane_each(plane, MAP_PATHS, key_has_gone, &present);
	plane_each(plane, MAP_NF_PORTS, key_has_gone, &present);
	plane_each(plane, MAP_NF_STATES, key_has_gone, &present);
	plane_each(plane, MAP_ATTACHED, key_has_gone, &present);
	free(present.all);
	return 0;
}
