#include "measure/session_run.h"

#include <errno.h>
#include <rte_cycles.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/process.h"
#include "measure/gates.h"
#include "measure/output.h"
#include "measure/samples.h"
#include "shared/memory.h"

#define MEMORY_MB 192
#define WORKER_TIMEOUT_NS 30000000000ULL
#define START_AHEAD_NS 20000000ULL /* so that all workers are awake when the first slice begins */
#define GRACE_NS 5000000ULL        /* a last slice may end a burst later than planned */
#define POLL_INTERVAL_NS 20000000ULL

static void *map_shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Everything that workers share or build is made before the first fork: what is mapped later they do not see. */
static int prepare(struct session *session, struct error *err)
{
	struct request *request = session->request;
	struct memory_settings settings = {
		.core = request->loads[0].core, .megabytes = MEMORY_MB, .try_hugepages = session->try_huge};
	size_t bytes = sizeof(struct worker_record) + timetable_slices(&request->timetable) * sizeof(struct slice);
	struct memory memory;

	if (memory_start(&settings, &memory, err) < 0)
		return -1;
	payload_pool_fill();
	session->hugepages = memory.hugepages;
	session->tsc_hz = rte_get_tsc_hz();
	session->events = map_shared(sizeof(*session->events));
	for (uint32_t i = 0; i < request->load_count; i++) {
		struct worker *worker = &session->workers[i];

		*worker = (struct worker){.load = &request->loads[i], .record = map_shared(bytes), .parent = session->events,
			.timetable = &request->timetable, .swaps = request->timetable.swaps && i > 0, .tsc_hz = session->tsc_hz};
		if (worker->record == NULL || session->events == NULL)
			return fail(err, E_NO_ROOM, "", "no shared memory for %zu bytes of slices", bytes);
		if (load_open(&request->loads[i], memory.packets, i, err) < 0)
			return -1;
	}
	return 0;
}

static int check_alive(const struct session *session, uint32_t index, struct error *err)
{
	siginfo_t ended = {0};

	(void)waitid(P_PID, (id_t)session->pids[index], &ended, WEXITED | WNOHANG | WNOWAIT);
	if (ended.si_pid == 0 || (ended.si_code == CLD_EXITED && ended.si_status == 0))
		return 0;
	return fail(err, E_START_FAILED, session->request->loads[index].at, "its process ended early (%s %d)",
		ended.si_code == CLD_EXITED ? "status" : "signal", ended.si_status);
}

static int wait_ready(const struct session *session, uint32_t index, uint64_t until, struct error *err)
{
	const struct load *load = &session->request->loads[index];
	uint32_t state;

	for (;;) {
		uint32_t seen = eventcount_read(session->events);

		state = atomic_load_explicit(&session->workers[index].record->ready, memory_order_acquire);
		if (state != WORKER_WARMING)
			break;
		if (check_alive(session, index, err) < 0)
			return -1;
		if (now_ns() > until)
			return fail(err, E_START_FAILED, load->at, "it was not ready within 30 s: core %d is busy", load->core);
		eventcount_wait(session->events, seen, POLL_INTERVAL_NS);
	}
	if (state == WORKER_TOO_SLOW)
		return fail(err, E_START_FAILED, load->at, "%u flows, each twice, took over 20 s to warm up; use fewer flows",
			load->traffic.flows);
	return 0;
}

static int start_workers(struct session *session, struct error *err)
{
	uint64_t until = now_ns() + WORKER_TIMEOUT_NS;
	json_t *pids = json_array();

	for (uint32_t i = 0; i < session->request->load_count; i++) {
		struct load *load = &session->request->loads[i];
		char name[16];

		(void)snprintf(name, sizeof(name), "sx-%.12s", load->type->name);
		session->pids[i] = process_start(name, load->core, worker_main, &session->workers[i]);
		if (session->pids[i] <= 0) {
			json_decref(pids);
			return fail(err, E_START_FAILED, load->at, "cannot start a process (%s)", strerror(errno));
		}
		(void)json_array_append_new(pids, json_integer(session->pids[i]));
	}
	output_line("started", json_pack("{s:s, s:o}", "mode", MODE_NAMES[session->request->mode], "pids", pids));
	for (uint32_t i = 0; i < session->request->load_count; i++)
		if (wait_ready(session, i, until, err) < 0)
			return -1;
	return 0;
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = (time_t)(at_ns / 1000000000ULL), .tv_nsec = (long)(at_ns % 1000000000ULL)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int run_phases(struct session *session, struct error *err)
{
	const struct timetable *timetable = &session->request->timetable;
	uint64_t phase_ns = (uint64_t)timetable->phase_slices * timetable->slice_us * 1000, start_ns = now_ns() + START_AHEAD_NS;
	uint64_t start_cycle = rte_rdtsc() + (uint64_t)((double)START_AHEAD_NS * 1e-9 * (double)session->tsc_hz);

	for (uint32_t i = 0; i < session->request->load_count; i++) {
		atomic_store_explicit(&session->workers[i].record->start_cycle, start_cycle, memory_order_release);
		eventcount_signal(&session->workers[i].record->go);
	}
	for (uint32_t phase = 0; phase < timetable->phases; phase++) {
		sleep_until(start_ns + (phase + 1) * phase_ns + GRACE_NS);
		for (uint32_t i = 0; i < session->request->load_count; i++)
			if (check_alive(session, i, err) < 0)
				return -1;
		samples_print(session, phase);
	}
	return 0;
}

static void end_workers(struct session *session)
{
	uint64_t ignored = 0;

	for (uint32_t i = 0; i < session->request->load_count; i++)
		if (session->pids[i] > 0)
			process_kill(session->pids[i], &ignored);
}

static int measure(struct session *session, struct error *err)
{
	int status = start_workers(session, err);

	if (status == 0)
		status = gates_print(session->request, "before", err);
	if (status == 0)
		status = run_phases(session, err);
	end_workers(session);
	return status == 0 ? gates_print(session->request, "after", err) : status;
}

/* Figures of the NFs' own: how many flows they know, for one. Their tables are shared memory. */
static json_t *details(const struct session *session)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < session->request->load_count; i++) {
		const struct load *load = session->workers[i].load;
		json_t *one = json_object();

		if (load->type->describe != NULL)
			load->type->describe(load->state, one);
		(void)json_array_append_new(all, one);
	}
	return all;
}

int session_run(struct session *session, struct error *err)
{
	if (prepare(session, err) < 0 || measure(session, err) < 0)
		return -1;
	output_line("summary", json_pack("{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:o, s:o}",
		"mode", MODE_NAMES[session->request->mode], "version", SEXTANT_VERSION, "tsc_hz", (json_int_t)session->tsc_hz,
		"hugepages", (int)session->hugepages, "clean", (json_int_t)session->clean, "settling", (json_int_t)session->settling,
		"starved", (json_int_t)session->starved, "details", details(session),
		"counters", samples_counters(&session->workers[0].record->counters)));
	return 0;
}
