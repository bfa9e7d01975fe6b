"""Which host takes a chain: the one where it gains most by the engine's prediction (value first, then score).

Hosts where the model holds come before hosts where it does not; ties go to the host with more free slots, then by
name. Hosts that are not up are no candidates. Equal hosts (same model, room and chains) are solved once, and hosts
that cannot promise more than was found are not solved at all.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sextant_domain.chain import ChainSpec
from sextant_domain.host import HostStatus

from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.model import Model
from sextant_engine.planning.host_problem import Newcomer, grants, host_problem, placement_of
from sextant_engine.planning.ports import Route, ingress_node, route_of
from sextant_engine.planning.promise import promised_gain
from sextant_engine.planning.solving import solve_or_fall_back
from sextant_engine.rank import rank_of
from sextant_engine.result import Result

DIGITS = 9
"""Gains that agree in so many digits behind the point are equal."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A host that can take the chain."""

    host: HostDraft
    route: Route
    room: dict[int, int]
    """Seats by node that the chain may use."""
    promise: float | None
    """Upper bound of the gain; None where no model holds."""

    @property
    def order(self) -> tuple[bool, float, int, str]:
        """Most promising first; among equals the one that a tie would go to."""
        return (self.promise is None, -round(self.promise or 0.0, DIGITS), -self.host.free, self.host.name)


@dataclass(frozen=True, slots=True)
class Choice:
    """The host that gets the chain, and how."""

    host: HostDraft
    route: Route
    room: dict[int, int]
    nodes: tuple[int, ...]
    """The node of each NF."""
    gain: float | None
    """Score with the chain - score without it; None where no model holds."""
    result: Result | None

    @property
    def order(self) -> tuple[bool, float, int, str]:
        """Best first."""
        return (self.gain is None, -round(self.gain or 0.0, DIGITS), -self.host.free, self.host.name)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A host that cannot take the chain."""

    host: HostDraft
    cause: Literal["elsewhere", "down", "port", "room"]
    reason: str
    """'edge-1 has 1 of 3 free'."""
    missing: int = 0
    """Seats short."""


class Chooser:
    """Judges hosts for chains, and remembers equal cases while a plan is made.

    `limit`: how many hosts are solved for one chain at most, the most promising ones; None: as many as it takes.
    """

    def __init__(self, draft: Draft, limit: int | None = None) -> None:
        self.draft = draft
        self.limit = limit
        self._memo: dict[Any, tuple[tuple[int, ...], float, Result]] = {}

    def choose(self, spec: ChainSpec) -> Choice | list[Refusal]:
        """The best host, or why every host refuses."""
        candidates, refusals = self.judge(spec)
        best: Choice | None = None
        for tried, candidate in enumerate(candidates):
            if best is not None and (best.order < candidate.order or self._enough(tried)):
                break
            choice = self.solve(candidate, spec)
            if best is None or choice.order < best.order:
                best = choice
        return refusals if best is None else best

    def judge(self, spec: ChainSpec) -> tuple[list[Candidate], list[Refusal]]:
        """Every host is one or the other: candidates most promising first, refusals by name."""
        judged = [self._judge(host, spec) for host in self.draft.hosts.values()]
        candidates = sorted((one for one in judged if isinstance(one, Candidate)), key=lambda one: one.order)
        return candidates, [one for one in judged if isinstance(one, Refusal)]

    def _enough(self, tried: int) -> bool:
        return (self.limit is not None and tried >= self.limit) or self.draft.stop.reached(self.draft.evaluations)

    def _judge(self, host: HostDraft, spec: ChainSpec) -> Candidate | Refusal:
        for end, wanted in (("ingress", spec.ingress.host), ("egress", spec.egress.host)):
            if wanted is not None and wanted != host.name:
                return Refusal(host, "elsewhere", f"the chain's {end} is {wanted}")
        if not host.up:
            return Refusal(host, "down", down_text(host))
        route = route_of(spec, host)
        if isinstance(route, str):
            return Refusal(host, "port", f"{host.name}: {route}")
        room = grants(host, len(spec.nfs), route.node)
        if isinstance(room, int):
            return Refusal(host, "room", f"{host.name} has {host.free} of {len(spec.nfs)} free", missing=room)
        holds = host.unpredictable(tuple(nf.type for nf in spec.nfs)) is None
        return Candidate(host, route, room, promised_gain(host, spec, route.node, room) if holds else None)

    def solve(self, one: Candidate, spec: ChainSpec) -> Choice:
        """What the chain gains on this host, by the plan's algorithm."""
        host, route, room = one.host, one.route, one.room
        if one.promise is None:
            return Choice(host, route, room, _fill(room, route.node, len(spec.nfs)), None, None)
        shape = (tuple(nf.type for nf in spec.nfs), spec.value, spec.traffic.rate_mpps, route.node)
        key = (host.inventory.host_model, tuple(sorted(room.items())), _contents(self.draft, host), shape)
        if key not in self._memo:
            problem = host_problem(self.draft, host, room, Newcomer(spec, route))
            result = solve_or_fall_back(self.draft, problem)
            model = Model(problem)
            without = rank_of(model, model.assignment(placement_of(host))).score
            nodes = tuple(int(node) for node in result.assignment[spec.name])
            self._memo[key] = (nodes, result.score - without, result)
        nodes, gain, result = self._memo[key]
        return Choice(host, route, room, nodes, gain, result)


def _contents(draft: Draft, host: HostDraft) -> tuple[Any, ...]:
    return host.remember(
        "contents",
        lambda: tuple(
            (
                tuple((nf.nf_type, host.node_of(nf.core)) for nf in chain.nfs),
                draft.value_of(name),
                chain.traffic.rate_mpps,
                ingress_node(chain, host.inventory),
            )
            for name, chain in sorted(host.chains.items())
        ),
    )


def _fill(room: dict[int, int], local: int, need: int) -> tuple[int, ...]:
    """Without a model: the local node first, then the others by number."""
    order = sorted(room, key=lambda node: (node != local, node))
    return tuple([node for node in order for _ in range(room[node])][:need])


def down_text(host: HostDraft) -> str:
    """Why a host that is not up is no candidate."""
    if host.snapshot.status is HostStatus.STALE:
        return f"{host.name} is stale: no telemetry for longer than the limit"
    return f"{host.name} is unreachable"
