/* The control process's private state: the chains, NFs and groups that run. What it shares is in shared.h. */
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
	uint64_t number; /* unique as long as the runner runs */
	struct chain *chain;
	uint32_t first, nf_count; /* which of the chain's NFs */
	int core;
	pid_t pid; /* 0: crashed */
	uint64_t cpu_seen_ns; /* CPU time of its process that is already distributed among its NFs */
	uint64_t busy_seen;   /* the same for its busy cycles */
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
	bool exclusive; /* no other NF may use its core */
	uint32_t starts;
	uint64_t cpu_ns, busy_ns, cycles_seen;
	char exit[64]; /* how its last process ended, if it crashed */
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
	const char *nonce; /* given by the process that started the runner, which recognises it by this */
	int traffic_core;
	cpu_set_t cores; /* where NFs may run */
	struct memory memory;
	struct shared *shared;
	struct traffic *traffic;
	pid_t traffic_pid;
	uint64_t started_ns, start_time;
	uint64_t serial; /* of tables and groups; unique as long as the runner runs */
	struct build *build; /* of tables: running, or cancelled and not ended yet; NULL: none */
	bool queries_only;       /* while a chain drains: only `hello` and `query` are answered */
	const void *requester;  /* the client whose request is being answered, or NULL */
	/*
	 * One iteration of the event loop, called by a request that waits: returns when something has happened, or after so many
	 * milliseconds (-1: no limit). NULL: there is no loop, as in a test.
	 */
	void (*poll_events)(int milliseconds);
	bool shutting_down;
	int exit_status;
	struct chain chains[CHAINS_MAX];
	struct nf nfs[NFS_MAX];
	struct group groups[GROUPS_MAX];
};

/* By its id; NULL: there is none. */
struct chain *runner_find_chain(struct runner *runner, const char *id);
struct nf *runner_find_nf(struct runner *runner, const char *id);

#endif
