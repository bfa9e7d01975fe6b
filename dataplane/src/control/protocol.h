/* One request line in, one answer out: docs/contracts/runner.md. */
#ifndef SEXTANT_PROTOCOL_H
#define SEXTANT_PROTOCOL_H

#include "chains/runner.h"

#define LINE_BYTES_MAX (1U << 20)

/* The answer to one line (without its newline); NULL only when out of memory. The caller owns it. */
json_t *protocol_answer(struct runner *runner, const char *line, size_t length);

/*
 * Whether the line must wait until the present request is done. While tables are built, a second build waits, and so does
 * every request about the same chain, except that `remove_chain` cancels the build. While a chain drains, every request
 * waits that changes something.
 */
bool protocol_must_wait(struct runner *runner, const char *line, size_t length);

/* The answer that refuses a request, with or without its id. */
json_t *protocol_refusal(json_t *id, const struct error *err);

#endif
