#include "base/confined.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "which numbers system calls have here has to be said"
#endif
#define X32_FIRST 0x40000000U /* x86-64's second table of calls, in which each has another number; nobody else has so many */

/*
 * Where a packet socket sends may stand in the address of a message, which lies in memory that a filter does not see: hence no message is
 * sent at all, and frames are written (packet_port_send). io_uring would do all of it by other means.
 */
static const uint32_t DENIED[] = {
	SYS_bind, SYS_connect, SYS_socket, SYS_setsockopt, SYS_sendmsg, SYS_sendmmsg, SYS_io_uring_setup, SYS_io_uring_enter,
	SYS_io_uring_register, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_execve, SYS_execveat};
#define DENIED_COUNT (sizeof(DENIED) / sizeof(DENIED[0]))
#define BEFORE 5U
#define AFTER 7U
#define LENGTH (BEFORE + 2 * DENIED_COUNT + AFTER)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ADDRESS offsetof(struct seccomp_data, args[4]) /* of sendto; as send() calls it there is none */

static void write_filter(struct sock_filter code[LENGTH])
{
	const struct sock_filter before[BEFORE] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		IF_EQUAL(OWN_ARCH, 1, 0),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
		LOAD(offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_FIRST, 2 * DENIED_COUNT + AFTER - 1, 0),
	};
	const struct sock_filter after[AFTER] = {
		IF_EQUAL(SYS_sendto, 0, 4),
		LOAD(ADDRESS),
		IF_EQUAL(0, 0, 3),
		LOAD(ADDRESS + sizeof(uint32_t)),
		IF_EQUAL(0, 0, 1),
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(REFUSE),
	};

	memcpy(code, before, sizeof(before));
	for (uint32_t i = 0; i < DENIED_COUNT; i++) {
		code[BEFORE + 2 * i] = (struct sock_filter)IF_EQUAL(DENIED[i], 0, 1);
		code[BEFORE + 2 * i + 1] = (struct sock_filter)ANSWER(REFUSE);
	}
	memcpy(code + BEFORE + 2 * DENIED_COUNT, after, sizeof(after));
}

int confine_sockets(struct error *err)
{
	struct sock_filter code[LENGTH];
	const struct sock_fprog filter = {.len = LENGTH, .filter = code};

	write_filter(code);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
		return fail(err, E_START_FAILED, "", "the kernel does not take system calls away (%s): it needs CONFIG_SECCOMP_FILTER",
			strerror(errno));
	return 0;
}
