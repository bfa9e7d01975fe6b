#include "chains/chain.h"

#include <stdio.h>
#include <string.h>

#include "base/json_log.h"
#include "chains/build.h"
#include "chains/group.h"
#include "chains/regroup.h"
#include "chains/traffic_sync.h"
#include "packets/pcap_file.h"

bool chain_is_ready(const struct chain *chain)
{
	for (uint32_t n = 0; n < chain->nf_count; n++)
		if (chain->nfs[n]->group == NULL)
			return false;
	return chain->used;
}

static void chain_release(struct runner *runner, struct chain *chain)
{
	chain_kill_groups(runner, chain);
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		nf_close_tables(chain->nfs[i]);
		json_decref(chain->nfs[i]->config);
		chain->nfs[i]->used = false;
	}
	replay_free(chain->replay);
	chain->replay = NULL;
	chain->used = false;
}

static struct nf *reserve_nf(struct runner *runner, struct chain *chain)
{
	for (uint32_t i = 0; i < NFS_MAX; i++) {
		struct nf *nf = &runner->nfs[i];

		if (nf->used)
			continue;
		memset(nf, 0, sizeof(*nf));
		nf->used = true;
		nf->chain = chain;
		nf->slot = &runner->shared->nfs[i];
		return nf;
	}
	return NULL;
}

static int chain_reserve_nfs(struct runner *runner, struct chain *chain, const struct chain_request *request, struct error *err)
{
	(void)snprintf(chain->id, sizeof(chain->id), "%s", request->id);
	chain->used = true;
	chain->nf_count = 0;
	chain->execution = request->execution;
	for (uint32_t i = 0; i < request->nf_count; i++) {
		struct nf *nf = reserve_nf(runner, chain);

		if (nf == NULL)
			return fail(err, E_NO_ROOM, "nfs", "all %d NFs of a runner are in use; remove a chain", NFS_MAX);
		(void)snprintf(nf->id, sizeof(nf->id), "%s", request->nfs[i].id);
		nf->type = request->nfs[i].type;
		nf->core = request->nfs[i].core;
		nf->exclusive = request->nfs[i].exclusive;
		nf->config = json_deep_copy(request->nfs[i].config);
		chain->nfs[chain->nf_count++] = nf;
	}
	return 0;
}

/* Empty rings: source -> nf 0 -> ... -> nf n-1 -> sink, and from each NF back to the pool. */
static void chain_reset(struct chain *chain)
{
	struct chain_slot *slot = chain->slot;

	memset(slot, 0, sizeof(*slot));
	slot->nf_count = chain->nf_count;
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		slot->nfs[i] = chain->nfs[i]->slot;
		memset(slot->nfs[i], 0, sizeof(*slot->nfs[i]));
	}
}

static int chain_start(struct runner *runner, struct chain *chain, struct error *err)
{
	char at[CHAIN_NFS_MAX][ERROR_FIELD_MAX];

	for (uint32_t i = 0; i < chain->nf_count; i++)
		(void)snprintf(at[i], sizeof(at[i]), "nfs.%u.config", i);
	if (build_tables(runner, chain->nfs, at, chain->nf_count, err) < 0)
		return -1;
	return chain_start_groups(runner, chain, err);
}

static void publish_source(struct chain_slot *slot, const struct source_config *source)
{
	uint32_t number = atomic_load(&slot->requested_source) + 1;

	slot->sources[number % 2] = *source;
	atomic_store_explicit(&slot->requested_source, number, memory_order_release);
}

static struct chain *find_free_chain(struct runner *runner)
{
	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		struct chain *chain = &runner->chains[i];

		chain->slot = &runner->shared->chains[i];
		if (!chain->used && atomic_load(&chain->slot->state) == CHAIN_FREE)
			return chain;
	}
	return NULL;
}

struct chain *chain_add(struct runner *runner, const struct chain_request *request, struct error *err)
{
	struct chain *chain = find_free_chain(runner);

	if (chain == NULL) {
		(void)fail(err, E_NO_ROOM, "chain", "all %d chains of a runner are in use; remove one", CHAINS_MAX);
		replay_free(request->source.replay);
		return NULL;
	}
	chain->replay = request->source.replay;
	if (chain_reserve_nfs(runner, chain, request, err) < 0) {
		chain_release(runner, chain);
		return NULL;
	}
	chain_reset(chain);
	if (chain_start(runner, chain, err) < 0) {
		chain_release(runner, chain);
		return NULL;
	}
	chain_resume_groups(chain);
	publish_source(chain->slot, &request->source);
	atomic_store(&chain->slot->paused, request->paused);
	atomic_store_explicit(&chain->slot->state, CHAIN_ACTIVE, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_ACTIVE, err) < 0)
		return NULL; /* the traffic process is stuck: nothing is safe to free, only a restart of the runner helps */
	log_info("chain %s added, %u NFs", chain->id, chain->nf_count);
	return chain;
}

int chain_set_source(struct runner *runner, struct chain *chain, const struct source_config *source, struct error *err)
{
	publish_source(chain->slot, source);
	if (traffic_wait_source(runner, chain->slot, err) < 0)
		return -1; /* it may still read either capture: neither is freed */
	replay_free(chain->replay);
	chain->replay = source->replay;
	return 0;
}

int chain_remove(struct runner *runner, struct chain *chain, uint64_t *lost, struct error *err)
{
	if (!chain_is_ready(chain)) { /* the request that adds it releases it */
		build_cancel(runner, NULL);
		*lost = 0;
		return 0;
	}
	atomic_store_explicit(&chain->slot->state, CHAIN_DRAINING, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_DRAINING, err) < 0)
		return -1;
	chain_wait_drained(runner, chain);
	chain_kill_groups(runner, chain);
	atomic_store_explicit(&chain->slot->state, CHAIN_FLUSHING, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_FLUSHING, err) < 0)
		return -1;
	*lost = counter_read(&chain->slot->lost);
	log_info("chain %s removed, %llu packets lost", chain->id, (unsigned long long)*lost);
	chain_release(runner, chain);
	return 0;
}

int chain_pause(struct runner *runner, struct chain *chain, bool paused, struct error *err)
{
	atomic_store(&chain->slot->paused, paused);
	return traffic_wait_pause(runner, chain->slot, err);
}

int chain_set_execution(struct runner *runner, struct chain *chain, enum execution execution, struct error *err)
{
	struct chain_layout wanted = chain_current_layout(chain);

	wanted.execution = execution;
	return chain_apply_layout(runner, chain, &wanted, err);
}
