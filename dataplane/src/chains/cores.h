/* Which cores an NF may use: those in --cores that are online and not exclusive to another NF. */
#ifndef SEXTANT_CORES_H
#define SEXTANT_CORES_H

#include "chains/runner.h"

struct core_request {
	int core;
	bool exclusive;       /* no other NF may use it */
	const struct nf *self; /* the NF itself, if it runs already: it does not count as another */
	const char *field;
};
int core_check(struct runner *runner, const struct core_request *wanted, struct error *err);

#endif
