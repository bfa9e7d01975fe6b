/* From slices to lines: which slices count, and what they add up to. */
#include "measure/samples.h"

#include <rte_cycles.h>

#include "measure/output.h"

#define MIN_CPU_PERCENT 97U

struct sum {
	uint64_t packets, wall_ns, cpu_ns; /* of all slices that were seen */
	uint64_t clean_packets;
	double counts[COUNTERS]; /* of clean slices */
	uint32_t settling, starved;
};

/* The worker had its core for the whole slice. One that came late to a slice has only a stump of it. */
static bool had_core(const struct worker *worker, uint32_t number)
{
	const struct slice *slice = &worker->record->slices[number];

	return number < atomic_load_explicit(&worker->record->recorded, memory_order_acquire) &&
		slice->wall_ns * 2 >= worker->timetable->slice_us * 1000ULL &&
		slice->cpu_ns * 100 >= slice->wall_ns * MIN_CPU_PERCENT;
}

/* In this slice and the one before: after an absence the caches still hold lines of other processes. */
static bool had_core_warm(const struct worker *worker, uint32_t number)
{
	return had_core(worker, number) && (number == 0 || had_core(worker, number - 1));
}

/*
 * A slice counts where the NF had its core for the whole of it, and warm. With competitors it counts where all had
 * theirs: a competitor that was descheduled presses on nothing, and a descheduled spinner let another process run there. NFs
 * that share a core are measured as they are, with cold caches after each time slice of another.
 */
static bool is_clean(const struct session *session, uint32_t index, uint32_t number)
{
	if (session->request->mode == MODE_SHARED_CORE)
		return had_core(&session->workers[index], number);
	for (uint32_t i = 0; i < session->request->load_count; i++)
		if (!had_core_warm(&session->workers[i], number))
			return false;
	return true;
}

static void add(struct sum *sum, const struct slice *slice)
{
	sum->packets += slice->packets;
	sum->wall_ns += slice->wall_ns;
	sum->cpu_ns += slice->cpu_ns;
}

static void add_clean(struct sum *sum, const struct slice *slice, json_t *clean)
{
	sum->clean_packets += slice->packets;
	for (uint32_t i = 0; i < COUNTERS; i++)
		sum->counts[i] += slice->counts[i];
	(void)json_array_append_new(clean, json_pack("[I, I, I]", (json_int_t)slice->packets,
		(json_int_t)slice->nf_cycles, (json_int_t)slice->wall_ns));
}

static void sum_phase(const struct session *session, uint32_t index, uint32_t phase, struct sum *sum, json_t *clean)
{
	const struct timetable *timetable = &session->request->timetable;
	const struct worker_record *record = session->workers[index].record;
	uint32_t first = phase * timetable->phase_slices;

	for (uint32_t number = first; number < first + timetable->phase_slices; number++) {
		if (number < atomic_load_explicit(&record->recorded, memory_order_acquire))
			add(sum, &record->slices[number]);
		if (timetable_settles(timetable, number))
			sum->settling++;
		else if (is_clean(session, index, number))
			add_clean(sum, &record->slices[number], clean);
		else
			sum->starved++;
	}
}

/* Nothing of a competitor with a rate: what it did while it waited is no packet's. */
static json_t *per_packet(const struct worker *worker, const struct sum *sum)
{
	const struct worker_record *record = worker->record;
	bool waited = worker->load->pace.ticks > 0;
	json_t *out = json_object();

	for (uint32_t i = 0; i < COUNTERS && sum->clean_packets > 0 && !waited; i++)
		if (counters_have(&record->counters, i))
			(void)json_object_set_new(out, counter_events()[i].name, json_real(
				counters_per_packet(sum->counts[i], sum->clean_packets, record->writing[i])));
	return out;
}

json_t *samples_counters(const struct counters *counters)
{
	json_t *names = json_array();

	for (uint32_t i = 0; i < COUNTERS; i++)
		if (counters_have(counters, i))
			(void)json_array_append_new(names, json_string(counter_events()[i].name));
	return json_pack("{s:s, s:o, s:s}", "source", counters->count > 0 ? "perf" : "tsc", "events", names,
		"reason", counters->reason);
}

static void print_one(struct session *session, uint32_t index, uint32_t phase)
{
	const struct timetable *timetable = &session->request->timetable;
	const struct worker *worker = &session->workers[index];
	json_t *clean = json_array();
	struct sum sum = {0};

	sum_phase(session, index, phase, &sum, clean);
	if (index == 0) {
		session->clean += json_array_size(clean);
		session->settling += sum.settling;
		session->starved += sum.starved;
	}
	output_line("sample", json_pack("{s:i, s:i, s:s, s:i, s:i, s:I, s:I, s:I, s:o, s:o}", "phase", (int)phase,
		"nf", (int)index, "against", !timetable->swaps ? "none" : timetable_spins(timetable, phase) ? "spinner" : "competitor",
		"settling", (int)sum.settling, "starved", (int)sum.starved, "packets", (json_int_t)sum.packets,
		"wall_ns", (json_int_t)sum.wall_ns, "cpu_ns", (json_int_t)sum.cpu_ns,
		"counts", per_packet(worker, &sum), "slices", clean));
}

void samples_print(struct session *session, uint32_t phase)
{
	for (uint32_t i = 0; i < session->request->load_count; i++)
		if (!(session->workers[i].swaps && timetable_spins(&session->request->timetable, phase)))
			print_one(session, i, phase);
}
