#include "host_lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json_log.h"

#define PATIENCE_MS 1000 /* between the name and its listening there is a moment */
#define TURN_MS 10

struct place {
	struct sockaddr_un address; /* abstract: of a network namespace, and gone with who has it, however that ends */
	socklen_t size;
};

enum holder { NOBODY, A_DAEMON, A_STRANGER };

static struct place place_of(const char *host)
{
	struct place place = {.address = {.sun_family = AF_UNIX}};
	const int length = snprintf(place.address.sun_path + 1, sizeof(place.address.sun_path) - 1, "sextant-srv6:%s", host);

	place.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	return place;
}

/* Anybody may have taken the name: a daemon is of this user. One whose callers all wait is there, whoever it is. */
static enum holder who_has(const struct place *place, pid_t *process)
{
	int any = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred who = {0};
	socklen_t size = sizeof(who);
	enum holder found = NOBODY;

	if (any >= 0 && connect(any, (const struct sockaddr *)&place->address, place->size) < 0)
		found = errno == EAGAIN ? A_DAEMON : NOBODY;
	else if (any >= 0 && getsockopt(any, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0)
		found = who.uid == geteuid() ? A_DAEMON : A_STRANGER;
	if (any >= 0)
		(void)close(any);
	*process = who.pid;
	return found;
}

int host_lock(const char *host, struct error *err)
{
	const struct place place = place_of(host);
	int held = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	enum holder holder = NOBODY;
	pid_t process = 0;

	if (held < 0)
		return fail(err, E_KERNEL, "--host", "no socket that keeps a second daemon out: %s", strerror(errno));
	for (int waited = 0; holder == NOBODY && waited < PATIENCE_MS; waited += TURN_MS) {
		if (bind(held, (const struct sockaddr *)&place.address, place.size) == 0 && listen(held, SOMAXCONN) == 0)
			return held;
		if (errno != EADDRINUSE)
			break;
		holder = who_has(&place, &process);
		if (holder == NOBODY)
			(void)usleep(1000 * TURN_MS);
	}
	if (holder == A_DAEMON) {
		(void)close(held);
		return fail(err, E_EXISTS, "--host", "process %d is a daemon of %s in this network namespace already: stop it, or choose another name",
			(int)process, host);
	}
	/* Nobody without rights keeps a daemon from starting. */
	log_error("that no second daemon of %s starts is not seen to: %s", host, holder == A_STRANGER ? "a process without rights has its name" : strerror(errno));
	return held;
}
