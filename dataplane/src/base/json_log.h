/* JSON lines on stderr: the only log there is. Safe in any process of the runner. */
#ifndef SEXTANT_JSON_LOG_H
#define SEXTANT_JSON_LOG_H

#include <stdio.h>

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A stream that turns each line written to it into a JSON line: DPDK's own log goes there. */
FILE *log_stream(void);

#endif
