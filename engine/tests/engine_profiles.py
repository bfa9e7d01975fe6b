"""Hosts, NF types and settings of profiling tests in one line each."""

from typing import Any

from engine_fleets import NOW, numa_inventory
from sextant_domain.base import Provenance
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import Capability, HostInventory, LlcInfo
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, ProfilingAsk, StandingNf
from sextant_domain.profiling.profile import Estimate, NfEstimates, ProfileResult
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.requests import request_of

BUILT_IN = (
    "basic-monitor", "bubble", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "simple-forward", "vpn",
)  # fmt: skip


def catalogue_type(name: str, **fields: object) -> NfType:
    """A type with one integer option of each kind that profiling sets."""
    whole = {"type": "integer", "minimum": 0}
    options = {"flow_table_entries": {**whole, "default": 65536}} if name == "basic-monitor" else {}
    if name == "bubble":
        options = {"working_set_bytes": {**whole, "default": 2**20}, "lines_per_packet": {**whole, "default": 16}}
    return NfType(
        **{"name": name, "version": 1, "short_name": name[:8], "summary": name, "library": "none"} | fields,
        config_schema={"type": "object", "additionalProperties": False, "properties": options},
    )


NF_TYPES = {name: catalogue_type(name) for name in BUILT_IN}


def host(nodes: int = 2, cores: int = 12, reserved: int = 6, **capabilities: bool) -> HostInventory:
    """Like Octans' testbed: 12 cores a node, the first six of node 0 reserved; LLC of 30 MiB."""
    found = numa_inventory(nodes=nodes, cores=cores, reserved=range(reserved))
    able = dict.fromkeys(("profiling", "profiling-colocation", "profiling-chains"), True) | {
        name.replace("_", "-"): able for name, able in capabilities.items()
    }
    llc = LlcInfo(size_bytes=30 * 2**20)
    return found.model_copy(
        update={
            "capabilities": tuple(
                Capability(name=name, available=able[name], reason=f"{name} says so") for name in able
            ),
            "nodes": tuple(node.model_copy(update={"llc": llc}) for node in found.nodes),
        }
    )


def standing(text: str) -> tuple[StandingNf, ...]:
    """`router@0 nat@1`: types and their nodes."""
    pairs = (word.split("@") for word in text.split())
    return tuple(StandingNf(nf_type=name, node=int(node)) for name, node in pairs)


def setting(
    purpose: str,
    chain: str,
    others: str = "",
    bubble_kib: int | None = None,
    ingress_node: int = 0,
    *,
    downstream: str = "",
    **more: Any,
) -> PointSetting:
    """`setting("local", "router@0", "nat@0 nat@0", rate_mpps=1.0)`."""
    return PointSetting(
        purpose=PointPurpose(purpose),
        ingress_node=ingress_node,
        chain=standing(chain),
        downstream=standing(downstream),
        others=standing(others),
        bubble_kib=bubble_kib,
        **more,
    )


def estimate(value: float, error: float | None = 0.0) -> Estimate:
    """With a standard error, or a single value."""
    return Estimate(value=value, standard_error=error, count=1 if error is None else 4)


def record(
    number: int,
    point: PointSetting,
    mpps: Estimate,
    drop_percent: Estimate | None = None,
    cycles: float = 100.0,
    counts: dict[str, float] | None = None,
    **ask: Any,
) -> ProfileRecord:
    """As a job stores it: record and point of that number, every type at `versions` or 1."""
    versions = ask.pop("versions", {})
    asked = ProfilingAsk(nf_type=point.subject.nf_type, host="big-1", **ask)
    request = request_of(point, asked, host(), free_cores(host()), NF_TYPES)
    figures = NfEstimates(
        mpps=mpps,
        cycles_per_packet=estimate(cycles),
        cpu_percent=estimate(100.0),
        counts={name: estimate(value) for name, value in (counts or {}).items()},
    )
    types = {nf.nf_type for nf in (*point.chain, *point.others)}
    return ProfileRecord(
        id=number,
        job_id=1,
        point_id=number,
        host="big-1",
        host_model="big-2x12",
        versions=dict.fromkeys(types, 1) | {name: versions[name] for name in types & versions.keys()},
        setting=point,
        request=request,
        result=ProfileResult(
            request=request,
            provenance=Provenance.SIMULATED,
            ended="narrow",
            nf=figures,
            beside=figures if point.others else None,
            throughput_drop_percent=drop_percent,
        ),
        stored_at=NOW,
        provenance=Provenance.SIMULATED,
    )
