/* The command line of sextant-runner. */
#ifndef SEXTANT_OPTIONS_H
#define SEXTANT_OPTIONS_H

#include <sched.h>
#include <stdbool.h>

#include "error.h"

#define NONCE_CHARS 32
#define CORES_MAX CPU_SETSIZE

struct options {
	const char *socket_path;
	const char *nonce;
	int traffic_core;
	cpu_set_t cores; /* where NFs may run */
	int memory_mb;
	int replay_mb; /* most that captures to replay may take together */
	bool try_huge;
	const char *artefacts; /* the folder of files that configurations name by digest, or NULL */
};

/* Reads and checks argv against the process's affinity; -1 with the option named in `err`. */
int options_read(int argc, char **argv, struct options *options, struct error *err);

extern const char OPTIONS_USAGE[];

#endif
