#include "measure/calibrate.h"

#include <sched.h>

#include "measure/chase.h"
#include "measure/clock.h"
#include "measure/output.h"
#include "measure/ping_pong.h"
#include "measure/samples.h"
#include "nf/registry.h"

static json_t *counters_here(void)
{
	struct counters counters;
	json_t *found;

	counters_open(&counters, counter_events());
	found = samples_counters(&counters);
	counters_close(&counters);
	return found;
}

static int clocks(const struct request *request, struct error *err)
{
	for (uint32_t i = 0; i < request->core_count; i++) {
		double imul_ns;

		if (clock_measure(request->cores[i], &imul_ns, err) < 0)
			return -1;
		output_line("clock", json_pack("{s:i, s:f, s:f}", "core", request->cores[i], "imul_ns", imul_ns,
			"hz", IMUL_CYCLES * 1e9 / imul_ns));
	}
	return 0;
}

static int pairs(const struct request *request, struct error *err)
{
	for (uint32_t i = 0; i < request->core_count; i++) {
		for (uint32_t j = i + 1; j < request->core_count; j++) {
			double ns;

			if (ping_pong_measure(request->cores[i], request->cores[j], &ns, err) < 0)
				return -1;
			output_line("pair", json_pack("{s:[i, i], s:f}", "cores", request->cores[i], request->cores[j], "ns", ns));
		}
	}
	return 0;
}

static void print_step(const struct chase_step *step)
{
	output_line("chase", json_pack("{s:I, s:f}", "bytes", (json_int_t)step->bytes, "ns", step->ns));
}

int calibrate_run(const struct request *request, struct error *err)
{
	struct chase_step steps[CHASE_STEPS_MAX];

	if (clocks(request, err) < 0 || pairs(request, err) < 0 ||
	    chase_measure(request->cores[0], steps, chase_sizes(request->sweep_bytes, steps), print_step, err) < 0)
		return -1;
	output_line("summary", json_pack("{s:s, s:s, s:f, s:o}", "mode", "calibrate", "version", SEXTANT_VERSION,
		"tsc_hz", clock_tsc_hz(), "counters", counters_here()));
	return 0;
}

void describe_run(void)
{
	json_t *types = json_array(), *cores = json_array();
	cpu_set_t allowed;

	CPU_ZERO(&allowed);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET((size_t)core, &allowed))
			(void)json_array_append_new(cores, json_integer(core));
	for (const struct nf_type *const *type = NF_TYPES; *type != NULL; type++)
		(void)json_array_append_new(types, json_string((*type)->name));
	output_line("summary", json_pack("{s:s, s:s, s:o, s:o, s:o}", "mode", "describe", "version", SEXTANT_VERSION,
		"nf_types", types, "cores", cores, "counters", counters_here()));
}
