/*
 * Answers lines on a unix socket: a request a line, an answer a line, in order, for a few clients at once. For programs whose
 * answers take no time worth speaking of; it runs in a thread of its own and sleeps while nobody asks.
 */
#ifndef SEXTANT_LINE_SERVER_H
#define SEXTANT_LINE_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct line_request {
	const char *op;
	const json_t *json; /* the whole request */
	struct error *err;
	bool ends; /* set by the answer: after it, the server returns */
};

/* The fields of an answer, or NULL with `err` filled. */
typedef json_t *(*line_answer)(void *argument, struct line_request *request);

struct line_server {
	int listener, signals; /* a signalfd, on which SIGTERM and SIGINT arrive */
	line_answer answer;
	void *argument;
};

/* Blocks SIGTERM and SIGINT for this thread and those that it starts, and ignores SIGPIPE. Returns the signalfd, or -1. */
int line_server_signals(void);

/* Until a signal comes, or an answer ends it. */
void line_server_run(const struct line_server *server);

#endif
