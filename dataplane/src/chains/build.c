#include "chains/build.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bounded.h"
#include "base/room.h"

#define STOP_MS 1000 /* a bounded child is killed and reaped within it */
#define LEAST_ROOM (128UL << 20) /* more than the tables of any type but `bubble`, which looks for itself */

enum phase { WORKING, DONE, GIVEN_UP };

struct build {
	const struct chain *chain; /* NULL once nobody waits for it */
	const void *asker;
	uint32_t count;
	struct order {
		const struct nf_type *type;
		json_t *config; /* a reference of its own: the NF may be forgotten before the thread has read it */
		char at[ERROR_FIELD_MAX], tag[24];
		void *state;
	} orders[CHAIN_NFS_MAX];
	struct error err;
	_Atomic enum phase phase; /* changes once, by whoever is first */
	int given_up, ended;      /* eventfds */
	pthread_t thread;
};

static bool settle(struct build *build, enum phase phase)
{
	enum phase working = WORKING;

	return atomic_compare_exchange_strong(&build->phase, &working, phase);
}

/* Who touches memory that is not there is killed, or somebody else is: so it is asked for before. */
static int check_room(const struct scope *scope)
{
	uint64_t room = room_bytes();

	if (room >= LEAST_ROOM)
		return 0;
	return fail(scope->err, E_NO_ROOM, scope->at, "only %llu MiB of memory are left for this runner, and tables may take %lu; "
		"remove a chain, or raise the limit of its memory group", (unsigned long long)(room >> 20), LEAST_ROOM >> 20);
}

static bool open_one(struct build *build, struct order *order)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = order->at, .err = &build->err};

	if (check_room(&scope) < 0)
		return false;
	order->state = order->type->open(order->config, &scope, order->tag);
	if (order->state == NULL)
		(void)fail(&build->err, E_START_FAILED, order->at, "the NF's tables could not be built");
	return order->state != NULL;
}

static void close_all(struct build *build)
{
	for (uint32_t i = 0; i < build->count; i++)
		if (build->orders[i].state != NULL)
			build->orders[i].type->close(build->orders[i].state);
}

static void *work(void *argument)
{
	struct build *build = argument;
	bool good = true;

	(void)pthread_setname_np(pthread_self(), "sx-build");
	bounded_end_by(build->given_up);
	for (uint32_t i = 0; i < build->count && good; i++)
		good = atomic_load(&build->phase) == WORKING && open_one(build, &build->orders[i]);
	if (!good)
		close_all(build);
	if (!settle(build, DONE) && good)
		close_all(build);
	(void)eventfd_write(build->ended, 1);
	return NULL;
}

static void destroy(struct build *build)
{
	for (uint32_t i = 0; i < build->count; i++)
		json_decref(build->orders[i].config);
	if (build->given_up >= 0)
		(void)close(build->given_up);
	if (build->ended >= 0)
		(void)close(build->ended);
	free(build);
}

static struct build *prepare(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count)
{
	struct build *build = calloc(1, sizeof(*build));

	if (build == NULL)
		return NULL;
	build->chain = nfs[0]->chain;
	build->asker = runner->asking;
	build->given_up = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	build->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (build->count = 0; build->count < count; build->count++) {
		struct order *order = &build->orders[build->count];

		order->type = nfs[build->count]->type;
		order->config = json_incref(nfs[build->count]->config);
		(void)snprintf(order->at, sizeof(order->at), "%s", at[build->count]);
		(void)snprintf(order->tag, sizeof(order->tag), "%llu", (unsigned long long)++runner->serial);
	}
	if (build->given_up >= 0 && build->ended >= 0 && pthread_create(&build->thread, NULL, work, build) == 0)
		return build;
	destroy(build);
	return NULL;
}

static void wait_settled(struct runner *runner, struct build *build)
{
	struct pollfd ended = {.fd = build->ended, .events = POLLIN};

	while (atomic_load(&build->phase) == WORKING) {
		if (runner->ending)
			build_give_up(runner, NULL);
		else if (runner->meanwhile == NULL)
			(void)poll(&ended, 1, -1);
		else
			runner->meanwhile(-1);
	}
}

/* Joins the thread, which has nothing left to do. */
static void finish(struct runner *runner)
{
	(void)pthread_join(runner->build->thread, NULL);
	destroy(runner->build);
	runner->build = NULL;
}

int build_tables(struct runner *runner, struct nf **nfs, char (*at)[ERROR_FIELD_MAX], uint32_t count, struct error *err)
{
	struct build *build = runner->build = prepare(runner, nfs, at, count);
	int status = -1;

	if (build == NULL)
		return fail(err, E_NO_ROOM, at[0], "no thread to build tables in can be started; remove a chain");
	wait_settled(runner, build);
	build->chain = NULL;
	build->asker = NULL;
	if (atomic_load(&build->phase) == GIVEN_UP)
		return fail(err, E_CANCELLED, "", "given up before the tables were built: the chain was to be removed, its client has "
			"gone, or the runner ends");
	if (build->err.code == NULL) {
		for (uint32_t i = 0; i < count; i++)
			nfs[i]->state = build->orders[i].state;
		status = 0;
	} else {
		*err = build->err;
	}
	finish(runner);
	return status;
}

const struct chain *build_chain(const struct runner *runner)
{
	return runner->build == NULL ? NULL : runner->build->chain;
}

void build_give_up(struct runner *runner, const void *asker)
{
	struct build *build = runner->build;

	if (build != NULL && (asker == NULL || build->asker == asker) && settle(build, GIVEN_UP))
		(void)eventfd_write(build->given_up, 1);
}

int build_ended_fd(const struct runner *runner)
{
	return runner->build == NULL ? -1 : runner->build->ended;
}

void build_reap(struct runner *runner)
{
	eventfd_t ignored;

	if (runner->build != NULL && runner->build->chain == NULL && eventfd_read(runner->build->ended, &ignored) == 0)
		finish(runner);
}

bool build_stop(struct runner *runner)
{
	struct pollfd ended = {.fd = build_ended_fd(runner), .events = POLLIN};

	if (runner->build == NULL)
		return true;
	build_give_up(runner, NULL);
	if (poll(&ended, 1, STOP_MS) <= 0)
		return false;
	finish(runner);
	return true;
}
