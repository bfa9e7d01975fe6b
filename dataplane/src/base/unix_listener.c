#include "base/unix_listener.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

static bool socket_is_in_use(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;

	if (fd >= 0)
		(void)close(fd);
	return answers;
}

int unix_listen(const char *path, const char *option, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat there;
	mode_t mask;
	int fd, bound;

	if (strlen(path) == 0 || strlen(path) >= sizeof(address.sun_path))
		return fail(err, E_BAD_REQUEST, option, "a path of 1 to 107 bytes is expected");
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (lstat(path, &there) == 0) {
		if (!S_ISSOCK(there.st_mode))
			return fail(err, E_EXISTS, option, "%s exists and is not a socket; remove it or choose another path", path);
		if (socket_is_in_use(&address))
			return fail(err, E_EXISTS, option, "another process listens on %s; stop it or choose another path", path);
		(void)unlink(path);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177); /* 0600 from the first moment */
	bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof(address));
	(void)umask(mask);
	if (bound < 0 || listen(fd, BACKLOG) < 0)
		return fail(err, E_START_FAILED, option, "cannot listen on %s (%s)", path, strerror(errno));
	return fd;
}
