/* All NF types by name. */
#ifndef SEXTANT_REGISTRY_H
#define SEXTANT_REGISTRY_H

#include "nf/nf.h"

/* All types, NULL-terminated. */
extern const struct nf_type *const NF_TYPES[];

const struct nf_type *nf_type_find(const char *name);

#endif
