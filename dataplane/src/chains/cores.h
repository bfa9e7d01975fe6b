/* Which cores an NF may have: those that were offered, are online, and are not another's alone. */
#ifndef SEXTANT_CORES_H
#define SEXTANT_CORES_H

#include "chains/runner.h"

struct wanted_core {
	int core;
	bool exclusive;       /* the NF wants it for itself */
	const struct nf *self; /* who is no company: itself, if it runs already */
	const char *field;
};
int core_check(struct runner *runner, const struct wanted_core *wanted, struct error *err);

#endif
