#include "counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define CPUS_MAX 1024

static const char *const NAMES[] = {"wrapped", "given", "returned", "unwrapped", "mirrors_lost", "no_path", "ethertype", "vlan",
	"too_large", "offload", "truncated", "too_many_headers", "routing_header", "sid_destination", "malformed", "strange_source",
	"unknown_segment", "segments_left", "hop_limit", "no_way", "not_of_a_chain", "foreign_chain", "foreign_entry", "stale",
	"never_given", "foreign_socket", "internal", "returns_lost"};
_Static_assert(sizeof(NAMES) / sizeof(NAMES[0]) == SRV6_COUNTS, "a name for each count");

uint64_t counts_sum(int map, enum srv6_count what)
{
	const int cpus = libbpf_num_possible_cpus();
	const uint32_t key = what;
	uint64_t values[CPUS_MAX], sum = 0;

	if (cpus <= 0 || cpus > CPUS_MAX || bpf_map_lookup_elem(map, &key, values) < 0)
		return 0;
	for (int i = 0; i < cpus; i++)
		sum += values[i];
	return sum;
}

json_t *counts_report(int map)
{
	json_t *named = json_object();

	for (int i = 0; i < SRV6_COUNTS; i++)
		(void)json_object_set_new(named, NAMES[i], json_integer((json_int_t)counts_sum(map, (enum srv6_count)i)));
	return named;
}
