/* Which ports to other hosts carry packets now, and by which of them chains go on: the verbs `links` and `ways`. The first waits for a
 * change, so it has a netlink socket of its own and does not hold the daemon's lock. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "fields.h"
#include "netlink.h"
#include "verbs.h"

#define WAIT_MS_MAX 10000
#define PORTS_MAX 64
/* The kernel announces a lost carrier up to a second late where another link changed just before, so it is asked. */
#define LOOK_US 10000

struct cores {
	uint32_t indices[PORTS_MAX];
	struct link links[PORTS_MAX];
	int count;
};

static bool note_core(void *context, const void *key, void *value)
{
	const struct srv6_attached *attached = value;
	const uint32_t port = *(const uint32_t *)key;
	struct cores *cores = context;

	if (SRV6_ATTACHED_IS_PORT(port) && attached->program == PROGRAM_CORE && cores->count < PORTS_MAX)
		memcpy(&cores->indices[cores->count++], key, sizeof(uint32_t));
	return false;
}

/* Of one that is gone, the index is 0. */
static int look(int netlink, struct cores *cores)
{
	for (int i = 0; i < cores->count; i++) {
		const int result = netlink_port(netlink, cores->indices[i], &cores->links[i]);

		if (result < 0 && result != -ENODEV)
			return result;
		if (result < 0)
			cores->links[i] = (struct link){0};
	}
	return 0;
}

/* Whether those that are up are those that the asker knows. */
static bool as_known(const struct cores *cores, const json_t *known)
{
	size_t index, up = 0, matched = 0;
	const json_t *name;

	for (int i = 0; i < cores->count; i++) {
		if (!cores->links[i].is_up)
			continue;
		up++;
		json_array_foreach(known, index, name)
			matched += json_is_string(name) && strcmp(json_string_value(name), cores->links[i].name) == 0 ? 1 : 0;
	}
	return up == json_array_size(known) && matched == up;
}

static json_t *say(int netlink, const struct cores *cores)
{
	struct queue_length queues[PORTS_MAX];
	json_t *found = json_array();

	for (int i = 0; i < cores->count; i++)
		queues[i].index = cores->indices[i];
	(void)netlink_queues(netlink, queues, cores->count); /* where they cannot be read they are not known */
	for (int i = 0; i < cores->count; i++)
		if (cores->links[i].index != 0)
			(void)json_array_append_new(found, json_pack("{s:s, s:b, s:o}", "port", cores->links[i].name, "up",
				(int)cores->links[i].is_up, "queue_packets", queues[i].packets < 0 ? json_null() : json_integer(queues[i].packets)));
	return json_pack("{s:o}", "links", found);
}

static json_t *await_links(struct daemon *daemon, int netlink, const json_t *known, uint32_t wait_ms, struct error *err)
{
	const uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + 1000000ULL * wait_ms;
	struct cores cores = {.count = 0};
	int result;

	plane_each(&daemon->plane, MAP_ATTACHED, note_core, &cores);
	result = look(netlink, &cores);
	while (result == 0 && known != NULL && as_known(&cores, known) && clock_ns(CLOCK_MONOTONIC) < until_ns) {
		(void)usleep(LOOK_US);
		result = look(netlink, &cores);
	}
	if (result < 0)
		return fail(err, E_KERNEL, "", "links cannot be read: %s", strerror(-result)), NULL;
	return say(netlink, &cores);
}

json_t *do_links(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	const json_t *known = json_object_get(request, "up");
	uint32_t wait_ms;
	json_t *answer;
	int netlink;

	(void)passed;
	if (field_number(request, "wait_ms", 0, WAIT_MS_MAX, 0, &wait_ms, err) < 0)
		return NULL;
	if (known != NULL && (!json_is_array(known) || json_array_size(known) > PORTS_MAX))
		return fail(err, E_BAD_REQUEST, "up", "a list of ports is expected"), NULL;
	netlink = netlink_open();
	if (netlink < 0)
		return fail(err, E_KERNEL, "", "links cannot be read: %s", strerror(-netlink)), NULL;
	answer = await_links(daemon, netlink, known, wait_ms, err);
	(void)close(netlink);
	return answer;
}

struct ways {
	const struct link *links;
	int count;
	json_t *found;
};

static const char *name_of(const struct ways *ways, uint32_t index)
{
	for (int i = 0; i < ways->count; i++)
		if (ways->links[i].index == index)
			return ways->links[i].name;
	return NULL;
}

static bool note_way(void *context, const void *key, void *value)
{
	const struct srv6_segment *segment = key;
	const struct srv6_way *way = value;
	const bool is_local = (way->flags & SRV6_WAY_INTO) != 0;
	struct ways *ways = context;
	const char *port = is_local ? NULL : name_of(ways, way->port);

	(void)json_array_append_new(ways->found, json_pack("{s:i, s:o, s:b, s:s?}", "tag", (int)segment->tag, "sid",
		json_of_address(&segment->sid), "local", (int)is_local, "port", port));
	return false;
}

json_t *do_ways(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct link *links;
	struct ways ways = {.count = netlink_links(daemon->netlink, &links)};

	(void)request;
	(void)passed;
	if (ways.count < 0)
		return fail(err, E_KERNEL, "", "links cannot be read: %s", strerror(-ways.count)), NULL;
	ways.links = links;
	ways.found = json_array();
	plane_each(&daemon->plane, MAP_WAYS, note_way, &ways);
	free(links);
	return json_pack("{s:o}", "ways", ways.found);
}
