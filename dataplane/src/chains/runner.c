#include "chains/runner.h"

#include <string.h>

struct chain *runner_find_chain(struct runner *runner, const char *id)
{
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (runner->chains[i].used && strcmp(runner->chains[i].id, id) == 0)
			return &runner->chains[i];
	return NULL;
}

struct nf *runner_find_nf(struct runner *runner, const char *id)
{
	for (uint32_t i = 0; i < NFS_MAX; i++)
		if (runner->nfs[i].used && strcmp(runner->nfs[i].id, id) == 0)
			return &runner->nfs[i];
	return NULL;
}
