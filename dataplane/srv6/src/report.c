/* What a host says of itself. */
#include <bpf/bpf.h>

#include "clocks.h"
#include "counts.h"
#include "fields.h"
#include "firewall.h"
#include "measured.h"
#include "nf_age.h"
#include "pair.h"
#include "verbs.h"

#define FUNCTIONS_MAX 4096 /* as bpf/maps.h has room for */

json_t *do_hello(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct bpf_map_info ring = {0};
	uint32_t size = sizeof(ring);

	(void)request;
	(void)passed;
	(void)err;
	if (daemon->reason.code == NULL)
		(void)bpf_obj_get_info_by_fd(daemon->plane.maps[MAP_MIRRORS], &ring, &size);
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:I}", "version", SEXTANT_VERSION, "host", daemon->options->host, "adopted",
		(int)daemon->plane.adopted, "reason", daemon->reason.code == NULL ? json_null() : json_string(daemon->reason.message),
		"no_firewalls", daemon->no_firewalls.code == NULL ? json_null() : json_string(daemon->no_firewalls.message),
		"mirror_ring_bytes", (json_int_t)ring.max_entries);
}

struct of_port {
	uint32_t port;
	struct srv6_segment segment;
	uint16_t device;
	bool is_found;
};

struct members {
	struct daemon *daemon;
	bool totals;
	json_t *nfs, *edges, *exits;
	struct of_port *functions; /* read once: there may be many */
	size_t count;
};

static bool note(void *context, const void *key, void *value)
{
	const struct srv6_function *function = value;
	struct members *members = context;

	if (members->count < FUNCTIONS_MAX)
		members->functions[members->count++] = (struct of_port){
			.port = function->way.port, .segment = *(const struct srv6_segment *)key, .device = function->device, .is_found = true};
	return false;
}

static struct of_port find(const struct members *members, uint32_t port)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->functions[i].port == port)
			return members->functions[i];
	return (struct of_port){.port = port};
}

static void add_segment(json_t *entry, const struct of_port *found)
{
	(void)json_object_set_new(entry, "tag", found->is_found ? json_integer(found->segment.tag) : json_null());
	(void)json_object_set_new(entry, "sid", found->is_found ? json_of_address(&found->segment.sid) : json_null());
}

static void add_nf(struct members *members, json_t *entry, const struct of_port *found)
{
	struct srv6_nf_state state = {0};
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int queue;

	(void)plane_get(&members->daemon->plane, MAP_NF_STATES, &found->port, &state);
	(void)json_object_set_new(entry, "device", found->is_found ? json_integer(found->device) : json_null());
	(void)json_object_set_new(entry, "given", json_integer((json_int_t)state.given));
	(void)json_object_set_new(entry, "returned", json_integer((json_int_t)state.returned));
	(void)json_object_set_new(entry, "latency_ns", state.returned == 0 ? json_null() : json_integer(state.latency_ns));
	(void)json_object_set_new(entry, "oldest_ns", json_integer((json_int_t)nf_oldest_ns(&state, now)));
	queue = nf_queue_packets(&state, now);
	(void)json_object_set_new(entry, "queue_packets", queue < 0 ? json_null() : json_integer(queue));
	measured_nf(members->daemon->rings, found->port, members->totals, entry);
	(void)json_array_append_new(members->nfs, entry);
}

static void add_edge(struct members *members, json_t *entry, uint32_t port)
{
	struct srv6_path path;
	bool has_path = plane_get(&members->daemon->plane, MAP_PATHS, &port, &path);
	json_t *segments = has_path ? json_array() : json_null();

	for (uint32_t i = 0; has_path && i < path.count && i < SRV6_SEGMENTS_MAX; i++)
		(void)json_array_append_new(segments, json_of_address(&path.segments[i]));
	(void)json_object_set_new(entry, "tag", has_path ? json_integer(path.tag) : json_null());
	(void)json_object_set_new(entry, "segments", segments);
	(void)json_array_append_new(members->edges, entry);
}

static void add_member(void *context, enum pair_kind kind, const char *name, const struct link *near)
{
	struct members *members = context;
	struct of_port found = find(members, near->index);
	const bool is_nf = kind == PAIR_NF || kind == PAIR_FIREWALL;
	json_t *entry;

	if (kind == PAIR_LOCAL)
		return;
	entry = json_pack("{s:s, s:I}", is_nf ? "nf_id" : "chain", name, "port", (json_int_t)near->index);
	if (kind == PAIR_EDGE) {
		add_edge(members, entry, near->index);
		return;
	}
	add_segment(entry, &found);
	if (is_nf)
		add_nf(members, entry, &found);
	else
		(void)json_array_append_new(members->exits, entry);
}

static struct members read_members(struct daemon *daemon, bool totals)
{
	static struct of_port functions[FUNCTIONS_MAX]; /* under the daemon's lock */
	struct members members = {.daemon = daemon, .totals = totals, .functions = functions, .nfs = json_array(), .edges = json_array(),
		.exits = json_array()};

	plane_each(&daemon->plane, MAP_FUNCTIONS, note, &members);
	(void)pair_each(daemon, add_member, &members);
	return members;
}

json_t *do_read(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct members members = read_members(daemon, true);

	(void)request;
	(void)passed;
	(void)err;
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "counts", counts_report(daemon->plane.maps[MAP_COUNTS]), "nfs", members.nfs, "edges",
		members.edges, "exits", members.exits, "windows", measured_chains(daemon->rings, true));
}

static json_t *pair_of(struct firewall_count count)
{
	return json_pack("[I, I]", (json_int_t)count.packets, (json_int_t)count.bytes);
}

static json_t *by_rule(const struct firewall_counts *counts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < counts->rules; i++)
		(void)json_array_append_new(list, pair_of(counts->by_rule[i]));
	return list;
}

static void add_firewall(void *context, enum pair_kind kind, const char *name, const struct link *near)
{
	struct members *members = context;
	static struct firewall_counts counts; /* under the daemon's lock */

	(void)near;
	if (kind == PAIR_FIREWALL && firewall_read(members->daemon, name, &counts))
		(void)json_array_append_new(members->nfs, json_pack("{s:s, s:I, s:I, s:o, s:o}", "nf_id", name, "passed",
			(json_int_t)counts.passed, "filtered", (json_int_t)counts.filtered, "rules", by_rule(&counts), "default",
			pair_of(counts.by_rule[FIREWALL_DEFAULT])));
}

json_t *do_firewalls(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct members members = {.daemon = daemon, .nfs = json_array()};

	(void)request;
	(void)passed;
	(void)err;
	(void)pair_each(daemon, add_firewall, &members);
	return json_pack("{s:o}", "firewalls", members.nfs);
}

/* Nothing begins anew: whoever acts on windows may look as often as it likes. */
json_t *do_windows(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct members members = read_members(daemon, false);

	(void)request;
	(void)passed;
	(void)err;
	json_decref(members.edges);
	json_decref(members.exits);
	return json_pack("{s:o, s:o}", "nfs", members.nfs, "windows", measured_chains(daemon->rings, false));
}
