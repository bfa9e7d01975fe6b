/* The command line of sextant-srv6-nf. */
#ifndef SEXTANT_SHELL_OPTIONS_H
#define SEXTANT_SHELL_OPTIONS_H

#include <jansson.h>

#include "base/error.h"
#include "nf/nf.h"

struct shell_options {
	int fd;
	const struct nf_type *type;
	json_t *config;
	const char *control;   /* path of the control socket */
	const char *artefacts; /* NULL: no configuration may name a file */
	int megabytes;
};

extern const char SHELL_USAGE[];

int shell_options_read(int argc, char **argv, struct shell_options *options, struct error *err);

#endif
