#include "nf/registry.h"

#include <string.h>

const struct nf_type *const NF_TYPES[] = {
	&NF_BASIC_MONITOR,
	&NF_BUBBLE,
	&NF_DPI,
	&NF_FIREWALL,
	&NF_LOAD_BALANCER,
	&NF_NAT,
	&NF_NIDS,
	&NF_ROUTER,
	&NF_SIMPLE_FORWARD,
	&NF_VPN,
	NULL,
};

const struct nf_type *nf_type_find(const char *name)
{
	for (const struct nf_type *const *type = NF_TYPES; *type != NULL; type++)
		if (strcmp((*type)->name, name) == 0)
			return *type;
	return NULL;
}
