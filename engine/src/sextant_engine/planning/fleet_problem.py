"""From a draft to the core's fleet problem: hosts with their seats and chains, chains that wait, and the ways in.

Which host and node gets what is the core's affair.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.host_state import HostState
from sextant_engine.planning.cpu_budget import above_budget, quotas_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_host import apart, fleet_host
from sextant_engine.planning.host_problem import parameters_of
from sextant_engine.planning.ports import Route, load_of, routes_of
from sextant_engine.planning.ties import why_not

Entry = tuple[
    str | None,
    str | None,
    str | None,
    str | None,
    frozenset[str],
    frozenset[str],
    frozenset[str],
    frozenset[tuple[str, float]],
]
"""Ingress host and port, egress host and port, as a chain asks for them, what its host must be able to do, of its NF
types those that some hosts cannot run, its ties, and of its CPU quotas those that some hosts have no budget for."""

Ports = tuple[str | None, str | None]
"""Of ingress and egress, as a chain asks for them: all that its ways through a host depend on."""

_Key = tuple[Entry, int, int]
"""And, where there are several nodes to arrive on, whose turn it is and how many seats are wanted."""


def entry_of(draft: PlanDraft, spec: ChainSpec) -> Entry:
    """Chains of an equal entry have the same hosts to choose from."""
    ends = spec.ingress.host, spec.ingress.port, spec.egress.host, spec.egress.port
    scarce = draft.fleet.runs_of(spec) & draft.fleet.scarce
    quotas = frozenset(quotas_of(draft.fleet, spec).items())
    return *ends, frozenset(spec.needs.values()), scarce, frozenset(spec.ties.values()), quotas


@dataclass(frozen=True)
class FleetProblem:
    """The core's input, and the way in that each chain would take on each host."""

    hosts: Mapping[str, str]
    """By name, as JSON: of a host that stays as it is the very text of the problem before."""
    rest: Mapping[str, Any]
    """All but the hosts."""
    routes: Mapping[str, Mapping[str, Route]]
    """Chain -> host -> route."""

    def text(self) -> str:
        """The whole as JSON."""
        return f'{{"hosts": [{", ".join(self.hosts.values())}], {json.dumps(self.rest)[1:]}'

    def host(self, name: str) -> dict[str, Any]:
        """One of the hosts."""
        found: dict[str, Any] = json.loads(self.hosts[name])
        return found


def fleet_problem(draft: PlanDraft, waiting: Sequence[ChainSpec], may_move: bool) -> FleetProblem:
    """With `may_move` chains that run may change nodes inside their host, where the model holds."""
    entries: dict[_Key, dict[str, Route]] = {}
    keys: dict[str, _Key] = {}
    turns: dict[Ports, int] = {}
    for number, spec in enumerate(waiting):
        entry, ports = entry_of(draft, spec), (spec.ingress.port, spec.egress.port)
        if ports not in turns:
            turns[ports] = _most_routes(draft, spec) if len(waiting) > 1 else 1
        key = (entry, number % turns[ports], len(spec.nfs) if turns[ports] > 1 else 0)
        if key not in entries:
            entries[key] = _routes(draft, spec, key[1])
        keys[spec.name] = key
    names = {key: f"e{number}" for number, key in enumerate(entries)}
    wanted = {host for routes in entries.values() for host in routes}
    hosts = [host for host in draft.hosts.values() if host.up and (host.name in wanted or (may_move and host.chains))]
    rest = {
        "models": {name: _parameters(models) for name, models in _models(hosts).items()},
        "entries": {
            names[key]: [[host, str(route.node)] for host, route in routes.items()] for key, routes in entries.items()
        },
        "waiting": [_waiting(spec, names[keys[spec.name]]) for spec in waiting],
        "objective": "served",
        "move_price_mpps": draft.fleet.thresholds.move_price_mpps,
        "margin_mpps": draft.fleet.thresholds.margin_mpps,
        "max_moves": draft.solving.max_moves,
    }
    return FleetProblem(
        {host.name: fleet_host(draft, host, may_move) for host in hosts},
        rest,
        {name: entries[key] for name, key in keys.items()},
    )


def _most_routes(draft: PlanDraft, spec: ChainSpec) -> int:
    """Chains that leave the port to us take turns over the nodes that packets can arrive on."""
    if spec.ingress.port is not None:
        return 1
    found = (routes_of(spec, host) for host in draft.hosts.values())
    return max((len(routes) for routes in found if not isinstance(routes, str)), default=1)


def _routes(draft: PlanDraft, spec: ChainSpec, turn: int) -> dict[str, Route]:
    """Host -> way in, of the hosts that a chain of this entry may go to. First come nodes with seats for all its NFs;
    of these the one whose port is the emptiest by a quarter of its line, then the one with most room."""
    found: dict[str, Route] = {}
    scarce, quotas = draft.fleet.runs_of(spec) & draft.fleet.scarce, quotas_of(draft.fleet, spec)
    for host in _named_hosts(draft, spec):
        if not host.up or host.cordoned is not None or not draft.fleet.is_open(host, spec):
            continue
        if host.name in draft.closed:
            continue
        if host.lacks(spec.needs.values()) is not None or host.cannot_run(scarce) is not None:
            continue
        if above_budget(host, quotas) is not None:
            continue
        routes = routes_of(spec, host)
        if not isinstance(routes, str) and why_not(draft.fleet, host, spec) is None:
            found[host.name] = _ranked(host, routes, len(spec.nfs))[turn % len(routes)]
    return found


def _named_hosts(draft: PlanDraft, spec: ChainSpec) -> Iterable[HostState]:
    """Those that the chain names; all of them where it names none. Of a thousand chains that each name one of a
    thousand hosts, none looks through all."""
    named = [name for name in (spec.ingress.host, spec.egress.host) if name is not None]
    return (draft.hosts[name] for name in named if name in draft.hosts) if named else draft.hosts.values()


def _ranked(host: HostState, routes: Sequence[Route], seats: int) -> Sequence[Route]:
    return routes if len(routes) == 1 else sorted(routes, key=lambda route: _rank(host, route, seats))


def _rank(host: HostState, route: Route, seats: int) -> tuple[bool, int, int]:
    room = host.room(route.node, spare=False)
    return room < seats, int(4 * load_of(host, route.arrive)), -room


def _models(hosts: Sequence[HostState]) -> dict[str, Mapping[str, PerformanceModel]]:
    """By host model: a fleet has few of them."""
    return {host.inventory.host_model: host.models for host in hosts}


def _parameters(models: Mapping[str, PerformanceModel]) -> dict[str, Any]:
    return {name: parameters_of(model) for name, model in sorted(models.items())}


def _waiting(spec: ChainSpec, entry: str) -> dict[str, Any]:
    return {
        "id": spec.name,
        "nfs": [nf.type for nf in spec.nfs],
        "value": spec.value,
        "rate_mpps": spec.traffic.rate_mpps,
        "entry": entry,
        **apart(spec.anti_affinity),
    }
