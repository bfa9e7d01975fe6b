/*
 * sextant-srv6: carries and measures a host's packets to and from other hosts. It alone has the rights that this takes; agents ask it
 * by typed verbs (docs/contracts/srv6.md).
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "adoption.h"
#include "base/json_log.h"
#include "host_lock.h"
#include "listening.h"
#include "namespace.h"
#include "pins.h"
#include "rights.h"
#include "server.h"

static struct options options;
static struct daemon daemon_state = {.options = &options, .netlink = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Blocked in every thread, so that the loop alone sees them. */
static int end_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	(void)signal(SIGPIPE, SIG_IGN);
	return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC);
}

/* Where packets cannot be carried the daemon stands nevertheless, and says why. */
static int start(struct error *err)
{
	char why_all[128] = "";

	if (pins_lock(options.pins, &daemon_state.reason) < 0) {
		if (strcmp(daemon_state.reason.code, E_EXISTS) == 0)
			return fail(err, E_EXISTS, "--pins", "%s", daemon_state.reason.message);
	} else if (host_lock(options.host, err) < 0) {
		return -1;
	} else {
		(void)adopt(&daemon_state, &daemon_state.reason);
	}
	if (rights_drop(why_all, sizeof(why_all), err) < 0)
		return -1;
	if (daemon_state.reason.code == NULL)
		daemon_state.rings = rings_start(daemon_state.plane.maps[MAP_MIRRORS], daemon_state.plane.maps[MAP_RETURNS],
			daemon_state.plane.maps[MAP_COUNTS], &daemon_state.reason);
	if (daemon_state.reason.code != NULL)
		log_error("packets cannot be carried here: %s", daemon_state.reason.message);
	if (why_all[0] != '\0')
		log_info("all rights are kept: %s", why_all);
	return 0;
}

static int clean_up(struct error *err)
{
	int lock = pins_lock(options.pins, err);

	if (lock < 0 || host_lock(options.host, err) < 0 || clean(&daemon_state, err) < 0)
		return -1;
	(void)rmdir(options.pins); /* others' files may lie there */
	return 0;
}

static int serve(struct error *err)
{
	int signals = end_signals(), listener = listening_open(options.socket_path, options.uid, err);

	if (listener < 0 || start(err) < 0)
		return -1;
	log_info("ready: host %s, %s, socket %s", options.host, daemon_state.plane.adopted ? "adopted" : "new", options.socket_path);
	server_run(&daemon_state, listener, signals);
	(void)unlink(options.socket_path);
	log_info("stopped; packets go on");
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (options_read(argc, argv, &options, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		(void)fputs(OPTIONS_USAGE, stderr);
		return 2;
	}
	if (options.help)
		return fputs(OPTIONS_USAGE, stdout) < 0;
	if (geteuid() != 0) {
		log_error("it does what needs root: start it as root");
		return 1;
	}
	(void)libbpf_set_print(NULL);
	if ((options.netns != NULL && namespace_enter(options.netns, &err) < 0) || (options.clean ? clean_up(&err) : serve(&err)) < 0) {
		log_error("%s: %s", err.field, err.message);
		return 1;
	}
	return 0;
}
