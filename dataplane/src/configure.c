/* Changing the configuration of an NF that runs, where its type can. */
#include "chain.h"

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
	nf->config = json_deep_copy(config); /* what a restart begins with */
	return 0;
}
