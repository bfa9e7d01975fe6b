#include "chains/nf_change.h"

#include <stdio.h>

#include "base/json_log.h"
#include "chains/build.h"
#include "chains/cores.h"
#include "chains/group.h"
#include "chains/regroup.h"

int nf_move(struct runner *runner, struct nf *nf, int core, struct error *err)
{
	struct chain_layout wanted = chain_current_layout(nf->chain);
	const struct core_request place = {.core = core, .exclusive = nf->exclusive, .self = nf, .field = "core"};

	if (core_check(runner, &place, err) < 0)
		return -1;
	for (uint32_t i = 0; i < nf->chain->nf_count; i++)
		if (nf->chain->nfs[i] == nf)
			wanted.cores[i] = core;
	return chain_apply_layout(runner, nf->chain, &wanted, err);
}

/* A process that dies takes all its NFs with it; they are restarted together. */
int nf_restart(struct runner *runner, struct nf *nf, struct error *err)
{
	struct group *group = nf->group;
	struct nf **members = &nf->chain->nfs[group->first];
	char at[CHAIN_NFS_MAX][ERROR_FIELD_MAX];

	if (group->pid != 0)
		return fail(err, E_BAD_REQUEST, "nf", "the NF '%s' runs; only a crashed one can be restarted", nf->id);
	for (uint32_t i = 0; i < group->nf_count; i++)
		(void)snprintf(at[i], sizeof(at[i]), "nf");
	if (build_tables(runner, members, at, group->nf_count, err) < 0 || group_start(runner, group, "nf", err) < 0) {
		for (uint32_t i = 0; i < group->nf_count; i++)
			nf_close_tables(members[i]);
		return -1;
	}
	for (uint32_t i = 0; i < group->nf_count; i++) {
		members[i]->starts++;
		members[i]->exit[0] = '\0';
	}
	group_resume(group);
	log_info("NF %s restarted, pid %d", nf->id, (int)group->pid);
	return 0;
}

bool nf_handle_exit(struct runner *runner, pid_t pid, int status, const struct rusage *usage)
{
	for (uint32_t i = 0; i < GROUPS_MAX; i++) {
		if (!runner->groups[i].used || runner->groups[i].pid != pid)
			continue;
		group_handle_crash(&runner->groups[i], status, usage);
		return true;
	}
	return false;
}

/* Where its type can. */
int nf_configure(struct nf *nf, const json_t *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = err};

	if (nf->type->configure == NULL)
		return fail(err, E_BAD_REQUEST, "nf", "an NF of type %s cannot change while it runs; remove its chain and add it again",
			nf->type->name);
	if (nf->state == NULL)
		return fail(err, E_BAD_REQUEST, "nf", "the NF '%s' has crashed; restart it first", nf->id);
	if (nf->type->configure(nf->state, config, &scope) < 0)
		return -1;
	json_decref(nf->config);
	nf->config = json_deep_copy(config); /* what a restart uses */
	return 0;
}
