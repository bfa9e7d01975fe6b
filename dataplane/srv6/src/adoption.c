#include "adoption.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_log.h"
#include "clocks.h"
#include "firewall.h"
#include "hook.h"
#include "namespace.h"
#include "pair.h"
#include "sweep.h"

#define MTU_LOCAL 65535
#define LOCAL "segments"

/* Indices of another namespace say nothing here: with it its links and filters went. */
static int check_namespace(struct daemon *daemon, struct error *err)
{
	const uint32_t key = SRV6_ATTACHED_NAMESPACE;
	uint64_t own = namespace_cookie(), before;

	if (daemon->plane.adopted && plane_get(&daemon->plane, MAP_ATTACHED, &key, &before) && before != own) {
		log_info("%s is of a network namespace that has gone: beginning anew", daemon->plane.pins);
		bpf_object__close(daemon->plane.object);
		plane_remove_pins(daemon->options->pins);
		daemon->plane = (struct plane){0};
		if (plane_load(&daemon->plane, daemon->options, err) < 0)
			return -1;
	}
	return plane_put(&daemon->plane, MAP_ATTACHED, &key, &own, err);
}

/* Links are of the maps that they were made with: of one that is older no map says what it is for, and whoever holds its far end
 * would wait for packets that never come. So a generation begins with the maps, is kept in them, and is later than that of any
 * link of this host, whatever the clock says. Maps of a daemon from before there were generations have none, as its links. */
static int know_generation(struct daemon *daemon, const struct link *all, int count, struct error *err)
{
	const uint32_t key = SRV6_ATTACHED_GENERATION;
	struct pair_owner owner;

	if (plane_get(&daemon->plane, MAP_ATTACHED, &key, &daemon->generation))
		return 0;
	daemon->generation = daemon->plane.adopted ? 0 : clock_ns(CLOCK_REALTIME);
	for (int i = 0; i < count && !daemon->plane.adopted; i++)
		if (names_read_link(daemon->options->host, all[i].name, all[i].mac, all[i].alias, &owner) && owner.generation >= daemon->generation &&
			owner.generation < UINT64_MAX)
			daemon->generation = owner.generation + 1;
	return plane_put(&daemon->plane, MAP_ATTACHED, &key, &daemon->generation, err);
}

static void whole_again(struct daemon *daemon, const struct link *link, struct error *err)
{
	struct pair_owner owner;
	struct pair pair;

	if (names_read_link(daemon->options->host, link->name, link->mac, link->alias, &owner)) {
		if (owner.generation == daemon->generation)
			(void)pair_ensure(daemon, owner.kind, owner.name, MTU_LOCAL, &pair, err);
		else if (owner.generation < daemon->generation)
			(void)netlink_delete(daemon->netlink, link->index);
		else
			log_error("%s is of a later generation of this host than its maps: another daemon's, with other pins?", link->name);
	} else if (link->alias[0] == '\0' && names_is_half_made(daemon->options->host, link->name, link->mac)) {
		(void)netlink_delete(daemon->netlink, link->index);
	}
}

static int adopt_pairs(struct daemon *daemon, struct error *err)
{
	struct link *all;
	int count = netlink_links(daemon->netlink, &all);

	if (count < 0)
		return fail(err, E_NOT_AVAILABLE, "", "links cannot be read: %s", strerror(-count));
	if (know_generation(daemon, all, count, err) == 0)
		for (int i = 0; i < count; i++)
			whole_again(daemon, &all[i], err);
	free(all);
	return err->code == NULL ? 0 : -1;
}

static bool attach_again(void *context, const void *key, void *value)
{
	const uint32_t port = *(const uint32_t *)key;
	struct srv6_attached *attached = value;
	struct daemon *daemon = context;
	struct error ignored = {0};
	bool added = false;
	int result;

	if (!SRV6_ATTACHED_IS_PORT(port))
		return false;
	result = attached->program < PROGRAMS ? hook_attach(&daemon->plane, port, (enum program)attached->program, &added) : -EINVAL;
	if (result < 0)
		log_error("the filter at interface %u cannot be put there again: %s", port, strerror(-result));
	if (added) {
		attached->added_clsact = true;
		(void)plane_put(&daemon->plane, MAP_ATTACHED, key, attached, &ignored);
	}
	return false;
}

int adopt(struct daemon *daemon, struct error *err)
{
	struct pair local;

	daemon->netlink = netlink_open();
	if (daemon->netlink < 0)
		return fail(err, E_NOT_AVAILABLE, "", "no netlink socket: %s", strerror(-daemon->netlink));
	if (plane_load(&daemon->plane, daemon->options, err) < 0 || check_namespace(daemon, err) < 0)
		return -1;
	if (adopt_pairs(daemon, err) < 0 || pair_ensure(daemon, PAIR_LOCAL, LOCAL, MTU_LOCAL, &local, err) < 0)
		return -1;
	daemon->local = local.near;
	if (sweep(daemon, err) < 0)
		return -1;
	plane_each(&daemon->plane, MAP_ATTACHED, attach_again, daemon);
	firewall_sweep(daemon);
	(void)firewall_probe(&daemon->no_firewalls);
	return plane_replace_pins(&daemon->plane, err);
}

static bool detach(void *context, const void *key, void *value)
{
	const struct srv6_attached *attached = value;
	struct daemon *daemon = context;
	uint32_t port = *(const uint32_t *)key;

	if (SRV6_ATTACHED_IS_PORT(port))
		(void)hook_detach(&daemon->plane, daemon->netlink, port, attached->added_clsact != 0);
	return false;
}

static bool is_of_this_namespace(struct daemon *daemon)
{
	const uint32_t key = SRV6_ATTACHED_NAMESPACE;
	uint64_t cookie;

	return plane_get(&daemon->plane, MAP_ATTACHED, &key, &cookie) && cookie == namespace_cookie();
}

int clean(struct daemon *daemon, struct error *err)
{
	struct link *all;
	int count;

	daemon->netlink = netlink_open();
	count = daemon->netlink < 0 ? daemon->netlink : netlink_links(daemon->netlink, &all);
	if (count < 0)
		return fail(err, E_KERNEL, "", "links cannot be read: %s", strerror(-count));
	plane_open_pins(&daemon->plane, daemon->options->pins);
	if (is_of_this_namespace(daemon))
		plane_each(&daemon->plane, MAP_ATTACHED, detach, daemon);
	for (int i = 0; i < count; i++) {
		struct pair_owner owner;

		if (names_read_link(daemon->options->host, all[i].name, all[i].mac, all[i].alias, &owner) ||
			(all[i].alias[0] == '\0' && names_is_half_made(daemon->options->host, all[i].name, all[i].mac)))
			(void)netlink_delete(daemon->netlink, all[i].index);
	}
	free(all);
	firewall_sweep(daemon);
	plane_remove_pins(daemon->options->pins);
	return 0;
}
