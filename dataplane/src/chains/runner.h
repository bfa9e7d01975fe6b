/* What the control process knows: the chains and NFs that run. Private to it; the shared parts are in shared.h. */
#ifndef SEXTANT_RUNNER_H
#define SEXTANT_RUNNER_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "groups/group_run.h"
#include "shared/memory.h"
#include "shared/shared.h"
#include "traffic/traffic_state.h"

#define NAME_CHARS 160

struct build;
struct chain;

/* Consecutive NFs of a chain in one process. */
struct group {
	bool used;
	uint64_t number; /* never given twice */
	struct chain *chain;
	uint32_t first, nf_count; /* which of the chain's NFs */
	int core;
	pid_t pid; /* 0: crashed */
	uint64_t cpu_seen_ns; /* of its process, and shared among its NFs already */
	uint64_t busy_seen;   /* the same of the cycles for its packets */
	struct group_run run; /* slot, types and tables, as its process sees them */
};

struct nf {
	bool used;
	char id[NAME_CHARS + 1];
	struct chain *chain;
	const struct nf_type *type;
	json_t *config;
	struct nf_slot *slot;
	void *state; /* its tables; NULL while crashed */
	struct group *group;
	int core;
	bool exclusive; /* its core takes no other NF */
	uint32_t starts;
	uint64_t cpu_ns, busy_ns, cycles_seen;
	char exit[64]; /* how the last process it ran in ended, if that was a crash */
};

enum execution { ISOLATED, RUN_TO_COMPLETION };

struct chain {
	bool used;
	char id[NAME_CHARS + 1];
	struct chain_slot *slot;
	enum execution execution;
	const struct replay *replay; /* what its source sends, or NULL */
	uint32_t nf_count;
	struct nf *nfs[CHAIN_NFS_MAX];
};

struct runner {
	const char *nonce; /* by which whoever started it knows it again */
	int traffic_core;
	cpu_set_t cores; /* where NFs may run */
	struct memory memory;
	struct shared *shared;
	struct traffic *traffic;
	pid_t traffic_pid;
	uint64_t started_ns, start_time;
	uint64_t serial; /* of tables and groups: never given twice */
	struct build *build; /* of tables, in work or given up and not ended yet; NULL: none */
	bool changing;       /* inside a change of a chain, while it waits for packets: only questions are answered */
	const void *asking;  /* the client whose request is in work, or NULL */
	/*
	 * One turn of the control loop, from inside a request that waits: returns when something has happened, or after so many
	 * milliseconds (-1: however long it takes). NULL: there is no loop, as in a test.
	 */
	void (*meanwhile)(int milliseconds);
	bool ending;
	int exit_status;
	struct chain chains[CHAINS_MAX];
	struct nf nfs[NFS_MAX];
	struct group groups[GROUPS_MAX];
};

/* By its id; NULL: there is none. */
struct chain *runner_chain(struct runner *runner, const char *id);
struct nf *runner_nf(struct runner *runner, const char *id);

#endif
