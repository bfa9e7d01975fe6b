#include "chains/cores.h"

#include <stdio.h>

#include "base/cpu_list.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

/* Without sysfs the answer is no; pinning the process then fails instead. */
static bool is_offline(int core)
{
	char list[4096];
	FILE *file = fopen(ONLINE_PATH, "re");
	bool read = file != NULL && fgets(list, sizeof(list), file) != NULL;

	if (file != NULL)
		(void)fclose(file);
	return read && !cpu_list_holds(list, (unsigned int)core);
}

int core_check(struct runner *runner, const struct core_request *wanted, struct error *err)
{
	int core = wanted->core;

	if (core < 0 || core >= CORES_MAX || !CPU_ISSET((size_t)core, &runner->cores))
		return fail(err, E_CORE, wanted->field, "core %d is not among the runner's --cores; choose one of those", core);
	if (is_offline(core))
		return fail(err, E_CORE, wanted->field, "core %d is offline; bring it online or choose another", core);
	for (uint32_t i = 0; i < NFS_MAX; i++) {
		const struct nf *other = &runner->nfs[i];

		if (!other->used || other == wanted->self || other->core != core)
			continue;
		if (other->exclusive)
			return fail(err, E_CORE_TAKEN, wanted->field, "core %d is exclusive to the NF '%s'; choose another",
				core, other->id);
		if (wanted->exclusive)
			return fail(err, E_CORE_TAKEN, wanted->field, "core %d runs the NF '%s', and this one is exclusive; "
				"choose another", core, other->id);
	}
	return 0;
}
