#include "netlink.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink_message.h"

#define LOWER_UP 0x10000U /* IFF_LOWER_UP, which <net/if.h> lacks: the carrier as it is now. IFF_RUNNING follows up to a second later */
#define CARRIES ((unsigned int)IFF_UP | LOWER_UP)

int netlink_open(void)
{
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return netlink < 0 ? -errno : netlink;
}

static void read_link(const struct nlmsghdr *header, struct link *link)
{
	const struct ifinfomsg *info = NLMSG_DATA(header);
	const struct rtattr *at = NULL;

	memset(link, 0, sizeof(*link));
	link->index = (uint32_t)info->ifi_index;
	link->is_ethernet = info->ifi_type == 1; /* ARPHRD_ETHER */
	link->is_loopback = (info->ifi_flags & IFF_LOOPBACK) != 0;
	link->is_up = (info->ifi_flags & CARRIES) == CARRIES;
	while ((at = message_attribute(header, sizeof(*info), at)) != NULL) {
		if (at->rta_type == IFLA_IFNAME)
			message_text(at, link->name, sizeof(link->name));
		else if (at->rta_type == IFLA_IFALIAS)
			message_text(at, link->alias, sizeof(link->alias));
		else if (at->rta_type == IFLA_ADDRESS && RTA_PAYLOAD(at) == MAC_BYTES)
			memcpy(link->mac, RTA_DATA(at), MAC_BYTES);
	}
}

struct list {
	struct link *all;
	int count, room;
};

static void add_to(void *context, const struct nlmsghdr *header)
{
	struct list *list = context;

	if (header->nlmsg_type != RTM_NEWLINK || list->count < 0)
		return;
	if (list->count == list->room) {
		int room = list->room + 64;
		struct link *all = realloc(list->all, (size_t)room * sizeof(*all));

		if (all == NULL) {
			list->count = -ENOMEM;
			return;
		}
		list->all = all;
		list->room = room;
	}
	read_link(header, &list->all[list->count++]);
}

int netlink_links(int netlink, struct link **all)
{
	struct ifinfomsg info = {0};
	struct list list = {0};
	struct message message;
	int result;

	message_start(&message, RTM_GETLINK, NLM_F_DUMP, &info, sizeof(info));
	result = message_dump(netlink, &message, add_to, &list);
	if (result == 0)
		result = list.count;
	if (result < 0) {
		free(list.all);
		list.all = NULL;
	}
	*all = list.all;
	return result;
}

int netlink_find(int netlink, const char *name, struct link *found)
{
	struct link *all;
	int count = netlink_links(netlink, &all), result = count < 0 ? count : -ENODEV;

	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) != 0)
			continue;
		*found = all[i];
		result = 0;
	}
	free(all);
	return result;
}

struct queues {
	struct queue_length *all;
	int count;
};

/* `stats`: the attribute that holds what the root queueing discipline counts. */
static int queue_of(const struct rtattr *stats)
{
	const struct rtattr *at = RTA_DATA(stats);
	struct gnet_stats_queue queue;

	for (unsigned int left = (unsigned int)RTA_PAYLOAD(stats); RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		if (at->rta_type != TCA_STATS_QUEUE || RTA_PAYLOAD(at) < sizeof(queue))
			continue;
		memcpy(&queue, RTA_DATA(at), sizeof(queue));
		return queue.qlen > INT32_MAX ? INT32_MAX : (int)queue.qlen;
	}
	return -1;
}

static void note_queue(void *context, const struct nlmsghdr *header)
{
	const struct tcmsg *discipline = NLMSG_DATA(header);
	const struct rtattr *at = NULL;
	struct queues *queues = context;

	if (header->nlmsg_type != RTM_NEWQDISC || discipline->tcm_parent != TC_H_ROOT)
		return;
	while ((at = message_attribute(header, sizeof(*discipline), at)) != NULL)
		for (int i = 0; i < queues->count && at->rta_type == TCA_STATS2; i++)
			if (queues->all[i].index == (uint32_t)discipline->tcm_ifindex)
				queues->all[i].packets = queue_of(at);
}

int netlink_queues(int netlink, struct queue_length *queues, int count)
{
	struct queues found = {queues, count};
	struct tcmsg all = {.tcm_family = AF_UNSPEC};
	struct message message;

	for (int i = 0; i < count; i++)
		queues[i].packets = -1;
	message_start(&message, RTM_GETQDISC, NLM_F_DUMP, &all, sizeof(all));
	return message_dump(netlink, &message, note_queue, &found);
}

static void take_link(void *context, const struct nlmsghdr *header)
{
	if (header->nlmsg_type == RTM_NEWLINK)
		read_link(header, context);
}

int netlink_port(int netlink, uint32_t index, struct link *found)
{
	const struct ifinfomsg info = {.ifi_index = (int)index};
	const uint32_t brief = RTEXT_FILTER_SKIP_STATS;
	struct message message;

	message_start(&message, RTM_GETLINK, NLM_F_ACK, &info, sizeof(info));
	message_put(&message, IFLA_EXT_MASK, &brief, sizeof(brief));
	return message_dump(netlink, &message, take_link, found);
}

static void put_end(struct message *message, const char *name, const uint8_t *mac, uint32_t mtu)
{
	message_put(message, IFLA_IFNAME, name, strlen(name) + 1);
	message_put(message, IFLA_ADDRESS, mac, MAC_BYTES);
	message_put(message, IFLA_MTU, &mtu, sizeof(mtu));
}

int netlink_add_pair(int netlink, const struct pair_names *names, uint32_t mtu)
{
	struct ifinfomsg info = {0};
	struct message message;
	struct rtattr *about, *data, *peer;

	message_start(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	put_end(&message, names->near, names->near_mac, mtu);
	about = message_nest(&message, IFLA_LINKINFO);
	message_put(&message, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = message_nest(&message, IFLA_INFO_DATA);
	peer = message_nest(&message, VETH_INFO_PEER);
	message_append(&message, &info, sizeof(info));
	put_end(&message, names->far, names->far_mac, mtu);
	message_end(&message, peer);
	message_end(&message, data);
	message_end(&message, about);
	return message_send(netlink, &message);
}

int netlink_set_up(int netlink, uint32_t index, const char *alias)
{
	struct ifinfomsg info = {.ifi_index = (int)index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct message message;

	message_start(&message, RTM_NEWLINK, 0, &info, sizeof(info));
	message_put(&message, IFLA_IFALIAS, alias, strlen(alias));
	return message_send(netlink, &message);
}

int netlink_delete(int netlink, uint32_t index)
{
	struct ifinfomsg info = {.ifi_index = (int)index};
	struct message message;

	message_start(&message, RTM_DELLINK, 0, &info, sizeof(info));
	return message_send(netlink, &message);
}

static void note(void *context, const struct nlmsghdr *header)
{
	if (header->nlmsg_type == RTM_NEWTFILTER)
		*(bool *)context = true;
}

int netlink_has_filters(int netlink, uint32_t index)
{
	static const uint32_t parents[] = {TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)};
	bool found = false;

	for (int i = 0; i < 2; i++) {
		struct tcmsg filter = {.tcm_ifindex = (int)index, .tcm_parent = parents[i]};
		struct message message;
		int result;

		message_start(&message, RTM_GETTFILTER, NLM_F_DUMP, &filter, sizeof(filter));
		result = message_dump(netlink, &message, note, &found);
		if (result < 0)
			return result;
	}
	return found;
}
