/* Adding, changing and removing chains. Each call either does what it says or changes nothing and fills `err`. */
#ifndef SEXTANT_CHAIN_H
#define SEXTANT_CHAIN_H

#include <sys/resource.h>

#include "runner.h"

/* A checked `add_chain` request. */
struct chain_request {
	const char *id;
	uint32_t nf_count;
	struct {
		const char *id;
		const struct nf_type *type;
		int core;
		bool exclusive;
		const json_t *config;
	} nfs[CHAIN_NFS_MAX];
	struct source_config source;
	enum execution execution;
	bool paused;
};

/* False of one that is being added, while its NFs' tables are built: nobody is told of it yet. */
bool chain_is_made(const struct chain *chain);

/* chain_request.c: -1 with the field named; `request` must outlive `out`. */
const char *execution_name(enum execution execution);
int execution_read(const json_t *request, enum execution *out, struct error *err);
int chain_request_read(struct runner *runner, const json_t *request, struct chain_request *out, struct error *err);

/* Both own the source's replay from then on. */
struct chain *chain_add(struct runner *runner, const struct chain_request *request, struct error *err);
int chain_set_source(struct runner *runner, struct chain *chain, const struct source_config *source, struct error *err);
/* Of a chain that is not made yet: whoever adds it gives up. */
int chain_remove(struct runner *runner, struct chain *chain, uint64_t *lost, struct error *err);
/* Paused: the source offers nothing, what it has offered still passes, then the NFs sleep; all state stays. */
int chain_pause(struct runner *runner, struct chain *chain, bool paused, struct error *err);
int chain_execute(struct runner *runner, struct chain *chain, enum execution execution, struct error *err);
int nf_move(struct runner *runner, struct nf *nf, int core, struct error *err);
int nf_restart(struct runner *runner, struct nf *nf, struct error *err);
/* configure.c: a changed configuration for a running NF of a type that can take one. */
int nf_configure(struct nf *nf, const json_t *config, struct error *err);
/* A child has ended: marks its NFs as crashed. False when it ran none. */
bool nf_ended(struct runner *runner, pid_t pid, int status, const struct rusage *usage);

/* cores.c: whether an NF may run there: the core is offered and online, and nobody's alone. */
struct wanted_core {
	int core;
	bool exclusive;       /* the NF wants it for itself */
	const struct nf *self; /* who is no company: itself, if it runs already */
	const char *field;
};
int core_check(struct runner *runner, const struct wanted_core *wanted, struct error *err);

/* drain.c: the conversation with the traffic process. */
int traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err);
int traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err);
int traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err);
/* Waits until the rings of a draining chain are empty, for at most a second. */
void drain_wait(struct runner *runner, const struct chain *chain);

#endif
