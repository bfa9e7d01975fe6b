/* Changing an NF while its chain runs. Each call either does what it says or changes nothing and fills `err`. */
#ifndef SEXTANT_NF_CHANGE_H
#define SEXTANT_NF_CHANGE_H

#include <sys/resource.h>

#include "chains/runner.h"

int nf_move(struct runner *runner, struct nf *nf, int core, struct error *err);
int nf_restart(struct runner *runner, struct nf *nf, struct error *err);
/* A changed configuration for a running NF of a type that can take one. */
int nf_configure(struct nf *nf, const json_t *config, struct error *err);
/* A child has ended: marks its NFs as crashed. False when it ran none. */
bool nf_handle_exit(struct runner *runner, pid_t pid, int status, const struct rusage *usage);

#endif
