/* The answers of `hello` and `query`, without id and ok. */
#ifndef SEXTANT_REPORT_H
#define SEXTANT_REPORT_H

#include "chains/runner.h"

json_t *report_hello(const struct runner *runner);
json_t *report_query(struct runner *runner, bool keep_peaks);

#endif
