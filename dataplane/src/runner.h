/* What the control process knows: the chains and NFs that run. Private to it; the shared parts are in shared.h. */
#ifndef SEXTANT_RUNNER_H
#define SEXTANT_RUNNER_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "memory.h"
#include "nf_process.h"
#include "options.h"
#include "shared.h"
#include "traffic.h"

#define NAME_CHARS 160

struct chain;

struct nf {
	bool used;
	char id[NAME_CHARS + 1];
	struct chain *chain;
	const struct nf_type *type;
	json_t *config;
	struct nf_run run; /* slot, type and tables, as its process sees them */
	int core;
	pid_t pid; /* 0: crashed */
	uint32_t starts;
	uint64_t past_cpu_ns; /* of its ended processes */
	char exit[64];        /* how the last one ended */
};

struct chain {
	bool used;
	char id[NAME_CHARS + 1];
	struct chain_slot *slot;
	const struct replay *replay; /* what its source sends, or NULL */
	uint32_t nf_count;
	struct nf *nfs[CHAIN_NFS_MAX];
};

struct runner {
	struct options options;
	struct memory memory;
	struct shared *shared;
	struct traffic *traffic;
	pid_t traffic_pid;
	uint64_t started_ns, start_time;
	uint64_t serial; /* of tables: their names are unique */
	bool ending;
	int exit_status;
	struct chain chains[CHAINS_MAX];
	struct nf nfs[NFS_MAX];
};

struct chain *runner_chain(struct runner *runner, const char *id);
struct nf *runner_nf(struct runner *runner, const char *id);

#endif
