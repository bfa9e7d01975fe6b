/* One request line in, one answer out: docs/contracts/runner.md. */
#ifndef SEXTANT_PROTOCOL_H
#define SEXTANT_PROTOCOL_H

#include "chains/runner.h"

#define LINE_BYTES_MAX (1U << 20)

/* The answer to one line (without its newline); never NULL unless memory is out. The caller owns it. */
json_t *protocol_answer(struct runner *runner, const char *line, size_t length);

/*
 * Whether the line may not be begun before a request in work is done, since it would find things half done. While tables are
 * built these are a second build, and what concerns the chain they are for; `remove_chain` gives the build up. While a
 * chain drains it is all that changes something.
 */
bool protocol_must_wait(struct runner *runner, const char *line, size_t length);

/* The answer that refuses a request, with or without its id. */
json_t *protocol_refusal(json_t *id, const struct error *err);

#endif
