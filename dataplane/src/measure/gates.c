#include "measure/gates.h"

#include "measure/clock.h"
#include "measure/output.h"
#include "measure/ping_pong.h"

static bool is_first_on_core(const struct request *request, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (request->loads[i].core == request->loads[index].core)
			return false;
	return true;
}

static int clocks(const struct request *request, json_t *out, struct error *err)
{
	for (uint32_t i = 0; i < request->load_count; i++) {
		double imul_ns;

		if (!is_first_on_core(request, i))
			continue;
		if (clock_measure(request->loads[i].core, &imul_ns, err) < 0)
			return -1;
		(void)json_array_append_new(out, json_pack("{s:i, s:f}", "core", request->loads[i].core, "imul_ns", imul_ns));
	}
	return 0;
}

static int pairs(const struct request *request, json_t *out, struct error *err)
{
	for (uint32_t i = 1; i < request->load_count && request->mode == MODE_COLOCATION; i++) {
		double ns;

		if (ping_pong_measure(request->loads[0].core, request->loads[i].core, &ns, err) < 0)
			return -1;
		(void)json_array_append_new(out, json_pack("{s:[i, i], s:f}", "cores", request->loads[0].core,
			request->loads[i].core, "ns", ns));
	}
	return 0;
}

int gates_print(const struct request *request, const char *when, struct error *err)
{
	json_t *clock_list = json_array(), *pair_list = json_array();

	if (clocks(request, clock_list, err) < 0 || pairs(request, pair_list, err) < 0) {
		json_decref(clock_list);
		json_decref(pair_list);
		return -1;
	}
	output_line("gate", json_pack("{s:s, s:o, s:o}", "when", when, "clocks", clock_list, "pairs", pair_list));
	return 0;
}
