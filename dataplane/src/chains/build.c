#include "chains/build.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bounded.h"
#include "base/free_memory.h"

#define STOP_MS 1000 /* a bounded child is killed and reaped within it */
#define MIN_FREE_BYTES (128UL << 20) /* more than the tables of any type but `bubble`, which checks for itself */

enum phase { WORKING, DONE, CANCELLED };

struct build {
	const struct chain *chain; /* NULL once no request waits for it */
	const void *requester;
	uint32_t count;
	struct job {
		const struct nf_type *type;
		json_t *config; /* a reference of its own: the NF may be released before the thread has read it */
		char at[ERROR_FIELD_MAX], tag[24];
		void *state;
	} jobs[CHAIN_NFS_MAX];
	struct error err;
	_Atomic enum phase phase; /* changes once, by the thread or by build_cancel, whichever is first */
	int cancel_fd, done_fd;      /* eventfds */
	pthread_t thread;
};

static bool end_phase(struct build *build, enum phase phase)
{
	enum phase working = WORKING;

	return atomic_compare_exchange_strong(&build->phase, &working, phase);
}

/* Checked first: a process that touches memory which is not there is killed by the OOM killer, or another one is. */
static int check_free_memory(const struct scope *scope)
{
	uint64_t free_bytes = free_memory_bytes();

	if (free_bytes >= MIN_FREE_BYTES)
		return 0;
	return fail(scope->err, E_NO_ROOM, scope->at, "only %llu MiB of memory are left for this runner, and tables may need %lu; "
		"remove a chain, or raise the memory limit of its cgroup", (unsigned long long)(free_bytes >> 20), MIN_FREE_BYTES >> 20);
}

static bool open_nf(struct build *build, struct job *job)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = job->at, .err = &build->err};

	if (check_free_memory(&scope) < 0)
		return false;
	job->state = job->type->open(job->config, &scope, job->tag);
	if (job->state == NULL)
		(void)fail(&build->err, E_START_FAILED, job->at, "the NF's tables could not be built");
	return job->state != NULL;
}

static void close_nfs(struct build *build)
{
	for (uint32_t i = 0; i < build->count; i++)
		if (build->jobs[i].state != NULL)
			build->jobs[i].type->close(build->jobs[i].state);
}

static void *build_main(void *argument)
{
	struct build *build = argument;
	bool opened = true;

	(void)pthread_setname_np(pthread_self(), "sx-build");
	bounded_cancel_on(build->cancel_fd);
	for (uint32_t i = 0; i < build->count && opened; i++)
		opened = atomic_load(&build->phase) == WORKING && open_nf(build, &build->jobs[i]);
	if (!opened)
		close_nfs(build);
	if (!end_phase(build, DONE) && opened)
		close_nfs(build);
	(void)eventfd_write(build->done_fd, 1);
	return NULL;
}

static void free_build(struct build *build)
{
	for (uint32_t i = 0; i < build->count; i++)
		json_decref(build->jobs[i].config);
	if (build->cancel_fd >= 0)
		(void)close(build->cancel_fd);
	if (build->done_fd >= 0)
		(void)close(build->done_fd);
	free(build);
}

static struct build *start_build(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count)
{
	struct build *build = calloc(1, sizeof(*build));

	if (build == NULL)
		return NULL;
	build->chain = nfs[0]->chain;
	build->requester = runner->requester;
	build->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	build->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (build->count = 0; build->count < count; build->count++) {
		struct job *job = &build->jobs[build->count];

		job->type = nfs[build->count]->type;
		job->config = json_incref(nfs[build->count]->config);
		(void)snprintf(job->at, sizeof(job->at), "%s", at[build->count]);
		(void)snprintf(job->tag, sizeof(job->tag), "%llu", (unsigned long long)++runner->serial);
	}
	if (build->cancel_fd >= 0 && build->done_fd >= 0 && pthread_create(&build->thread, NULL, build_main, build) == 0)
		return build;
	free_build(build);
	return NULL;
}

static void wait_finished(struct runner *runner, struct build *build)
{
	struct pollfd done = {.fd = build->done_fd, .events = POLLIN};

	while (atomic_load(&build->phase) == WORKING) {
		if (runner->shutting_down)
			build_cancel(runner, NULL);
		else if (runner->poll_events == NULL)
			(void)poll(&done, 1, -1);
		else
			runner->poll_events(-1);
	}
}

/* Joins the thread, which has ended or is about to. */
static void join_thread(struct runner *runner)
{
	(void)pthread_join(runner->build->thread, NULL);
	free_build(runner->build);
	runner->build = NULL;
}

int build_tables(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count, struct error *err)
{
	struct build *build = runner->build = start_build(runner, nfs, at, count);
	int status = -1;

	if (build == NULL)
		return fail(err, E_NO_ROOM, at[0], "cannot start a thread to build the tables; remove a chain");
	wait_finished(runner, build);
	build->chain = NULL;
	build->requester = NULL;
	if (atomic_load(&build->phase) == CANCELLED)
		return fail(err, E_CANCELLED, "", "cancelled before the tables were built: the chain was removed, the client "
			"disconnected, or the runner stops");
	if (build->err.code == NULL) {
		for (uint32_t i = 0; i < count; i++)
			nfs[i]->state = build->jobs[i].state;
		status = 0;
	} else {
		*err = build->err;
	}
	join_thread(runner);
	return status;
}

const struct chain *build_chain(const struct runner *runner)
{
	return runner->build == NULL ? NULL : runner->build->chain;
}

void build_cancel(struct runner *runner, const void *requester)
{
	struct build *build = runner->build;

	if (build != NULL && (requester == NULL || build->requester == requester) && end_phase(build, CANCELLED))
		(void)eventfd_write(build->cancel_fd, 1);
}

int build_done_fd(const struct runner *runner)
{
	return runner->build == NULL ? -1 : runner->build->done_fd;
}

void build_reap(struct runner *runner)
{
	eventfd_t ignored;

	if (runner->build != NULL && runner->build->chain == NULL && eventfd_read(runner->build->done_fd, &ignored) == 0)
		join_thread(runner);
}

bool build_stop(struct runner *runner)
{
	struct pollfd done = {.fd = build_done_fd(runner), .events = POLLIN};

	if (runner->build == NULL)
		return true;
	build_cancel(runner, NULL);
	if (poll(&done, 1, STOP_MS) <= 0)
		return false;
	join_thread(runner);
	return true;
}
