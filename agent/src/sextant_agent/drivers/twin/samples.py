"""What a simulated host says of itself, in the agent's words: pure."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sextant_domain.hosts.desired import DesiredNf, NfState

from sextant_agent.contract.ordered_resources import normal, request_of
from sextant_agent.contract.sample import (
    ChainCounters,
    CpuTime,
    HostSample,
    LlcAndMemory,
    NfCounters,
    NfCpu,
    NfResources,
    NodeCounters,
)
from sextant_agent.drivers.twin.orders import ChainLife

EXIT = "crashed by an ordered fault"
_STATES = {"starting": NfState.STARTING, "running": NfState.RUNNING, "crashed": NfState.CRASHED}


def latency_bounds_ns() -> tuple[int, ...]:
    """Of the twin's histogram, which is the testbed's: 32 ns wide below 1024 ns, then 32 to each doubling, to 2^32."""
    linear = range(32, 1025, 32)
    octaves = ((2**bits) + step * 2**bits // 32 for bits in range(10, 32) for step in range(1, 33))
    return (*linear, *octaves)


BOUNDS_NS = latency_bounds_ns()


def sample_of(
    report: Mapping[str, Any],
    given: Mapping[str, ChainLife],
    *,
    host_epoch: str,
    taken_ns: int,
    as_given: bool = False,
) -> HostSample:
    """`given` by chain; `host_epoch`: of the driver, to which the host's own is added. `as_given`: ways and bandwidth
    are as given since the report, as the kernel says at once what it was told."""
    chains = {chain["id"]: chain for chain in report["chains"]}
    instances = {instance["id"]: instance for instance in report["instances"]}
    here = [each for each in given.values() if each.id_of(each.chain.chain) in chains]
    nfs: dict[str, NfCounters] = {}
    for each in here:
        nfs |= _nfs(each, instances, first_group=len(nfs))
    if as_given:
        nfs |= {
            nf.nf_id: replace(nfs[nf.nf_id], resources=request_of(each.chain, nf))
            for each in here
            for nf in each.chain.nfs
        }
    return HostSample(
        taken_ns=taken_ns,
        taken_at=datetime.now(UTC),
        epoch=f"{host_epoch}-{report['epoch']}",
        note="the host lost power and is back" if report["epoch"] else None,
        latency_bounds_ns=BOUNDS_NS,
        chains={each.chain.chain: _chain(each, chains[each.id_of(each.chain.chain)]) for each in here},
        nfs=nfs,
        cpus=_cpus(report),
        nodes=_nodes(report),
    )


def groups_of(given: ChainLife, cores: Mapping[str, int]) -> list[list[str]]:
    """NFs by process: neighbours on one core share one where the chain runs to completion. `cores` by NF."""
    groups: list[list[str]] = []
    for nf in given.chain.nfs:
        together = given.chain.execution == "run-to-completion"
        if together and groups and cores[groups[-1][-1]] == cores[nf.nf_id]:
            groups[-1].append(nf.nf_id)
        else:
            groups.append([nf.nf_id])
    return groups


def _chain(given: ChainLife, found: Mapping[str, Any]) -> ChainCounters:
    counts = [0] * (len(BOUNDS_NS) + 1)
    for bucket, count in found["latency"]:
        counts[bucket] = count
    return ChainCounters(
        chain=given.chain.chain,
        fingerprint=given.fingerprint,
        instance=given.instance,
        offered=found["offered"],
        sent=found["sent"],
        delivered=found["delivered"],
        source_drops=found["source_drops"],
        latency_counts=tuple(counts),
        execution=given.chain.execution,
        paused=found["paused"],
        pauses=given.pauses,
        delivered_bytes=found["delivered_bytes"],
    )


def _nfs(given: ChainLife, instances: Mapping[str, Mapping[str, Any]], first_group: int) -> dict[str, NfCounters]:
    found = {nf.nf_id: instances[given.id_of(nf.nf_id)] for nf in given.chain.nfs}
    groups = groups_of(given, {nf_id: instance["core"] for nf_id, instance in found.items()})
    group_of = {nf_id: first_group + number for number, group in enumerate(groups) for nf_id in group}
    return {nf.nf_id: _nf(nf, given, found[nf.nf_id], group_of[nf.nf_id]) for nf in given.chain.nfs}


def _nf(nf: DesiredNf, given: ChainLife, found: Mapping[str, Any], group: int) -> NfCounters:
    state = _STATES[found["state"]]
    return NfCounters(
        nf_id=nf.nf_id,
        chain=given.chain.chain,
        nf_type=nf.runs,
        state=state,
        pid=None,
        core=None if state is NfState.CRASHED else found["core"],
        last_core=found["core"],
        starts=found["starts"],
        exit=EXIT if state is NfState.CRASHED else None,
        rx=found["rx"],
        tx=found["tx"],
        drops=found["drops"],
        filtered=found["filtered"],
        cycles=found["cycles"],
        cpu_ns=found["cpu_ns"],
        busy_ns=found["busy_ns"],
        core_share=found["core_share"],
        ring_used=found["ring_used"],
        ring_size=found["ring_size"],
        ring_peak=found["ring_peak"],
        group=group,
        cpu=_cpu(found),
        resources=_resources(request_of(given.chain, nf), found),
        llc=LlcAndMemory(
            references=found["llc_references"],
            misses=found["llc_misses"],
            local_bytes=found["local_bytes"],
            remote_bytes=found["remote_bytes"],
            occupancy_bytes=tuple(found["llc_occupancy_bytes"]),
            way_mask=found["ways"],
        ),
    )


def _cpu(found: Mapping[str, Any]) -> NfCpu:
    quota = found["quota"]
    return NfCpu(round(found["weight"]), None if quota is None else 100 * quota["share"], found["throttled_ns"])


def _resources(given: NfResources, found: Mapping[str, Any]) -> NfResources:
    """Ways that it shares with all others are not its own: its mask alone does not show which are."""
    mask, throttle = found["ways"], found["mba"]
    own = given.llc_ways is not None and mask is not None
    percent = round(100 * (1 - throttle)) if throttle else None
    return normal(mask.bit_count() if own else None, percent, of_chain=given.of_chain)


def _cpus(report: Mapping[str, Any]) -> dict[int, CpuTime]:
    """By what NFs, and programs that are none, used of each core."""
    used: dict[int, int] = dict(enumerate(report["other_cpu_ns"]))
    for instance in report["instances"]:
        used[instance["core"]] += instance["cpu_ns"]
    return {core: CpuTime(busy=busy, total=report["taken_ns"]) for core, busy in used.items()}


def _nodes(report: Mapping[str, Any]) -> dict[int, NodeCounters]:
    into, out = _busiest(report, "to"), _busiest(report, "from")
    return {
        number: NodeCounters(
            memory_bytes=node["memory_bytes"],
            memory_load_percent=round(100 * node["memory_load"], 2),
            link_load_percent=max(into[number], out[number]) if number in into else None,
            link_in_load_percent=into.get(number),
            link_out_load_percent=out.get(number),
        )
        for number, node in enumerate(report["nodes"])
    }


def _busiest(report: Mapping[str, Any], end: str) -> dict[int, float]:
    """The busiest link with this end at a node, in percent, by node; empty where there is one node."""
    loads: dict[int, float] = {}
    for link in report["links"]:
        loads[link[end]] = max(loads.get(link[end], 0.0), round(100 * link["load"], 2))
    return loads
