#include "control/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/protocol.h"

#define READ_BYTES 65536U
#define UNSENT_MAX (4U << 20)

void client_open(struct client *client, int fd)
{
	memset(client, 0, sizeof(*client));
	client->fd = fd;
}

void client_close(struct client *client)
{
	(void)close(client->fd);
	free(client->in);
	free(client->out);
	client_open(client, -1);
}

bool client_wants_input(const struct client *client)
{
	return !client->closing && !client->waiting && client->out_used - client->out_sent < UNSENT_MAX;
}

bool client_wants_output(const struct client *client)
{
	return client->out_used > client->out_sent;
}

static void queue(struct client *client, json_t *answer)
{
	char *text = answer == NULL ? NULL : json_dumps(answer, JSON_COMPACT);
	size_t length = text == NULL ? 0 : strlen(text);
	size_t unsent = client->out_used - client->out_sent;
	char *out = text == NULL ? NULL : malloc(unsent + length + 1);

	json_decref(answer);
	if (out == NULL) {
		client->closing = true;
		free(text);
		return;
	}
	if (unsent > 0)
		memcpy(out, client->out + client->out_sent, unsent);
	memcpy(out + unsent, text, length);
	out[unsent + length] = '\n';
	free(text);
	free(client->out);
	client->out = out;
	client->out_sent = 0;
	client->out_used = unsent + length + 1;
}

static void refuse_oversize(struct client *client)
{
	struct error err = {0};

	(void)fail(&err, E_BAD_REQUEST, "", "a request may have %u bytes at most; the connection is closed", LINE_BYTES_MAX);
	queue(client, protocol_refusal(NULL, &err));
	client->closing = true;
}

static bool must_wait(const struct client *client, struct runner *runner, const char *line, size_t length)
{
	return client->out_used - client->out_sent >= UNSENT_MAX || protocol_must_wait(runner, line, length);
}

static void answer(struct client *client, struct runner *runner, const char *line, size_t length)
{
	const void *before = runner->requester;

	runner->requester = client;
	client->in_progress = true;
	queue(client, protocol_answer(runner, line, length));
	client->in_progress = false;
	runner->requester = before;
}

static void answer_lines(struct client *client, struct runner *runner)
{
	static uint64_t tickets;
	bool waited = client->waiting;
	size_t start = 0;
	char *end;

	client->waiting = false;
	while (!client->closing && (end = memchr(client->in + start, '\n', client->in_used - start)) != NULL) {
		size_t length = (size_t)(end - client->in) - start;

		if (length > LINE_BYTES_MAX) {
			refuse_oversize(client);
			return;
		}
		client->waiting = must_wait(client, runner, client->in + start, length);
		if (client->waiting) {
			if (!waited || start > 0)
				client->ticket = ++tickets;
			break;
		}
		answer(client, runner, client->in + start, length);
		start += length + 1;
		if (runner->shutting_down)
			client->closing = true;
	}
	client->in_used -= start;
	memmove(client->in, client->in + start, client->in_used);
	if (client->in_used > LINE_BYTES_MAX && memchr(client->in, '\n', client->in_used) == NULL)
		refuse_oversize(client);
}

static bool grow_input(struct client *client)
{
	size_t capacity = client->in_used + READ_BYTES;
	char *in;

	if (client->in_capacity >= capacity)
		return true;
	capacity = capacity > 2 * client->in_capacity ? capacity : 2 * client->in_capacity;
	in = realloc(client->in, capacity);
	if (in == NULL)
		return false;
	client->in = in;
	client->in_capacity = capacity;
	return true;
}

void client_read(struct client *client, struct runner *runner)
{
	ssize_t got;

	if (!grow_input(client)) {
		client_close(client);
		return;
	}
	got = recv(client->fd, client->in + client->in_used, READ_BYTES, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		client_close(client);
		return;
	}
	client->in_used += (size_t)got;
	answer_lines(client, runner);
	client_write(client);
}

void client_resume(struct client *client, struct runner *runner)
{
	if (!client->waiting)
		return;
	answer_lines(client, runner);
	client_write(client);
}

void client_write(struct client *client)
{
	while (client_wants_output(client)) {
		ssize_t sent = send(client->fd, client->out + client->out_sent, client->out_used - client->out_sent,
			MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0) {
			client_close(client);
			return;
		}
		client->out_sent += (size_t)sent;
	}
	if (client->closing)
		client_close(client);
}
