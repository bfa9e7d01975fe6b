/* The command line. */
#ifndef SEXTANT_SRV6_OPTIONS_H
#define SEXTANT_SRV6_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "codes.h"

struct options {
	const char *socket_path, *pins, *host, *netns;
	char object[PATH_MAX];
	uid_t uid; /* who may ask, beside root */
	bool clean, help;
};

extern const char OPTIONS_USAGE[];

int options_read(int argc, char **argv, struct options *options, struct error *err);

#endif
