#include "listening.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 16

static gid_t group_of(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user != NULL ? user->pw_gid : (gid_t)uid;
}

static int is_answered(const struct sockaddr_un *address)
{
	int any = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int answered = any >= 0 && connect(any, (const struct sockaddr *)address, sizeof(*address)) == 0;

	if (any >= 0)
		(void)close(any);
	return answered;
}

static int make_place(int folder, const char *name, const struct sockaddr_un *address, struct error *err)
{
	struct stat there;

	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (!S_ISSOCK(there.st_mode))
		return fail(err, E_EXISTS, "--socket", "%s is there and is no socket: remove it, or choose another path", name);
	if (is_answered(address))
		return fail(err, E_EXISTS, "--socket", "another daemon listens on %s: stop it, or choose another path", name);
	return unlinkat(folder, name, 0) < 0 ? fail(err, E_KERNEL, "--socket", "%s: %s", name, strerror(errno)) : 0;
}

static int bind_as_group(const struct sockaddr_un *address, gid_t group, struct error *err)
{
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), bound = -1;
	const gid_t own = getegid();
	const mode_t mask = umask(0117); /* group and mode are right from the moment the name exists */

	if (listener >= 0 && setegid(group) == 0)
		bound = bind(listener, (const struct sockaddr *)address, sizeof(*address));
	if (bound < 0 || setegid(own) < 0 || listen(listener, BACKLOG) < 0) {
		(void)fail(err, E_KERNEL, "--socket", "cannot listen: %s", strerror(errno));
		if (listener >= 0)
			(void)close(listener);
		listener = -1;
	}
	(void)umask(mask);
	return listener;
}

/* The folder may be the agent's, who could put a link in the socket's place at any moment: it is opened once, and everything is
 * done relative to it. */
int listening_open(const char *path, uid_t uid, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char parent[PATH_MAX], base[PATH_MAX];
	const char *name;
	struct stat found;
	int folder, listener = -1;

	(void)snprintf(parent, sizeof(parent), "%s", path);
	(void)snprintf(base, sizeof(base), "%s", path);
	name = basename(base);
	folder = open(dirname(parent), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &found) < 0)
		return fail(err, E_NOT_FOUND, "--socket", "the folder of %s: %s", path, strerror(errno));
	if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", folder, name) >= sizeof(address.sun_path))
		(void)fail(err, E_BAD_REQUEST, "--socket", "the name of the socket is too long");
	else if ((found.st_uid != geteuid() && found.st_uid != uid) || (found.st_mode & 022) != 0)
		(void)fail(err, E_NOT_ALLOWED, "--socket", "its folder must belong to root or to user %u, and be writable by nobody else", uid);
	else if (make_place(folder, name, &address, err) == 0)
		listener = bind_as_group(&address, group_of(uid), err);
	(void)close(folder);
	return listener;
}
