#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json_log.h"
#include "protocol.h"

#define LINE_BYTES_MAX 65536
#define CONNECTIONS_MAX 8
#define SEND_SECONDS 5

struct connection {
	struct daemon *daemon;
	int peer;
};

static atomic_int open_connections;

/* The descriptor goes with the first byte. */
static ssize_t send_some(int peer, const char *text, size_t length, int passed)
{
	struct iovec piece = {.iov_base = (char *)(uintptr_t)text, .iov_len = length};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

	if (passed >= 0) {
		control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.bytes);
	}
	return sendmsg(peer, &message, MSG_NOSIGNAL);
}

/* Takes over `answer` and `passed`. */
static bool send_answer(int peer, json_t *answer, int passed)
{
	char *text = answer == NULL ? NULL : json_dumps(answer, JSON_COMPACT);
	size_t length = text == NULL ? 0 : strlen(text), sent = 0;
	bool is_sent = text != NULL;

	if (is_sent)
		text[length++] = '\n'; /* in place of the zero */
	while (is_sent && sent < length) {
		ssize_t now = send_some(peer, text + sent, length - sent, sent == 0 ? passed : -1);

		is_sent = now > 0;
		sent += is_sent ? (size_t)now : 0;
	}
	free(text);
	json_decref(answer);
	if (passed >= 0)
		(void)close(passed);
	return is_sent;
}

static void refuse(int peer, const char *code, const char *message)
{
	struct error err = {0};

	(void)fail(&err, code, "", "%s", message);
	(void)send_answer(peer, protocol_refusal(NULL, &err), -1);
}

/* The bytes that are left of an unfinished line; -1: the connection is over. */
static ssize_t answer_lines(struct connection *connection, char *room, size_t used)
{
	size_t start = 0;
	char *end;

	while ((end = memchr(room + start, '\n', used - start)) != NULL) {
		size_t length = (size_t)(end - room) - start;
		int passed;
		json_t *answer = protocol_answer(connection->daemon, room + start, length, &passed);

		if (!send_answer(connection->peer, answer, passed))
			return -1;
		start += length + 1;
	}
	memmove(room, room + start, used - start);
	return (ssize_t)(used - start);
}

static void converse(struct connection *connection, char *room)
{
	ssize_t used = 0;

	while (used >= 0) {
		ssize_t got;

		if (used > LINE_BYTES_MAX) {
			refuse(connection->peer, E_BAD_REQUEST, "a line of more than 65536 bytes; the connection is closed");
			return;
		}
		got = recv(connection->peer, room + used, LINE_BYTES_MAX + 1 - (size_t)used, 0);
		if (got <= 0 && (got == 0 || errno != EINTR))
			return;
		used = answer_lines(connection, room, (size_t)(used + (got > 0 ? got : 0)));
	}
}

static void *serve(void *argument)
{
	struct connection *connection = argument;
	char *room = malloc(LINE_BYTES_MAX + 1);

	if (room != NULL)
		converse(connection, room);
	(void)close(connection->peer);
	free(room);
	free(connection);
	atomic_fetch_sub(&open_connections, 1);
	return NULL;
}

static bool may_ask(struct daemon *daemon, int peer)
{
	struct ucred who;
	socklen_t size = sizeof(who);
	char message[128];

	if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && (who.uid == 0 || who.uid == daemon->options->uid))
		return true;
	(void)snprintf(message, sizeof(message), "user %u may not ask; only root and user %u may", who.uid, daemon->options->uid);
	log_error("refused process %d: %s", (int)who.pid, message);
	refuse(peer, E_NOT_ALLOWED, message);
	return false;
}

static void take_in(struct daemon *daemon, int listener)
{
	const struct timeval patience = {.tv_sec = SEND_SECONDS};
	int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct connection *connection;
	pthread_t thread;

	if (peer < 0)
		return;
	(void)setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	connection = may_ask(daemon, peer) ? malloc(sizeof(*connection)) : NULL;
	if (connection == NULL) {
		(void)close(peer);
		return;
	}
	*connection = (struct connection){daemon, peer};
	if (atomic_fetch_add(&open_connections, 1) < CONNECTIONS_MAX && pthread_create(&thread, NULL, serve, connection) == 0) {
		(void)pthread_detach(thread);
		return;
	}
	atomic_fetch_sub(&open_connections, 1);
	refuse(peer, E_NO_ROOM, "8 connections are open already: close one");
	(void)close(peer);
	free(connection);
}

void server_run(struct daemon *daemon, int listener, int signals)
{
	struct pollfd polled[] = {{.fd = listener, .events = POLLIN}, {.fd = signals, .events = POLLIN}};

	while (polled[1].revents == 0)
		if (poll(polled, 2, -1) > 0 && polled[0].revents != 0)
			take_in(daemon, listener);
	(void)pthread_mutex_lock(&daemon->lock); /* no request stays half done */
}
