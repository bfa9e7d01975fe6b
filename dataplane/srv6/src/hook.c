#include "hook.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "netlink.h"

#define HANDLE 0x53365231U /* "S6R1" */
#define PRIORITY 1 /* before all others: what they let pass would not be looked at */

/* 1: ours, 0: none, -EEXIST: another's. */
static int who_is_there(const struct plane *plane, const struct bpf_tc_hook *hook)
{
	LIBBPF_OPTS(bpf_tc_opts, there, .handle = HANDLE, .priority = PRIORITY);
	int result = bpf_tc_query(hook, &there);

	if (result == -ENOENT || result == -EINVAL) /* the second where there is no clsact */
		return 0;
	if (result < 0)
		return result;
	return plane_is_ours(plane, there.prog_id) ? 1 : -EEXIST;
}

static int put(const struct plane *plane, const struct bpf_tc_hook *hook, enum program program)
{
	LIBBPF_OPTS(bpf_tc_opts, filter, .handle = HANDLE, .priority = PRIORITY, .prog_fd = plane->programs[program]);
	int result = who_is_there(plane, hook);

	if (result == 1)
		filter.flags = BPF_TC_F_REPLACE;
	return result < 0 ? result : bpf_tc_attach(hook, &filter);
}

static int take(const struct plane *plane, const struct bpf_tc_hook *hook)
{
	LIBBPF_OPTS(bpf_tc_opts, filter, .handle = HANDLE, .priority = PRIORITY);
	int result = who_is_there(plane, hook);

	if (result == 1)
		result = bpf_tc_detach(hook, &filter);
	return result == -EEXIST ? 0 : result;
}

int hook_attach(const struct plane *plane, uint32_t port, enum program program, bool *added_clsact)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)port, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_hook, out, .ifindex = (int)port, .attach_point = BPF_TC_EGRESS);
	int result = bpf_tc_hook_create(&hook);

	*added_clsact = result == 0;
	if (result < 0 && result != -EEXIST)
		return result;
	result = put(plane, &hook, program);
	if (result < 0)
		return result;
	/* Where this cannot be, packets go on, and the queue is not read. A port may have been attached as the other kind before. */
	(void)(program == PROGRAM_CORE && plane->programs[PROGRAM_QUEUE] >= 0 ? put(plane, &out, PROGRAM_QUEUE) : take(plane, &out));
	return 0;
}

int hook_detach(const struct plane *plane, int netlink, uint32_t port, bool added_clsact)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)port, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_hook, out, .ifindex = (int)port, .attach_point = BPF_TC_EGRESS);
	int result = take(plane, &hook);

	if (result == 0)
		result = take(plane, &out);
	if (result < 0)
		return result;
	if (!added_clsact || netlink_has_filters(netlink, port) != 0)
		return 0;
	hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS; /* both: the clsact itself */
	return bpf_tc_hook_destroy(&hook);
}
