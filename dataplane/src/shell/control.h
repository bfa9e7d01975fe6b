/* What the shell answers on its control socket (docs/contracts/srv6-nf.md). */
#ifndef SEXTANT_SHELL_CONTROL_H
#define SEXTANT_SHELL_CONTROL_H

#include <pthread.h>

#include "base/line_server.h"
#include "shell/work.h"

struct shell {
	struct work work;
	uint64_t started_ns;
	pthread_t worker;
	uint64_t lost; /* frames that the socket had no space for, up to the last query */
};

/* Answers one request; `argument` is the shell. For line_server. */
json_t *shell_answer(void *argument, struct line_request *request);

#endif
