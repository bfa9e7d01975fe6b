/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef SEXTANT_SRV6_MAPS_H
#define SEXTANT_SRV6_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "values.h"

#define PORTS_MAX 1024
#define SEGMENTS_MAX 4096
#define SOURCES_MAX 1024

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PORTS_MAX);
	__type(key, __u32);
	__type(value, struct srv6_path);
} srv6_paths SEC(".maps"); /* by edge port */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SEGMENTS_MAX);
	__type(key, struct srv6_segment);
	__type(value, struct srv6_way);
} srv6_ways SEC(".maps"); /* to a chain's next segment */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SEGMENTS_MAX);
	__type(key, struct srv6_segment);
	__type(value, struct srv6_function);
} srv6_functions SEC(".maps"); /* of this host */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SOURCES_MAX);
	__type(key, struct srv6_address);
	__type(value, __u8);
} srv6_sources SEC(".maps"); /* the edges that may send */

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, SOURCES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct srv6_prefix);
	__type(value, __u8);
} srv6_locators SEC(".maps"); /* prefixes that segments are taken from */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PORTS_MAX);
	__type(key, __u32);
	__type(value, struct srv6_nf_port);
} srv6_nf_ports SEC(".maps"); /* by port */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PORTS_MAX);
	__type(key, __u32);
	__type(value, struct srv6_nf_state);
} srv6_nf_states SEC(".maps"); /* by NF */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PORTS_MAX);
	__type(key, __u32);
	__type(value, struct srv6_attached);
} srv6_attached SEC(".maps"); /* by port: what the daemon would have to remember */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SRV6_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} srv6_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} srv6_mirrors SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} srv6_returns SEC(".maps");

static __always_inline void count(__u32 what)
{
	__u64 *value = bpf_map_lookup_elem(&srv6_counts, &what);

	if (value)
		(*value)++;
}

#endif
