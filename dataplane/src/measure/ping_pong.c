#include "measure/ping_pong.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"
#include "measure/clock.h"

#define BATCHES 200U
#define BATCHES_LEAST 20U
#define ROUNDS 100U /* a batch of some 10 us: cut by the scheduler once in hundreds */
#define WARM_BATCHES 4U
#define OVER UINT64_MAX

struct table {
	_Alignas(128) _Atomic uint64_t ball; /* two lines apart: the adjacent-line prefetcher takes pairs */
	_Alignas(128) struct eventcount events;
	_Atomic uint32_t ready, batches;
	double ns[BATCHES];
};

static void serve_main(void *argument)
{
	struct table *table = argument;
	uint64_t turn = 0;

	for (uint32_t batch = 0; batch < BATCHES + WARM_BATCHES; batch++) {
		uint64_t started = now_ns();

		for (uint32_t round = 0; round < ROUNDS; round++) {
			atomic_store_explicit(&table->ball, ++turn, memory_order_release);
			++turn;
			while (atomic_load_explicit(&table->ball, memory_order_acquire) != turn)
				;
		}
		if (batch < WARM_BATCHES)
			continue;
		table->ns[batch - WARM_BATCHES] = (double)(now_ns() - started) / (2 * ROUNDS);
		atomic_store_explicit(&table->batches, batch - WARM_BATCHES + 1, memory_order_release);
	}
	atomic_store_explicit(&table->ball, OVER, memory_order_release);
	atomic_store_explicit(&table->ready, 1, memory_order_release);
	eventcount_signal(&table->events);
	_exit(0);
}

static void return_main(void *argument)
{
	struct table *table = argument;
	uint64_t turn = 1, seen;

	for (;;) {
		while ((seen = atomic_load_explicit(&table->ball, memory_order_acquire)) != turn)
			if (seen == OVER)
				_exit(0);
		atomic_store_explicit(&table->ball, turn + 1, memory_order_release);
		turn += 2;
	}
}

/* Lower quartile of the batches that were played (what disturbs only ever adds); on busy cores not all of them were. */
static int read_result(struct table *table, int first, int second, double *ns, struct error *err)
{
	uint32_t batches = atomic_load_explicit(&table->batches, memory_order_acquire);

	if (batches < BATCHES_LEAST)
		return fail(err, E_START_FAILED, "", "cores %d and %d did not run at the same time for long enough within "
			"5 s: other processes use them", first, second);
	*ns = quantile(table->ns, batches, .25);
	return 0;
}

int ping_pong_measure(int first, int second, double *ns, struct error *err)
{
	struct table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t server, returner;
	uint64_t ignored = 0;
	int status;

	if (table == MAP_FAILED)
		return fail(err, E_NO_ROOM, "", "no memory for a ping-pong");
	server = process_start("sx-ping", first, serve_main, table);
	returner = process_start("sx-pong", second, return_main, table);
	if (server > 0 && returner > 0)
		(void)process_wait_value(server, &table->ready, 1, &table->events, READY_TIMEOUT_NS);
	if (server > 0)
		process_kill(server, &ignored);
	if (returner > 0)
		process_kill(returner, &ignored);
	status = read_result(table, first, second, ns, err);
	(void)munmap(table, sizeof(*table));
	return status;
}
