/* Answers of sextant-measure: one JSON object a line on stdout, as they come. */
#ifndef SEXTANT_MEASURE_OUTPUT_H
#define SEXTANT_MEASURE_OUTPUT_H

#include <jansson.h>

#include "base/error.h"

/* Prints `{"<kind>": body}` and takes `body`. A reader that is gone ends the process by SIGPIPE: nobody needs it. */
void output_line(const char *kind, json_t *body);

/* The line that refuses a request: code, field and cause. */
void output_error(const struct error *err);

#endif
