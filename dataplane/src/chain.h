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
		const json_t *config;
	} nfs[CHAIN_NFS_MAX];
	struct source_config source;
};

/* chain_request.c: -1 with the field named; `request` must outlive `out`. */
int chain_request_read(struct runner *runner, const json_t *request, struct chain_request *out, struct error *err);

/* Both own the source's replay from then on. */
struct chain *chain_add(struct runner *runner, const struct chain_request *request, struct error *err);
int chain_set_source(struct runner *runner, struct chain *chain, const struct source_config *source, struct error *err);
int chain_remove(struct runner *runner, struct chain *chain, uint64_t *lost, struct error *err);
int nf_move(struct runner *runner, struct nf *nf, int core, struct error *err);
int nf_restart(struct runner *runner, struct nf *nf, struct error *err);
/* A child has ended: marks its NF as crashed. False when it is none of the NFs. */
bool nf_ended(struct runner *runner, pid_t pid, int status, const struct rusage *usage);
/* Whether NFs may run on `core`. */
int core_check(const struct runner *runner, int core, const char *field, struct error *err);

/* drain.c: the conversation with the traffic process. */
int traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err);
int traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err);
/* Waits until the rings of a draining chain are empty, for at most a second. */
void drain_wait(struct runner *runner, const struct chain *chain);

#endif
