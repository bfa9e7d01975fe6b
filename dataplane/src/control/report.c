#include "control/report.h"

#include <rte_cycles.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/process.h"
#include "chains/chain.h"
#include "chains/group.h"
#include "chains/interruption.h"
#include "nf/registry.h"

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
		"pid", (int)getpid(), "start_time", integer(runner->start_time), "nonce", runner->nonce,
		"version", SEXTANT_VERSION, "hugepages", runner->memory.hugepages, "tsc_hz", integer(rte_get_tsc_hz()),
		"cores", cores(&runner->cores), "traffic_core", runner->traffic_core,
		"limits", "chains", CHAINS_MAX, "nfs", NFS_MAX, "packet_bytes_max", PACKET_BYTES_MAX,
		"nf_types", type_names(), "latency_bounds_ns", bounds());
}

static json_t *report_chain(struct runner *runner, struct chain *chain)
{
	struct chain_slot *slot = chain->slot;
	json_t *latency = json_array();

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		json_array_append_new(latency, integer(counter_read(&slot->latency[i])));
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "chain", chain->id,
		"execution", execution_name(chain->execution), "paused", (int)(atomic_load(&slot->paused) != 0),
		"offered", integer(counter_read(&slot->offered)), "sent", integer(counter_read(&slot->sent)),
		"delivered", integer(counter_read(&slot->delivered)),
		"delivered_bytes", integer(counter_read(&slot->delivered_bytes)),
		"source_drops", integer(counter_read(&slot->source_drops)),
		"unmatched", integer(counter_read(&slot->unmatched)), "malformed", integer(counter_read(&slot->malformed)),
		"misordered", integer(counter_read(&slot->misordered)), "damaged", integer(counter_read(&slot->damaged)),
		"longest_gap_us", integer(longest_gap_us(runner, chain)),
		"latency_ns", "min", integer(counter_read(&slot->latency_min_ns)),
		"max", integer(counter_read(&slot->latency_max_ns)), "sum", integer(counter_read(&slot->latency_sum_ns)),
		"latency_counts", latency);
}

static json_t *report_details(const struct nf *nf)
{
	json_t *details = json_object();

	if (nf->type->describe != NULL && nf->state != NULL)
		nf->type->describe(nf->state, details);
	return details;
}

/* The consumer's mark, or what is there now: a crashed or waiting NF marks nothing. */
static json_t *ring_peak(const struct runner *runner, struct nf_slot *slot)
{
	uint32_t peak = peak_read(&slot->depth, atomic_load(&runner->shared->peak_round)), used = ring_count(&slot->in);

	return json_integer(peak > used ? peak : used);
}

static json_t *report_nf(const struct runner *runner, const struct nf *nf)
{
	struct nf_slot *slot = nf->slot;
	struct group *group = nf->group;
	bool runs = group->pid > 0;

	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:i, s:o}",
		"nf", nf->id, "chain", nf->chain->id, "type", nf->type->name, "pid", runs ? json_integer(group->pid) : json_null(),
		"state", runs ? "running" : "crashed", "exit", nf->exit[0] == '\0' ? json_null() : json_string(nf->exit),
		"core", nf->core, "group", integer(group->number), "sleeps", integer(counter_read(&group->run.slot->sleeps)),
		"rx", integer(counter_read(&slot->rx)), "tx", integer(counter_read(&slot->tx)),
		"drops", integer(counter_read(&slot->drops)), "filtered", integer(counter_read(&slot->filtered)),
		"cycles", integer(counter_read(&slot->cycles)), "cpu_ns", integer(nf->cpu_ns),
		"busy_ns", integer(nf->busy_ns),
		"ring_used", (int)ring_count(&slot->in), "ring_size", (int)RING_SIZE, "ring_peak", ring_peak(runner, slot),
		"starts", (int)nf->starts, "details", report_details(nf));
}

json_t *report_query(struct runner *runner, bool keep_peaks)
{
	json_t *chains = json_array(), *nfs = json_array();

	for (uint32_t i = 0; i < GROUPS_MAX; i++)
		if (runner->groups[i].used && runner->groups[i].pid > 0)
			group_account(&runner->groups[i], process_cpu_ns(runner->groups[i].pid));
	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		struct chain *chain = &runner->chains[i];

		if (!chain_is_ready(chain))
			continue;
		json_array_append_new(chains, report_chain(runner, chain));
		for (uint32_t n = 0; n < chain->nf_count; n++)
			json_array_append_new(nfs, report_nf(runner, chain->nfs[n]));
	}
	if (!keep_peaks)
		atomic_fetch_add(&runner->shared->peak_round, 1);
	return json_pack("{s:f, s:o, s:o, s:o, s:o}", "uptime_s", (double)(now_ns() - runner->started_ns) / 1e9,
		"tsc_hz", integer(rte_get_tsc_hz()), "traffic_cpu_ns", integer(process_cpu_ns(runner->traffic_pid)),
		"chains", chains, "nfs", nfs);
}
