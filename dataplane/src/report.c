/* The answers of `hello` and `query`. */
#include <rte_cycles.h>
#include <unistd.h>

#include "process.h"
#include "protocol.h"

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *cores(const cpu_set_t *set)
{
	json_t *list = json_array();

	for (int core = 0; core < CORES_MAX; core++)
		if (CPU_ISSET((size_t)core, set))
			json_array_append_new(list, json_integer(core));
	return list;
}

static json_t *type_names(void)
{
	json_t *list = json_array();

	for (const struct nf_type *const *type = NF_TYPES; *type != NULL; type++)
		json_array_append_new(list, json_string((*type)->name));
	return list;
}

static json_t *bounds(void)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++)
		json_array_append_new(list, integer(histogram_bound(i)));
	return list;
}

json_t *report_hello(const struct runner *runner)
{
	return json_pack("{s:i, s:o, s:s, s:s, s:b, s:o, s:o, s:i, s:{s:i, s:i, s:i}, s:o, s:o}",
		"pid", (int)getpid(), "start_time", integer(runner->start_time), "nonce", runner->options.nonce,
		"version", SEXTANT_VERSION, "hugepages", runner->memory.hugepages, "tsc_hz", integer(rte_get_tsc_hz()),
		"cores", cores(&runner->options.cores), "traffic_core", runner->options.traffic_core,
		"limits", "chains", CHAINS_MAX, "nfs", NFS_MAX, "packet_bytes_max", PACKET_BYTES_MAX,
		"nf_types", type_names(), "latency_bounds_ns", bounds());
}

static json_t *report_chain(const struct chain *chain)
{
	struct chain_slot *slot = chain->slot;
	json_t *latency = json_array();

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		json_array_append_new(latency, integer(counter_read(&slot->latency[i])));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "chain", chain->id,
		"offered", integer(counter_read(&slot->offered)), "sent", integer(counter_read(&slot->sent)),
		"delivered", integer(counter_read(&slot->delivered)),
		"delivered_bytes", integer(counter_read(&slot->delivered_bytes)),
		"source_drops", integer(counter_read(&slot->source_drops)),
		"misordered", integer(counter_read(&slot->misordered)), "damaged", integer(counter_read(&slot->damaged)),
		"latency_ns", "min", integer(counter_read(&slot->latency_min_ns)),
		"max", integer(counter_read(&slot->latency_max_ns)), "sum", integer(counter_read(&slot->latency_sum_ns)),
		"latency_counts", latency);
}

static json_t *report_nf(const struct nf *nf)
{
	struct nf_slot *slot = nf->run.slot;
	uint64_t cpu_ns = nf->past_cpu_ns + (nf->pid > 0 ? process_cpu_ns(nf->pid) : 0);
	json_t *details = json_object();

	if (nf->type->describe != NULL && nf->run.state != NULL)
		nf->type->describe(nf->run.state, details);
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:o}",
		"nf", nf->id, "chain", nf->chain->id, "type", nf->type->name, "pid", nf->pid > 0 ? json_integer(nf->pid) : json_null(),
		"state", nf->pid > 0 ? "running" : "crashed",
		"exit", nf->exit[0] == '\0' ? json_null() : json_string(nf->exit), "core", nf->core,
		"rx", integer(counter_read(&slot->rx)), "tx", integer(counter_read(&slot->tx)),
		"drops", integer(counter_read(&slot->drops)), "filtered", integer(counter_read(&slot->filtered)),
		"cycles", integer(counter_read(&slot->cycles)), "cpu_ns", integer(cpu_ns),
		"ring_used", (int)ring_used(&slot->in), "ring_size", (int)RING_SIZE, "starts", (int)nf->starts,
		"details", details);
}

json_t *report_query(struct runner *runner)
{
	json_t *chains = json_array(), *nfs = json_array();

	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		const struct chain *chain = &runner->chains[i];

		if (!chain->used)
			continue;
		json_array_append_new(chains, report_chain(chain));
		for (uint32_t n = 0; n < chain->nf_count; n++)
			json_array_append_new(nfs, report_nf(chain->nfs[n]));
	}
	return json_pack("{s:f, s:o, s:o, s:o, s:o}", "uptime_s", (double)(now_ns() - runner->started_ns) / 1e9,
		"tsc_hz", integer(rte_get_tsc_hz()), "traffic_cpu_ns", integer(process_cpu_ns(runner->traffic_pid)),
		"chains", chains, "nfs", nfs);
}
