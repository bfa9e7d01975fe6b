#include "chain.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "json_log.h"
#include "pcap_file.h"
#include "process.h"

struct chain *runner_chain(struct runner *runner, const char *id)
{
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		if (runner->chains[i].used && strcmp(runner->chains[i].id, id) == 0)
			return &runner->chains[i];
	return NULL;
}

struct nf *runner_nf(struct runner *runner, const char *id)
{
	for (uint32_t i = 0; i < NFS_MAX; i++)
		if (runner->nfs[i].used && strcmp(runner->nfs[i].id, id) == 0)
			return &runner->nfs[i];
	return NULL;
}

static void close_tables(struct nf *nf)
{
	if (nf->run.state != NULL)
		nf->type->close(nf->run.state);
	nf->run.state = NULL;
}

static int open_tables(struct runner *runner, struct nf *nf, const char *at, struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = at, .err = err};
	char tag[24];

	(void)snprintf(tag, sizeof(tag), "%llu", (unsigned long long)++runner->serial);
	nf->run.state = nf->type->open(nf->config, &scope, tag);
	if (nf->run.state == NULL)
		return fail(err, E_START_FAILED, at, "the NF's tables could not be built");
	return 0;
}

static int fork_nf(struct nf *nf, const char *at, struct error *err)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "nf-%.12s", nf->type->name);
	atomic_store(&nf->run.slot->ready, 0);
	nf->pid = process_start(name, nf->core, nf_process_main, &nf->run);
	if (nf->pid > 0)
		return 0;
	nf->pid = 0;
	return fail(err, E_START_FAILED, at, "no process can be started (%s)", strerror(errno));
}

/* The process says so itself once it stands on its core. */
static int wait_ready(struct runner *runner, struct nf *nf, const char *at, struct error *err)
{
	if (!process_wait_ready(nf->pid, &nf->run.slot->ready, &runner->shared->control_bell))
		return fail(err, E_START_FAILED, at, "its process ended at once or was not ready within 5 s");
	nf->starts++;
	nf->exit[0] = '\0';
	return 0;
}

static void end_nf(struct nf *nf)
{
	if (nf->pid > 0) {
		process_end(nf->pid, &nf->past_cpu_ns);
		nf_recover(nf->run.slot);
	}
	nf->pid = 0;
	close_tables(nf);
}

static void forget(struct chain *chain)
{
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		end_nf(chain->nfs[i]);
		json_decref(chain->nfs[i]->config);
		chain->nfs[i]->used = false;
	}
	replay_free(chain->replay);
	chain->replay = NULL;
	chain->used = false;
}

static struct nf *take_nf(struct runner *runner, struct chain *chain)
{
	for (uint32_t i = 0; i < NFS_MAX; i++) {
		struct nf *nf = &runner->nfs[i];

		if (nf->used)
			continue;
		memset(nf, 0, sizeof(*nf));
		nf->used = true;
		nf->chain = chain;
		nf->run.slot = &runner->shared->nfs[i];
		nf->run.control_bell = &runner->shared->control_bell;
		return nf;
	}
	return NULL;
}

static int place(struct runner *runner, struct chain *chain, const struct chain_request *request, struct error *err)
{
	(void)snprintf(chain->id, sizeof(chain->id), "%s", request->id);
	chain->used = true;
	chain->nf_count = 0;
	for (uint32_t i = 0; i < request->nf_count; i++) {
		struct nf *nf = take_nf(runner, chain);

		if (nf == NULL)
			return fail(err, E_NO_ROOM, "nfs", "all %d NF places are taken; remove a chain", NFS_MAX);
		(void)snprintf(nf->id, sizeof(nf->id), "%s", request->nfs[i].id);
		nf->type = nf->run.type = request->nfs[i].type;
		nf->core = request->nfs[i].core;
		nf->config = json_deep_copy(request->nfs[i].config);
		chain->nfs[chain->nf_count++] = nf;
	}
	return 0;
}

/* Lays the rings: source -> nf 0 -> ... -> nf n-1 -> sink, and from each NF back to the pool. */
static void wire(struct runner *runner, struct chain *chain)
{
	struct chain_slot *slot = chain->slot;
	struct bell *before = &runner->shared->traffic_bell;

	memset(slot, 0, sizeof(*slot));
	slot->nf_count = chain->nf_count;
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		struct nf_slot *nf = chain->nfs[i]->run.slot;

		memset(nf, 0, sizeof(*nf));
		ring_reset(&nf->in, before, &nf->bell);
		ring_reset(&nf->returned, &nf->bell, &runner->shared->traffic_bell);
		nf->out = i + 1 < chain->nf_count ? &chain->nfs[i + 1]->run.slot->in : &slot->sink;
		before = &nf->bell;
		slot->nfs[i] = nf;
	}
	ring_reset(&slot->sink, before, &runner->shared->traffic_bell);
}

static int start(struct runner *runner, struct chain *chain, struct error *err)
{
	char at[ERROR_FIELD_MAX];

	for (uint32_t i = 0; i < chain->nf_count; i++) {
		(void)snprintf(at, sizeof(at), "nfs.%u.config", i);
		if (open_tables(runner, chain->nfs[i], at, err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		(void)snprintf(at, sizeof(at), "nfs.%u", i);
		if (fork_nf(chain->nfs[i], at, err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < chain->nf_count; i++) {
		(void)snprintf(at, sizeof(at), "nfs.%u", i);
		if (wait_ready(runner, chain->nfs[i], at, err) < 0)
			return -1;
	}
	return 0;
}

static void offer_source(struct chain_slot *slot, const struct source_config *source)
{
	uint32_t number = atomic_load(&slot->wanted_source) + 1;

	slot->sources[number % 2] = *source;
	atomic_store_explicit(&slot->wanted_source, number, memory_order_release);
}

static struct chain *free_chain(struct runner *runner)
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
	struct chain *chain = free_chain(runner);

	if (chain == NULL) {
		(void)fail(err, E_NO_ROOM, "chain", "all %d chain places are taken; remove a chain", CHAINS_MAX);
		replay_free(request->source.replay);
		return NULL;
	}
	chain->replay = request->source.replay;
	if (place(runner, chain, request, err) < 0) {
		forget(chain);
		return NULL;
	}
	wire(runner, chain);
	if (start(runner, chain, err) < 0) {
		forget(chain);
		return NULL;
	}
	offer_source(chain->slot, &request->source);
	atomic_store_explicit(&chain->slot->state, CHAIN_ACTIVE, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_ACTIVE, err) < 0)
		return NULL; /* the traffic process is stuck: only the end of the runner helps, nothing is safe to free */
	log_info("chain %s added, %u NFs", chain->id, chain->nf_count);
	return chain;
}

int chain_set_source(struct runner *runner, struct chain *chain, const struct source_config *source, struct error *err)
{
	offer_source(chain->slot, source);
	if (traffic_wait_source(runner, chain->slot, err) < 0)
		return -1; /* it may yet read either capture: neither is freed */
	replay_free(chain->replay);
	chain->replay = source->replay;
	return 0;
}

int chain_remove(struct runner *runner, struct chain *chain, uint64_t *lost, struct error *err)
{
	atomic_store_explicit(&chain->slot->state, CHAIN_DRAINING, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_DRAINING, err) < 0)
		return -1;
	drain_wait(runner, chain);
	for (uint32_t i = 0; i < chain->nf_count; i++)
		end_nf(chain->nfs[i]);
	atomic_store_explicit(&chain->slot->state, CHAIN_FLUSHING, memory_order_release);
	if (traffic_wait_state(runner, chain->slot, CHAIN_FLUSHING, err) < 0)
		return -1;
	*lost = counter_read(&chain->slot->lost);
	log_info("chain %s removed, %llu packets lost", chain->id, (unsigned long long)*lost);
	forget(chain);
	return 0;
}

int nf_move(struct runner *runner, struct nf *nf, int core, struct error *err)
{
	if (core_check(runner, core, "core", err) < 0)
		return -1;
	if (nf->pid != 0 && process_move(nf->pid, core) != core)
		return fail(err, E_INTERNAL, "core", "the NF's affinity could not be set to core %d (%s)", core,
			strerror(errno));
	nf->core = core;
	return 0;
}

int nf_restart(struct runner *runner, struct nf *nf, struct error *err)
{
	if (nf->pid != 0)
		return fail(err, E_BAD_REQUEST, "nf", "the NF '%s' runs; only a crashed one can be restarted", nf->id);
	if (open_tables(runner, nf, "nf", err) < 0)
		return -1;
	if (fork_nf(nf, "nf", err) < 0 || wait_ready(runner, nf, "nf", err) < 0) {
		end_nf(nf);
		return -1;
	}
	log_info("NF %s restarted, pid %d", nf->id, (int)nf->pid);
	return 0;
}

static void describe_end(struct nf *nf, int status)
{
	if (WIFSIGNALED(status))
		(void)snprintf(nf->exit, sizeof(nf->exit), "killed by signal %d (%s)", WTERMSIG(status),
			sigdescr_np(WTERMSIG(status)));
	else
		(void)snprintf(nf->exit, sizeof(nf->exit), "exited with status %d", WEXITSTATUS(status));
}

bool nf_ended(struct runner *runner, pid_t pid, int status, const struct rusage *usage)
{
	for (uint32_t i = 0; i < NFS_MAX; i++) {
		struct nf *nf = &runner->nfs[i];

		if (!nf->used || nf->pid != pid)
			continue;
		nf->past_cpu_ns += (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ULL +
			(uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ULL;
		describe_end(nf, status);
		nf->pid = 0;
		nf_recover(nf->run.slot);
		close_tables(nf);
		log_error("NF %s (pid %d) %s", nf->id, (int)pid, nf->exit);
		return true;
	}
	return false;
}
