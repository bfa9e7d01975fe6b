#include "namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int namespace_enter(const char *file, struct error *err)
{
	int opened = open(file, O_RDONLY | O_CLOEXEC), result = opened < 0 ? -1 : setns(opened, CLONE_NEWNET);

	if (result < 0)
		(void)fail(err, E_NOT_AVAILABLE, "--netns", "%s cannot be entered: %s", file, strerror(errno));
	if (opened >= 0)
		(void)close(opened);
	return result;
}

uint64_t namespace_cookie(void)
{
	int any = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (any >= 0 && getsockopt(any, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) < 0)
		cookie = 0;
	if (any >= 0)
		(void)close(any);
	return cookie;
}
