"""A point as a request to an agent: what stands on which core, with which configuration and traffic."""

from collections.abc import Iterator, Mapping
from typing import Any

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic

from sextant_engine.errors import BadEngineInput
from sextant_engine.profiling.cores import FreeCores

REPORTER = "basic-monitor"
"""Stands beside the NF, to see what it loses to it."""
REPORTER_CONFIG = {"flow_table_entries": 1 << 20}
REPORTER_FLOWS = 1_000_000
"""Random reads all over a table of some 64 MiB: whatever else uses the cache shows in its throughput."""
UPSTREAM = "router"
"""Stands in front of the NF in a chain: the fastest that reads packets' headers. One that reads nothing fetches nothing
for the NF behind it, which Eq. 11 is about."""
BUBBLE = "bubble"


class CannotProfile(BadEngineInput):
    """What is asked cannot be profiled on this host. `field` is a path into the ask, or `host`."""


def request_of(
    setting: PointSetting,
    ask: ProfilingAsk,
    inventory: HostInventory,
    free: FreeCores,
    nf_types: Mapping[str, NfType],
) -> ProfileRequest:
    """The same for the same arguments: the subject takes the first free core of its node, then its chain, then its
    competitors in their order. All NFs have the configuration that their types have by default, but for bubbles of a
    size and the reporter.

    Raises CannotProfile where a type is not known, or a node has too few free cores.
    """
    cores = {node.id: iter(free.get(node.id, ())) for node in inventory.nodes}
    subject, upstream = setting.subject, setting.chain[:-1]
    plain = ProfileTraffic(packet_bytes=ask.packet_bytes, flows=ask.flows)
    limited = plain.model_copy(update={"rate_mpps": setting.rate_mpps or ask.rate_mpps})

    def stand(nf: StandingNf, traffic: ProfileTraffic, changes: Mapping[str, Any]) -> ProfiledNf:
        nf_type = type_of(nf.nf_type, nf_types)
        return ProfiledNf(
            nf_type=nf_type.name,
            nf_version=nf_type.version,
            config={**nf_type.default_config(), **changes},
            core=_next_core(nf.node, cores, inventory.host_id),
            traffic=traffic,
            implementation=nf_type.implementation,
        )

    is_reporter = setting.purpose is PointPurpose.CONTENTIOUSNESS
    at_a_rate = setting.purpose in {PointPurpose.SHARE, PointPurpose.HOP}
    bubbles = {} if setting.bubble_kib is None else {"working_set_bytes": setting.bubble_kib * 1024}
    whose = stand(subject, traffic_of(setting, ask), REPORTER_CONFIG if is_reporter else {})
    return ProfileRequest(
        mode=ProfileMode.COLOCATION if setting.others else ProfileMode.SOLO,
        nf=whose,
        upstream=tuple(stand(nf, plain, {}) for nf in upstream),
        downstream=(whose,) if setting.hop == "same_core" else tuple(stand(nf, plain, {}) for nf in setting.downstream),
        others=tuple(stand(nf, limited, bubbles) for nf in setting.others),
        others_a_chain=setting.others_a_chain,
        llc_ways=setting.llc_ways,
        memory_bandwidth_percent=setting.memory_bandwidth_percent,
        offered_mpps=setting.rate_mpps if at_a_rate else None,
        hop=setting.hop,
        seconds=ask.seconds,
        half_width_percent=ask.half_width_percent,
        max_samples=ask.max_samples,
    )


def traffic_of(setting: PointSetting, ask: ProfilingAsk) -> ProfileTraffic:
    """Of the subject: as asked, but for the reporter's flows. What limits its rate, where shares are asked for, is the
    request's `offered_mpps`."""
    is_reporter = setting.purpose is PointPurpose.CONTENTIOUSNESS
    return ProfileTraffic(packet_bytes=ask.packet_bytes, flows=REPORTER_FLOWS if is_reporter else ask.flows)


def type_of(name: str, nf_types: Mapping[str, NfType], field: str = "nf_type") -> NfType:
    """Raises CannotProfile where there is none of that name, or nobody can measure it."""
    found = nf_types.get(name)
    if found is None:
        raise CannotProfile(field, f"there is no NF type '{name}'; there are {', '.join(sorted(nf_types))}")
    if found.runs in IN_KERNEL:
        raise CannotProfile(field, f"{name} is in the kernel: nobody counts what it takes of a core")
    return found


def _next_core(node: int, cores: Mapping[int, Iterator[int]], host: str) -> int:
    core = next(cores.get(node, iter(())), None)
    if core is None:
        raise CannotProfile("host", f"node {node} of {host} has too few free cores: move NFs away, or ask for fewer")
    return core
