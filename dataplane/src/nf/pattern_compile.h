/* From patterns to a Hyperscan database, in a bounded child: one hostile pattern can cost hours and all memory. */
#ifndef SEXTANT_PATTERN_COMPILE_H
#define SEXTANT_PATTERN_COMPILE_H

#include <hs.h>

#include "nf/pattern_list.h"

/* NULL with the pattern named on refusal. Pattern i of the list reports as id i, once a packet. */
hs_database_t *pattern_compile(const struct scope *scope, const struct pattern_list *list);

#endif
