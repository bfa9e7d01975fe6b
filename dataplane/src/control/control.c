#include "control/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_log.h"
#include "base/unix_listener.h"
#include "chains/build.h"
#include "chains/nf_change.h"
#include "control/client.h"

#define CLIENTS_MAX 16

int control_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN); /* the runner outlives the terminal and the agent that started it */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int control_listen(const struct options *options, struct error *err)
{
	return unix_listen(options->socket_path, "--socket", err);
}

static void reap_traffic(struct runner *runner)
{
	int status;

	if (runner->traffic_pid <= 0 || waitpid(runner->traffic_pid, &status, WNOHANG) != runner->traffic_pid)
		return;
	/* Only it knows which packets are in use; the agent starts a new runner and adds the chains again. */
	log_error("the traffic process ended (status %d); the runner stops", status);
	runner->traffic_pid = 0;
	runner->shutting_down = true;
	runner->exit_status = 1;
}

/* Group by group: a bounded child (bounded.h) is reaped by the thread that started it. */
static void reap_groups(struct runner *runner)
{
	struct rusage usage;
	int status;

	reap_traffic(runner);
	for (uint32_t i = 0; i < GROUPS_MAX; i++) {
		pid_t pid = runner->groups[i].used ? runner->groups[i].pid : 0;

		if (pid > 0 && wait4(pid, &status, WNOHANG, &usage) == pid)
			(void)nf_handle_exit(runner, pid, status, &usage);
	}
}

static void read_signals(struct runner *runner, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		log_info("signal %u received; the runner stops", info.ssi_signo);
		runner->shutting_down = true;
	}
	reap_groups(runner);
}

static void accept_client(int listener, struct client *clients)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (int i = 0; i < CLIENTS_MAX; i++) {
		if (clients[i].fd >= 0)
			continue;
		client_open(&clients[i], fd);
		return;
	}
	log_error("a connection was refused: %d clients are connected, the maximum", CLIENTS_MAX);
	(void)close(fd);
}

/* The client that has waited longest of those that began to wait after `ticket`; NULL: none. */
static struct client *next_waiting(struct client *clients, uint64_t ticket)
{
	struct client *next = NULL;

	for (int i = 0; i < CLIENTS_MAX; i++)
		if (clients[i].waiting && clients[i].ticket > ticket && (next == NULL || clients[i].ticket < next->ticket))
			next = &clients[i];
	return next;
}

/* In the order of arrival: changes of the same chain are made in that order. */
static void resume_waiting(struct runner *runner, struct client *clients)
{
	uint64_t ticket = 0;
	struct client *client;

	while (!runner->shutting_down && (client = next_waiting(clients, ticket)) != NULL) {
		ticket = client->ticket;
		client_resume(client, runner);
	}
}

static void serve_clients(struct runner *runner, struct client *clients, const struct pollfd *polled)
{
	resume_waiting(runner, clients);
	for (int i = 0; i < CLIENTS_MAX && !runner->shutting_down; i++) {
		if (clients[i].fd < 0 || clients[i].fd != polled[i].fd)
			continue;
		if (clients[i].in_progress) { /* nothing more is read before the answer; a client that hung up needs none */
			if (polled[i].revents & (POLLHUP | POLLERR))
				build_cancel(runner, &clients[i]);
			continue;
		}
		if (polled[i].revents & POLLOUT)
			client_write(&clients[i]);
		if (clients[i].fd < 0 || (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0)
			continue;
		client_read(&clients[i], runner);
		resume_waiting(runner, clients); /* those that waited for this request come before newer ones */
	}
}

/* What the loop waits for. Static, since a request that waits may enter the loop again. */
static struct {
	struct runner *runner;
	int listener, signals;
	struct client clients[CLIENTS_MAX];
} control;

enum { LISTENER = CLIENTS_MAX, SIGNALS, BUILD, POLLED };

/* One iteration. It may be nested: a request that waits lets the runner answer others meanwhile. */
static void poll_once(int milliseconds)
{
	struct pollfd polled[POLLED];

	for (int i = 0; i < CLIENTS_MAX; i++) {
		const struct client *client = &control.clients[i];

		polled[i] = (struct pollfd){.fd = client->fd, .events = client->in_progress ? 0 : (short)(
			(client_wants_input(client) ? POLLIN : 0) | (client_wants_output(client) ? POLLOUT : 0))};
	}
	polled[LISTENER] = (struct pollfd){.fd = control.listener, .events = POLLIN};
	polled[SIGNALS] = (struct pollfd){.fd = control.signals, .events = POLLIN};
	polled[BUILD] = (struct pollfd){.fd = build_done_fd(control.runner), .events = POLLIN};
	if (poll(polled, POLLED, milliseconds) <= 0)
		return;
	build_reap(control.runner);
	if (polled[SIGNALS].revents != 0)
		read_signals(control.runner, control.signals);
	serve_clients(control.runner, control.clients, polled);
	if (polled[LISTENER].revents != 0)
		accept_client(control.listener, control.clients);
}

void control_run(struct runner *runner, int listener, int signals)
{
	control.runner = runner;
	control.listener = listener;
	control.signals = signals;
	for (int i = 0; i < CLIENTS_MAX; i++)
		client_open(&control.clients[i], -1);
	runner->poll_events = poll_once;
	while (!runner->shutting_down)
		poll_once(-1);
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (control.clients[i].fd >= 0)
			client_close(&control.clients[i]);
}
