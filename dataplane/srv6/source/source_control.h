/* What the source answers on its control socket (docs/contracts/srv6-traffic.md). */
#ifndef SEXTANT_SOURCE_CONTROL_H
#define SEXTANT_SOURCE_CONTROL_H

#include <pthread.h>

#include "base/line_server.h"
#include "source/sender.h"

struct source_control {
	struct sender sender;
	json_t *spec; /* the source as it was asked for last */
	uint16_t stream;
	uint64_t started_ns;
	pthread_t worker;
};

/* A new source, from its first packet on; `spec` is kept. -1 with the field named in `err`. */
int source_control_start(struct source_control *control, json_t *spec, struct error *err);

/* Answers one request; `argument` is a struct source_control. For line_server. */
json_t *source_control_answer(void *argument, struct line_request *request);

#endif
