"""Which hosts cannot take a chain, and why."""

from dataclasses import dataclass
from typing import Literal

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.host import HostStatus

from sextant_engine.host_state import HostState
from sextant_engine.planning import apart
from sextant_engine.planning.cpu_budget import above_budget, quotas_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.host_problem import grants
from sextant_engine.planning.listing import listed
from sextant_engine.planning.ports import routes_of
from sextant_engine.planning.ties import why_not


@dataclass(frozen=True, slots=True)
class HostRefusal:
    """A host that cannot take the chain."""

    host: HostState
    cause: Literal["closed", "elsewhere", "down", "cordoned", "port", "ability", "budget", "room", "apart", "tied"]
    reason: str
    """'edge-1 has 1 of 3 free'."""
    missing: int = 0
    """Seats short."""


def refusals_of(draft: PlanDraft, spec: ChainSpec) -> list[HostRefusal]:
    """By host name; a host that is not listed has room."""
    judged = (_judge(draft, host, spec) for host in draft.hosts.values())
    return [refusal for refusal in judged if refusal is not None]


def _judge(draft: PlanDraft, host: HostState, spec: ChainSpec) -> HostRefusal | None:
    closed = _not_for_it(draft, host, spec) or _closed(host)
    if closed is not None:
        return closed
    routes = routes_of(spec, host)
    if isinstance(routes, str):
        return HostRefusal(host, "port", f"{host.name}: {routes}")
    lacking, foreign = host.lacks(spec.needs.values()), host.cannot_run(draft.fleet.runs_of(spec))
    if lacking is not None or foreign is not None:
        return HostRefusal(host, "ability", f"{host.name} cannot {f'do {lacking}' if lacking else f'run {foreign}'}")
    too_much = above_budget(host, quotas_of(draft.fleet, spec))
    if too_much is not None:
        return HostRefusal(host, "budget", too_much)
    room = grants(host, len(spec.nfs), routes[0].node)
    if isinstance(room, int):
        return HostRefusal(host, "room", f"{host.name} has {host.free} of {len(spec.nfs)} free", missing=room)
    tied = why_not(draft.fleet, host, spec)
    return _apart(draft, host, spec) if tied is None else HostRefusal(host, "tied", tied)


def _apart(draft: PlanDraft, host: HostState, spec: ChainSpec) -> HostRefusal | None:
    """It has room, and chains that this one must not stand with."""
    if spec.anti_affinity is None:
        return None
    group = f"of anti-affinity group {spec.anti_affinity.group}"
    barring = apart.barring(draft.fleet, host, spec)
    if barring:
        return HostRefusal(host, "apart", f"{host.name} holds {listed(barring)} {group}")
    free, held = apart.free_apart(draft.fleet, host, spec), apart.held_nodes(draft.fleet, host, spec)
    if free >= len(spec.nfs):
        return None
    nodes = "; ".join(f"node {node} holds {name}" for node, name in sorted(held.items()))
    reason = f"{host.name} has {free} of {len(spec.nfs)} free on nodes without chains {group} ({nodes})"
    return HostRefusal(host, "apart", reason, missing=len(spec.nfs) - free)


def _not_for_it(draft: PlanDraft, host: HostState, spec: ChainSpec) -> HostRefusal | None:
    """By what the plan or the chain asks for, whatever the host could take."""
    if host.name in draft.closed:
        return HostRefusal(host, "closed", draft.closed[host.name])
    elsewhere = _elsewhere(draft, host, spec)
    return None if elsewhere is None else HostRefusal(host, "elsewhere", elsewhere)


def _closed(host: HostState) -> HostRefusal | None:
    """It takes no NF of any chain."""
    if not host.up:
        return HostRefusal(host, "down", down_text(host))
    return None if host.cordoned is None else HostRefusal(host, "cordoned", cordoned_text(host))


def _elsewhere(draft: PlanDraft, host: HostState, spec: ChainSpec) -> str | None:
    for end, wanted in (("ingress", spec.ingress.host), ("egress", spec.egress.host)):
        if wanted is not None and wanted != host.name:
            return f"the chain's {end} is {wanted}"
    if draft.fleet.is_open(host, spec):
        return None
    return f"{host.name} {host.inventory.why_named_only}, and the chain does not name it"


def cordoned_text(host: HostState) -> str:
    """Why a cordoned host is no candidate."""
    return f"{host.name} is cordoned ({host.cordoned})"


def down_text(host: HostState) -> str:
    """Why a host that is not up is no candidate."""
    if host.snapshot.status is HostStatus.STALE:
        return f"{host.name} is stale: no telemetry for longer than the limit"
    return f"{host.name} is unreachable"
