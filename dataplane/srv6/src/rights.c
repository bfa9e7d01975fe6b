#include "rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 1024

static int set_limits(void)
{
	const struct rlimit none = {0, 0}, descriptors = {DESCRIPTORS_MAX, DESCRIPTORS_MAX};

	(void)umask(077);
	return chdir("/") < 0 || setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_NOFILE, &descriptors) < 0 ||
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ? -1 : 0;
}

int rights_drop(char *why_all, size_t size, struct error *err)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0}, now[2] = {0};
	const bool has_bpf = prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) >= 0;
	const uint64_t keep = 1ULL << CAP_NET_ADMIN | 1ULL << CAP_NET_RAW | 1ULL << (has_bpf ? CAP_BPF : CAP_SYS_ADMIN);
	const uint64_t needed = keep | 1ULL << CAP_SETPCAP;

	if (set_limits() < 0 || syscall(SYS_capget, &header, now) < 0)
		return fail(err, E_INTERNAL, "", "rights cannot be given up: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		if ((uint32_t)(needed >> 32 * i) & ~now[i].permitted) {
			(void)strncpy(why_all, "this root lacks CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF or CAP_SETPCAP", size - 1);
			return 0;
		}
		sets[i].effective = sets[i].permitted = (uint32_t)(keep >> 32 * i);
	}
	for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++) /* EINVAL after the last one */
		if (number > 63 || !(keep >> number & 1))
			if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0)
				return fail(err, E_INTERNAL, "", "the bounding set cannot be cut: %s", strerror(errno));
	if (syscall(SYS_capset, &header, sets) < 0)
		return fail(err, E_INTERNAL, "", "capset: %s", strerror(errno));
	return 0;
}
