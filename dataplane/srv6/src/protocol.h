/* A request line in, an answer out. */
#ifndef SEXTANT_SRV6_PROTOCOL_H
#define SEXTANT_SRV6_PROTOCOL_H

#include <jansson.h>

#include "daemon.h"

/* The answer; `passed` becomes a descriptor that goes with it, to be closed by the caller, or -1. */
json_t *protocol_answer(struct daemon *daemon, const char *line, size_t length, int *passed);
/* Takes over a reference to `id`, which may be NULL. */
json_t *protocol_refusal(json_t *id, const struct error *err);

#endif
