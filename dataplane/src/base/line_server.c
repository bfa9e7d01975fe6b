#include "base/line_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_log.h"

#define CLIENTS_MAX 8
#define LINE_BYTES_MAX (1U << 20)
#define READ_BYTES 65536U

/* Nothing is read from a client while an answer to it is unsent: both buffers are bounded. */
struct client {
	int fd; /* -1: free */
	char *in, *out;
	size_t in_used, out_bytes, out_sent;
};

enum { LISTENER = CLIENTS_MAX, SIGNALS, POLLED };

int line_server_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	(void)signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static json_t *answer_json(const struct line_server *server, const json_t *json, const json_error_t *where, bool *ends)
{
	struct error err = {0};
	struct line_request request = {.op = json_string_value(json_object_get(json, "op")), .json = json, .err = &err};
	const json_t *id = json_object_get(json, "id");
	json_t *answer = NULL;

	if (json == NULL)
		(void)fail(&err, E_BAD_REQUEST, "", "the line is not valid JSON (character %d)", where->position);
	else if (request.op == NULL)
		(void)fail(&err, E_BAD_REQUEST, "op", "an object with an \"op\" is expected");
	else
		answer = server->answer(server->argument, &request);
	*ends |= request.ends;
	if (answer == NULL)
		answer = json_pack("{s:{s:s, s:s, s:s}}", "error", "code", err.code == NULL ? E_INTERNAL : err.code, "field", err.field,
			"message", err.code == NULL ? "out of memory" : err.message);
	json_object_set_new(answer, "ok", json_boolean(json_object_get(answer, "error") == NULL));
	json_object_set_new(answer, "id", json_is_integer(id) || json_is_string(id) ? json_deep_copy(id) : json_null());
	return answer;
}

/* As text with its newline, to be freed; NULL when there is no memory. `ends` is set, never cleared. */
static char *answer_line(const struct line_server *server, const char *line, size_t length, bool *ends)
{
	json_error_t where = {0};
	json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
	json_t *answer = answer_json(server, json, &where, ends);
	char *text = json_dumps(answer, JSON_COMPACT), *whole;
	size_t bytes = text == NULL ? 0 : strlen(text);

	json_decref(answer);
	json_decref(json);
	whole = text == NULL ? NULL : realloc(text, bytes + 2);
	if (whole == NULL) {
		free(text);
		return NULL;
	}
	memcpy(whole + bytes, "\n", 2);
	return whole;
}

static void client_close(struct client *client)
{
	(void)close(client->fd);
	free(client->in);
	free(client->out);
	*client = (struct client){.fd = -1};
}

/* Sends what is there; once all of it is sent, the next line may be answered. */
static void client_write(struct client *client)
{
	ssize_t sent = send(client->fd, client->out + client->out_sent, client->out_bytes - client->out_sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (sent < 0) {
		client_close(client);
		return;
	}
	client->out_sent += (size_t)sent;
	if (client->out_sent < client->out_bytes)
		return;
	free(client->out);
	client->out = NULL;
}

/* Answers the lines that are there, until one answer is not sent at once. */
static void client_answer(const struct line_server *server, struct client *client, bool *ends)
{
	char *end;

	while (client->fd >= 0 && client->out == NULL && !*ends && (end = memchr(client->in, '\n', client->in_used)) != NULL) {
		size_t length = (size_t)(end - client->in);

		client->out = answer_line(server, client->in, length, ends);
		client->in_used -= length + 1;
		memmove(client->in, end + 1, client->in_used);
		if (client->out == NULL) {
			client_close(client);
			return;
		}
		client->out_bytes = strlen(client->out);
		client->out_sent = 0;
		client_write(client);
	}
}

static void client_read(const struct line_server *server, struct client *client, bool *ends)
{
	char *in = realloc(client->in, client->in_used + READ_BYTES);
	ssize_t got;

	if (in != NULL)
		client->in = in;
	got = in == NULL ? 0 : recv(client->fd, in + client->in_used, READ_BYTES, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 || client->in_used + (size_t)got > LINE_BYTES_MAX) {
		client_close(client);
		return;
	}
	client->in_used += (size_t)got;
	client_answer(server, client, ends);
}

static void accept_client(int listener, struct client *clients)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (int i = 0; i < CLIENTS_MAX && fd >= 0; i++) {
		if (clients[i].fd >= 0)
			continue;
		clients[i].fd = fd;
		return;
	}
	if (fd < 0)
		return;
	log_error("a connection was refused: %d clients are connected, the maximum", CLIENTS_MAX);
	(void)close(fd);
}

static void serve(const struct line_server *server, struct client *client, short events, bool *ends)
{
	if (client->out != NULL && (events & (POLLOUT | POLLHUP | POLLERR)) != 0) {
		client_write(client);
		client_answer(server, client, ends);
	} else if (client->out == NULL && (events & (POLLIN | POLLHUP | POLLERR)) != 0) {
		client_read(server, client, ends);
	}
}

void line_server_run(const struct line_server *server)
{
	struct client clients[CLIENTS_MAX];
	struct pollfd polled[POLLED];
	bool ends = false;

	for (int i = 0; i < CLIENTS_MAX; i++)
		clients[i] = (struct client){.fd = -1};
	polled[LISTENER] = (struct pollfd){.fd = server->listener, .events = POLLIN};
	polled[SIGNALS] = (struct pollfd){.fd = server->signals, .events = POLLIN};
	while (!ends) {
		for (int i = 0; i < CLIENTS_MAX; i++)
			polled[i] = (struct pollfd){.fd = clients[i].fd, .events = clients[i].out == NULL ? POLLIN : POLLOUT};
		if (poll(polled, POLLED, -1) <= 0)
			continue;
		for (int i = 0; i < CLIENTS_MAX && !ends; i++)
			if (clients[i].fd >= 0 && clients[i].fd == polled[i].fd)
				serve(server, &clients[i], polled[i].revents, &ends);
		if (polled[LISTENER].revents != 0)
			accept_client(server->listener, clients);
		ends |= polled[SIGNALS].revents != 0;
	}
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (clients[i].fd >= 0)
			client_close(&clients[i]);
}
