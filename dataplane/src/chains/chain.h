/* Adding, changing and removing chains. Each call either does what it says or changes nothing and fills `err`. */
#ifndef SEXTANT_CHAIN_H
#define SEXTANT_CHAIN_H

#include "chains/chain_request.h"

/* False while the chain is being added and its NFs' tables are built: no answer mentions it yet. */
bool chain_is_ready(const struct chain *chain);

/* Both own the source's replay afterwards. */
struct chain *chain_add(struct runner *runner, const struct chain_request *request, struct error *err);
int chain_set_source(struct runner *runner, struct chain *chain, const struct source_config *source, struct error *err);
/* Of a chain that is not ready yet: cancels its build; the request that adds it then releases it. */
int chain_remove(struct runner *runner, struct chain *chain, uint64_t *lost, struct error *err);
/* Paused: the source offers nothing, what it has offered still passes, then the NFs sleep; all state stays. */
int chain_pause(struct runner *runner, struct chain *chain, bool paused, struct error *err);
int chain_set_execution(struct runner *runner, struct chain *chain, enum execution execution, struct error *err);

#endif
