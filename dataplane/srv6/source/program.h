/* What source and sink have in common: their command line, and the thread that answers the control socket. */
#ifndef SEXTANT_SRV6_PROGRAM_H
#define SEXTANT_SRV6_PROGRAM_H

#include "base/line_server.h"

struct program_options {
	int fd;
	const char *control;
	const char *chain, *to; /* NULL where they are not given */
};

int program_options_read(int argc, char **argv, struct program_options *options, struct error *err);

/* Starts the thread; when it is asked to end it ends the process. `options` must stay. */
int program_answer(const struct program_options *options, line_answer answer, void *argument, struct error *err);

#endif
