/* The command line of sextant-runner. */
#ifndef SEXTANT_OPTIONS_H
#define SEXTANT_OPTIONS_H

#include <sched.h>
#include <stdbool.h>

#include "shared/memory.h"

#define NONCE_CHARS 32

struct options {
	const char *socket_path;
	const char *nonce;
	cpu_set_t cores; /* where NFs may run */
	struct memory_settings memory; /* its core is the traffic core */
	int replay_mb; /* most that captures to replay may take together */
	const char *artefacts; /* the folder of files that configurations name by digest, or NULL */
};

/* Reads and checks argv against the process's affinity; -1 with the option named in `err`. */
int options_read(int argc, char **argv, struct options *options, struct error *err);

extern const char OPTIONS_USAGE[];

#endif
