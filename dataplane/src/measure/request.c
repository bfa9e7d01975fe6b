#include "measure/request.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define SOLO_PHASE_MS 100U

const char *const MODE_NAMES[] = {"describe", "calibrate", "solo", "colocation", "shared-core", NULL};

static const char *const DESCRIBE_FIELDS[] = {"mode", NULL};
static const char *const CALIBRATE_FIELDS[] = {"mode", "cores", "sweep_mib", NULL};
static const char *const SOLO_FIELDS[] = {"mode", "nf", "seconds", "slice_us", "work", NULL};
static const char *const SHARED_FIELDS[] = {"mode", "nf", "others", "seconds", "slice_us", NULL};
static const char *const COLOCATION_FIELDS[] = {
	"mode", "nf", "others", "pairs", "phase_ms", "settle_ms", "slice_us", NULL};

static int read_cores(const struct scope *scope, struct request *request)
{
	const json_t *cores = json_object_get(request->json, "cores");
	cpu_set_t allowed, seen;

	CPU_ZERO(&allowed);
	CPU_ZERO(&seen);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!json_is_array(cores) || json_array_size(cores) < 1 || json_array_size(cores) > CALIBRATED_CORES_MAX)
		return refuse(scope, "cores", "a list of 1 to %u core numbers is expected", CALIBRATED_CORES_MAX);
	for (uint32_t i = 0; i < json_array_size(cores); i++) {
		const json_t *value = json_array_get(cores, i);
		json_int_t core = json_is_integer(value) ? json_integer_value(value) : -1;

		if (core < 0 || core >= CPU_SETSIZE || CPU_ISSET((size_t)core, &seen))
			return refuse(scope, "cores", "entry %u is not a core number, or is named twice", i);
		if (!CPU_ISSET((size_t)core, &allowed))
			return fail(scope->err, E_CORE, "cores", "core %d is outside the CPU affinity of this process; choose another", (int)core);
		CPU_SET((size_t)core, &seen);
		request->cores[request->core_count++] = (int)core;
	}
	return 0;
}

static int read_calibration(const struct scope *scope, struct request *request)
{
	uint64_t mib;

	if (config_object(scope, request->json, CALIBRATE_FIELDS) < 0 || read_cores(scope, request) < 0 ||
	    config_uint(scope, request->json, "sweep_mib", 1, 1024, 256, &mib) < 0)
		return -1;
	request->sweep_bytes = mib << 20;
	return 0;
}

static int read_loads(const struct scope *scope, struct request *request)
{
	const json_t *others = json_object_get(request->json, "others");

	(void)snprintf(request->loads[0].at, sizeof(request->loads[0].at), "nf");
	request->load_count = 1;
	request->loads[0].may_have_rate = request->mode == MODE_SOLO;
	if (load_read(json_object_get(request->json, "nf"), &request->loads[0], scope->err) < 0)
		return -1;
	if (request->mode == MODE_SOLO)
		return 0;
	if (!json_is_array(others) || json_array_size(others) < 1 || json_array_size(others) >= LOADS_MAX)
		return refuse(scope, "others", "a list of 1 to %u NFs is expected", LOADS_MAX - 1);
	for (uint32_t i = 0; i < json_array_size(others); i++) {
		struct load *load = &request->loads[request->load_count++];

		(void)snprintf(load->at, sizeof(load->at), "others.%u", i);
		load->may_have_rate = request->mode == MODE_COLOCATION;
		if (load_read(json_array_get(others, i), load, scope->err) < 0)
			return -1;
	}
	return 0;
}

/* Only of an NF alone: beside others it is the NF that is asked about. */
static int read_work(const struct scope *scope, struct request *request)
{
	const json_t *value = json_object_get(request->json, "work");
	const char *text = value == NULL ? "nf" : json_string_value(value);
	struct load *load = &request->loads[0];

	if (text == NULL || (strcmp(text, "nf") != 0 && strcmp(text, "primitive") != 0))
		return refuse(scope, "work", "'nf' or 'primitive' is expected");
	load->primitive = strcmp(text, "primitive") == 0;
	if (load->primitive && load->type->primitive == NULL)
		return refuse(scope, "work", "'%s' uses no library; use 'nf'", load->type->name);
	return 0;
}

/* Co-located NFs have a core each; those that share one have it all together. */
static int check_cores(const struct scope *scope, const struct request *request)
{
	for (uint32_t i = 1; i < request->load_count; i++) {
		char field[48];

		(void)snprintf(field, sizeof(field), "%s.core", request->loads[i].at);
		if (request->mode == MODE_SHARED_CORE && request->loads[i].core != request->loads[0].core)
			return refuse(scope, field, "all NFs of this mode share core %d", request->loads[0].core);
		for (uint32_t j = 0; j < i && request->mode == MODE_COLOCATION; j++)
			if (request->loads[i].core == request->loads[j].core)
				return refuse(scope, field, "core %d is taken: every NF of this mode has a core of its own",
					request->loads[i].core);
	}
	return 0;
}

static int read_seconds(const struct scope *scope, struct request *request, struct timetable *timetable)
{
	double seconds;

	if (config_real(scope, request->json, "seconds", 0.01, 60, &seconds) < 0)
		return -1;
	timetable->phase_slices = SOLO_PHASE_MS * 1000 / timetable->slice_us;
	timetable->phases = (uint32_t)(seconds * 1000 / SOLO_PHASE_MS + .5);
	if (timetable->phases == 0) { /* shorter than a phase: one phase of that length */
		timetable->phases = 1;
		timetable->phase_slices = (uint32_t)(seconds * 1e6) / timetable->slice_us;
	}
	return 0;
}

static int read_pairs(const struct scope *scope, struct request *request, struct timetable *timetable)
{
	uint64_t pairs, phase_ms, settle_ms;

	if (config_uint(scope, request->json, "pairs", 2, 64, 16, &pairs) < 0 ||
	    config_uint(scope, request->json, "phase_ms", 10, 1000, 80, &phase_ms) < 0 ||
	    config_uint(scope, request->json, "settle_ms", 0, phase_ms / 2, phase_ms < 20 ? 0 : 10, &settle_ms) < 0)
		return -1;
	if (pairs % 2 != 0)
		return refuse(scope, "pairs", "an even number is expected: pairs are swapped in turn (ABBA)");
	timetable->swaps = true;
	timetable->phases = (uint32_t)pairs * 2;
	timetable->phase_slices = (uint32_t)phase_ms * 1000 / timetable->slice_us;
	timetable->settle_slices = (uint32_t)settle_ms * 1000 / timetable->slice_us;
	return 0;
}

static int read_timetable(const struct scope *scope, struct request *request)
{
	struct timetable *timetable = &request->timetable;
	uint64_t slice_us;

	if (config_uint(scope, request->json, "slice_us", 200, 5000, 1000, &slice_us) < 0)
		return -1;
	timetable->slice_us = (uint32_t)slice_us;
	if ((request->mode == MODE_COLOCATION ? read_pairs : read_seconds)(scope, request, timetable) < 0)
		return -1;
	if (timetable->phase_slices - timetable->settle_slices < 2)
		return refuse(scope, "slice_us", "a phase has fewer than 2 slices of %u us; use shorter slices",
			timetable->slice_us);
	if (timetable_slices(timetable) > SLICES_MAX)
		return refuse(scope, "slice_us", "%u slices are more than %u; use longer slices, or less time",
			timetable_slices(timetable), SLICES_MAX);
	return 0;
}

static int read_run(const struct scope *scope, struct request *request)
{
	const char *const *fields = request->mode == MODE_SOLO ? SOLO_FIELDS
		: request->mode == MODE_COLOCATION ? COLOCATION_FIELDS : SHARED_FIELDS;

	if (config_object(scope, request->json, fields) < 0 || read_timetable(scope, request) < 0 ||
	    read_loads(scope, request) < 0 || read_work(scope, request) < 0)
		return -1;
	return check_cores(scope, request);
}

static int read_mode(const struct scope *scope, struct request *request)
{
	const char *name = json_string_value(json_object_get(request->json, "mode"));

	for (int mode = 0; name != NULL && MODE_NAMES[mode] != NULL; mode++) {
		if (strcmp(MODE_NAMES[mode], name) != 0)
			continue;
		request->mode = (enum mode)mode;
		return 0;
	}
	return refuse(scope, "mode", "'describe', 'calibrate', 'solo', 'colocation' or 'shared-core' is expected");
}

int request_read(const char *text, size_t length, struct request *request, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	json_error_t where;

	request->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
	if (!json_is_object(request->json))
		return fail(err, E_BAD_REQUEST, "", "one JSON object is expected on stdin (%.120s)",
			request->json == NULL ? where.text : "this is none");
	if (read_mode(&scope, request) < 0)
		return -1;
	if (request->mode == MODE_DESCRIBE)
		return config_object(&scope, request->json, DESCRIBE_FIELDS);
	return request->mode == MODE_CALIBRATE ? read_calibration(&scope, request) : read_run(&scope, request);
}
