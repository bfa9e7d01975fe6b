/* A confined process goes on with the sockets that it has, and cannot have them do anything else. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confined.h"
#include "check.h"

static int ends[2], udp;
static const struct sockaddr_in ELSEWHERE = {.sin_family = AF_INET, .sin_port = 9, .sin_addr = {0x0100007f}};
#define TO_ELSEWHERE (const struct sockaddr *)&ELSEWHERE, sizeof(ELSEWHERE)
#define REFUSED(call) CHECK((call) < 0 && errno == EPERM)

static void what_names_a_destination_is_refused(void)
{
	struct msghdr message = {.msg_name = (void *)(uintptr_t)&ELSEWHERE, .msg_namelen = sizeof(ELSEWHERE)};
	struct mmsghdr messages = {.msg_hdr = message};
	char program[] = "/bin/true", *arguments[] = {program, NULL};
	const int one = 1;

	REFUSED(bind(udp, TO_ELSEWHERE));
	REFUSED(connect(udp, TO_ELSEWHERE));
	REFUSED(sendto(udp, "x", 1, 0, TO_ELSEWHERE));
	REFUSED(sendmsg(udp, &message, 0));
	REFUSED(sendmmsg(udp, &messages, 1, 0));
	REFUSED(setsockopt(udp, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one)));
	REFUSED(socket(AF_INET, SOCK_DGRAM, 0));
	REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	REFUSED(syscall(SYS_io_uring_setup, 1, NULL));
	REFUSED(syscall(SYS_pidfd_getfd, 0, 0, 0));
	REFUSED(execv(program, arguments));
}

static void the_sockets_that_it_has_go_on(void)
{
	char first[] = "ab", second[] = "c", got[8];
	struct iovec parts[] = {{first, 2}, {second, 1}};

	CHECK(send(ends[0], "x", 1, MSG_NOSIGNAL) == 1 && recv(ends[1], got, sizeof(got), 0) == 1);
	CHECK(pwritev2(ends[0], parts, 2, -1, RWF_NOWAIT) == 3 && read(ends[1], got, sizeof(got)) == 3);
	CHECK(memcmp(got, "abc", 3) == 0);
}

static void *in_an_older_thread(void *arrived)
{
	char byte;

	CHECK(read(*(int *)arrived, &byte, 1) == 1); /* once the process is confined */
	what_names_a_destination_is_refused();
	return NULL;
}

/* The same number means another call in 32-bit code, and x32 has numbers of its own. */
static void other_tables_of_calls_are_closed(void)
{
#if defined(__x86_64__)
	pid_t child;
	int status;

	REFUSED(syscall(0x40000000L + SYS_bind, udp, TO_ELSEWHERE));
	child = fork();
	if (child == 0) {
		long result = 20; /* getpid */

		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
		_exit(result < 0 ? 1 : 0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status)); /* by the filter; a kernel without that table ends it, too */
#endif
}

int main(void)
{
	struct error err = {0};
	pthread_t thread;
	int told[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 && pipe(told) == 0);
	udp = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(udp >= 0 && sendto(udp, "x", 1, 0, TO_ELSEWHERE) == 1);
	CHECK(pthread_create(&thread, NULL, in_an_older_thread, &told[0]) == 0);
	CHECK(confine_sockets(&err) == 0);
	CHECK(write(told[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0);
	what_names_a_destination_is_refused();
	the_sockets_that_it_has_go_on();
	other_tables_of_calls_are_closed();
	return 0;
}
