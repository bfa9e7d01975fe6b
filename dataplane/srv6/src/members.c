/* Edges, exits and NFs of chains: a pair of interfaces each, and what the programs must know of it. Asked again for one that is there,
 * the answer is the same, with a new socket: so a successor of an agent takes over. */
#include <string.h>

#include "far_socket.h"
#include "fields.h"
#include "firewall.h"
#include "verbs.h"

#define MTU_USUAL 9000
#define MTU_LEAST 1280
#define MTU_MOST 65535

static json_t *describe(const struct pair *pair)
{
	char near[MAC_TEXT_BYTES], far[MAC_TEXT_BYTES];

	return json_pack("{s:I, s:s, s:s, s:s}", "port", (json_int_t)pair->near, "link", pair->link, "mac", text_of_mac(pair->near_mac, near),
		"peer_mac", text_of_mac(pair->far_mac, far));
}

static json_t *answer(const struct pair *pair, int *passed, struct error *err)
{
	*passed = far_socket(pair, err);
	return *passed < 0 ? NULL : describe(pair);
}

static int read_mtu(const json_t *request, uint32_t *mtu, struct error *err)
{
	return field_number(request, "mtu", MTU_LEAST, MTU_MOST, MTU_USUAL, mtu, err);
}

struct used {
	const struct srv6_segment *segment;
	uint32_t port;
	uint16_t device;
	bool sid_taken, port_taken, device_taken;
};

static bool compare(void *context, const void *key, void *value)
{
	const struct srv6_function *function = value;
	struct used *used = context;
	bool same_segment = memcmp(key, used->segment, sizeof(*used->segment)) == 0, same_port = function->way.port == used->port;

	used->sid_taken |= same_segment && !same_port;
	used->port_taken |= same_port && !same_segment;
	used->device_taken |= same_port && same_segment && function->device != used->device;
	return false;
}

/* A segment is of one NF or exit, and these are of one segment. */
static int check_free(struct daemon *daemon, const struct srv6_segment *segment, uint32_t port, uint16_t device, struct error *err)
{
	struct used used = {.segment = segment, .port = port, .device = device};

	plane_each(&daemon->plane, MAP_FUNCTIONS, compare, &used);
	if (used.sid_taken)
		return fail(err, E_EXISTS, "sid", "this segment of the chain is another's: remove that first");
	if (used.port_taken)
		return fail(err, E_EXISTS, "sid", "it is there with another tag or segment: remove it first");
	if (used.device_taken)
		return fail(err, E_EXISTS, "device", "it is there as another device: remove it first");
	return 0;
}

static struct srv6_way way_out(const struct pair *pair)
{
	struct srv6_way way = {.port = pair->near};

	memcpy(way.to, pair->far_mac, MAC_BYTES);
	memcpy(way.from, pair->near_mac, MAC_BYTES);
	return way;
}

json_t *do_add_edge(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	const char *chain;
	struct pair pair;
	uint32_t mtu;

	if (field_chain(request, &chain, err) < 0 || read_mtu(request, &mtu, err) < 0 ||
		pair_ensure(daemon, PAIR_EDGE, chain, mtu, &pair, err) < 0)
		return NULL;
	return answer(&pair, passed, err);
}

json_t *do_add_exit(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct srv6_function function = {.action = SRV6_TO_TENANT};
	struct srv6_segment segment;
	const char *chain;
	struct pair pair;
	uint32_t mtu;

	if (field_chain(request, &chain, err) < 0 || field_segment(request, &segment, err) < 0 || read_mtu(request, &mtu, err) < 0)
		return NULL;
	if (check_free(daemon, &segment, pair_port(daemon, PAIR_EXIT, chain), 0, err) < 0 ||
		pair_ensure(daemon, PAIR_EXIT, chain, mtu, &pair, err) < 0)
		return NULL;
	function.way = way_out(&pair);
	if (plane_put(&daemon->plane, MAP_FUNCTIONS, &segment, &function, err) < 0)
		return NULL;
	return answer(&pair, passed, err);
}

/* The number of an NF is the index of its port. Packets are given to it last of all, when it can give them back. */
static int tell_programs(struct daemon *daemon, const struct pair *pair, const struct srv6_segment *segment, uint16_t device,
	struct error *err)
{
	const struct srv6_nf_port port = {.nf = pair->near, .tag = segment->tag, .device = device};
	const struct srv6_function function = {.action = SRV6_TO_NF, .nf = pair->near, .device = device, .way = way_out(pair)};
	struct srv6_nf_state state = {0};

	if (!plane_get(&daemon->plane, MAP_NF_STATES, &pair->near, &state) &&
		plane_put(&daemon->plane, MAP_NF_STATES, &pair->near, &state, err) < 0)
		return -1;
	if (plane_put(&daemon->plane, MAP_NF_PORTS, &pair->near, &port, err) < 0)
		return -1;
	return plane_put(&daemon->plane, MAP_FUNCTIONS, segment, &function, err);
}

struct nf {
	const char *nf_id;
	struct srv6_segment segment;
	uint32_t device, mtu;
	struct pair pair;
};

static int read_nf(const json_t *request, struct nf *nf, struct error *err)
{
	return field_nf_id(request, &nf->nf_id, err) < 0 || field_segment(request, &nf->segment, err) < 0 ||
		field_number(request, "device", 0, UINT16_MAX, -1, &nf->device, err) < 0 || read_mtu(request, &nf->mtu, err) < 0 ? -1 : 0;
}

static int open_place(struct daemon *daemon, enum pair_kind kind, struct nf *nf, struct error *err)
{
	return check_free(daemon, &nf->segment, pair_port(daemon, kind, nf->nf_id), (uint16_t)nf->device, err) < 0 ||
		pair_ensure(daemon, kind, nf->nf_id, nf->mtu, &nf->pair, err) < 0 ? -1 : 0;
}

json_t *do_add_nf(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct nf nf;

	if (read_nf(request, &nf, err) < 0 || open_place(daemon, PAIR_NF, &nf, err) < 0 ||
		tell_programs(daemon, &nf.pair, &nf.segment, (uint16_t)nf.device, err) < 0)
		return NULL;
	return answer(&nf.pair, passed, err);
}

static int read_rules(const struct daemon *daemon, const json_t *request, uint32_t *segments, struct firewall_rules *rules, struct error *err)
{
	if (daemon->no_firewalls.code != NULL)
		return fail(err, E_NOT_AVAILABLE, "", "%s", daemon->no_firewalls.message);
	if (field_number(request, "segments", 1, SRV6_SEGMENTS_MAX, -1, segments, err) < 0)
		return -1;
	return firewall_rules_read(request, rules, err);
}

json_t *do_add_firewall(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	static struct firewall_rules rules; /* under the daemon's lock */
	uint32_t segments;
	struct nf nf;

	(void)passed;
	if (read_nf(request, &nf, err) < 0 || read_rules(daemon, request, &segments, &rules, err) < 0)
		return NULL;
	if (open_place(daemon, PAIR_FIREWALL, &nf, err) < 0 || firewall_load(daemon, nf.nf_id, &nf.pair, segments, &rules, err) < 0 ||
		tell_programs(daemon, &nf.pair, &nf.segment, (uint16_t)nf.device, err) < 0)
		return NULL;
	return describe(&nf.pair);
}

json_t *do_set_rules(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	static struct firewall_rules rules; /* under the daemon's lock */
	const char *nf_id;
	uint32_t segments;
	struct pair pair;

	(void)passed;
	if (field_nf_id(request, &nf_id, err) < 0 || read_rules(daemon, request, &segments, &rules, err) < 0)
		return NULL;
	if (!pair_find(daemon, PAIR_FIREWALL, nf_id, &pair))
		return fail(err, E_NOT_FOUND, "nf_id", "there is no NF '%s' in the kernel", nf_id), NULL;
	if (firewall_change(daemon, nf_id, segments, &rules, err) < 0)
		return NULL;
	return json_object();
}
