#include "pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hook.h"
#include "link_settings.h"

static const enum program PROGRAM_OF[PAIR_KINDS] = {
	[PAIR_NF] = PROGRAM_NF_PORT, [PAIR_EDGE] = PROGRAM_EDGE, [PAIR_EXIT] = PROGRAM_EDGE, [PAIR_LOCAL] = PROGRAM_CORE,
	[PAIR_FIREWALL] = PROGRAM_NF_PORT};

static bool is_ours(const struct link *link, const uint8_t *mac, const char *alias)
{
	return memcmp(link->mac, mac, MAC_BYTES) == 0 && strcmp(link->alias, alias) == 0;
}

/* A link of this host whose maps have gone: nobody knows any more what it was for. */
static bool is_older(const struct daemon *daemon, const struct link *link)
{
	struct pair_owner owner;

	return names_read_link(daemon->options->host, link->name, link->mac, link->alias, &owner) && owner.generation < daemon->generation;
}

/* 1: both ends are there, with their aliases; 0: not; or a negative errno, -EEXIST for a link of another with such a name. */
static int look_for(struct daemon *daemon, const struct pair_names *names, struct link *near, struct link *far)
{
	int result = netlink_find(daemon->netlink, names->near, near);

	if (result == -ENODEV)
		return 0;
	if (result < 0)
		return result;
	if (memcmp(near->mac, names->near_mac, MAC_BYTES) != 0 ||
		(near->alias[0] != '\0' && strcmp(near->alias, names->near_alias) != 0 && !is_older(daemon, near)))
		return -EEXIST;
	result = netlink_find(daemon->netlink, names->far, far);
	if (result < 0 && result != -ENODEV)
		return result;
	if (result == 0 && is_ours(near, names->near_mac, names->near_alias) && is_ours(far, names->far_mac, names->far_alias))
		return 1;
	result = netlink_delete(daemon->netlink, near->index); /* half made, or older */
	return result;
}

/* The near end's alias comes last: it says that all else is done. */
static int make(struct daemon *daemon, const struct pair_names *names, uint32_t mtu, struct link *near, struct link *far)
{
	int result = netlink_add_pair(daemon->netlink, names, mtu);

	if (result == 0)
		result = link_be_silent(names->near);
	if (result == 0)
		result = link_be_silent(names->far);
	if (result == 0)
		result = netlink_find(daemon->netlink, names->far, far);
	if (result == 0)
		result = netlink_set_up(daemon->netlink, far->index, names->far_alias);
	if (result == 0)
		result = netlink_find(daemon->netlink, names->near, near);
	return result == 0 ? netlink_set_up(daemon->netlink, near->index, names->near_alias) : result;
}

static void fill(struct pair *pair, const struct link *near, const struct link *far)
{
	*pair = (struct pair){.near = near->index, .far = far->index};
	memcpy(pair->link, near->name, sizeof(pair->link));
	memcpy(pair->near_mac, near->mac, MAC_BYTES);
	memcpy(pair->far_mac, far->mac, MAC_BYTES);
}

int pair_ensure(struct daemon *daemon, enum pair_kind kind, const char *name, uint32_t mtu, struct pair *pair, struct error *err)
{
	struct pair_names names;
	struct link near, far;
	bool ignored;
	int result;

	names_of_pair(daemon->options->host, daemon->generation, kind, name, &names);
	result = look_for(daemon, &names, &near, &far);
	if (result == 0)
		result = make(daemon, &names, mtu, &near, &far);
	if (result >= 0)
		result = hook_attach(&daemon->plane, near.index, PROGRAM_OF[kind], &ignored);
	if (result >= 0 && kind != PAIR_FIREWALL) /* whose table comes after such a program */
		result = hook_attach(&daemon->plane, far.index, PROGRAM_FAR, &ignored);
	if (result == -EEXIST)
		return fail(err, E_EXISTS, "", "%s is the link of another, or carries a filter of another: remove it", names.near);
	if (result < 0)
		return fail(err, E_KERNEL, "", "the kernel does not make %s: %s", names.near, strerror(-result));
	fill(pair, &near, &far);
	return 0;
}

bool pair_find(struct daemon *daemon, enum pair_kind kind, const char *name, struct pair *pair)
{
	struct pair_names names;
	struct link near, far;

	names_of_pair(daemon->options->host, daemon->generation, kind, name, &names);
	if (netlink_find(daemon->netlink, names.near, &near) < 0 || !is_ours(&near, names.near_mac, names.near_alias) ||
		netlink_find(daemon->netlink, names.far, &far) < 0)
		return false;
	fill(pair, &near, &far);
	return true;
}

uint32_t pair_port(struct daemon *daemon, enum pair_kind kind, const char *name)
{
	struct pair pair;

	return pair_find(daemon, kind, name, &pair) ? pair.near : 0;
}

int pair_remove(struct daemon *daemon, const struct pair *pair, struct error *err)
{
	int result = netlink_delete(daemon->netlink, pair->near);

	if (result < 0 && result != -ENODEV)
		return fail(err, E_KERNEL, "", "%s cannot be removed: %s", pair->link, strerror(-result));
	return 0;
}

int pair_each(struct daemon *daemon, pair_visit visit, void *context)
{
	struct link *all;
	int count = netlink_links(daemon->netlink, &all);

	for (int i = 0; i < count; i++) {
		struct pair_owner owner;

		if (names_read_link(daemon->options->host, all[i].name, all[i].mac, all[i].alias, &owner) && owner.generation == daemon->generation)
			visit(context, owner.kind, owner.name, &all[i]);
	}
	free(all);
	return count < 0 ? count : 0;
}
