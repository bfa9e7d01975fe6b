"""Which host takes a chain: the one where it gains most by the engine's prediction (value first, then score).

Hosts where the model holds come before hosts where it does not; ties go to the host with more free slots, then by
name. Hosts that are not up are no candidates. Equal hosts (same model, room, ports and chains) are solved once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sextant_domain.chain import ChainSpec
from sextant_domain.host import HostStatus
from sextant_domain.plan import Algorithm

from sextant_engine.algorithms.brute import TooLarge
from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.model import Model
from sextant_engine.planning.host_problem import Newcomer, grants, host_problem, placement_of
from sextant_engine.planning.ports import Route, ingress_node, route_of
from sextant_engine.problem import Problem
from sextant_engine.rank import rank_of
from sextant_engine.result import Result
from sextant_engine.solve import solve


@dataclass(frozen=True, slots=True)
class Candidate:
    """A host that can take the chain, and how."""

    host: HostDraft
    route: Route
    nodes: tuple[int, ...]
    """The node of each NF."""
    gain: float | None
    """Score with the chain - score without it; None where no model holds."""
    free: int
    result: Result | None

    @property
    def order(self) -> tuple[bool, float, int, str]:
        """Best first."""
        return (self.gain is None, -round(self.gain or 0.0, 9), -self.free, self.host.name)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A host that cannot take the chain."""

    host: HostDraft
    cause: Literal["elsewhere", "down", "port", "room"]
    reason: str
    """'edge-1 needs 3 slots and has 1 free'."""
    missing: int = 0
    """Seats short."""


class Chooser:
    """Judges hosts for chains, and remembers equal cases while a plan is made."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._memo: dict[Any, tuple[tuple[int, ...], float | None, Result | None]] = {}

    def judge(self, spec: ChainSpec) -> tuple[list[Candidate], list[Refusal]]:
        """All hosts of the fleet: candidates, best first, and refusals by name."""
        candidates: list[Candidate] = []
        refusals: list[Refusal] = []
        for host in self.draft.hosts.values():
            verdict = self._judge_host(host, spec)
            if isinstance(verdict, Candidate):
                candidates.append(verdict)
            else:
                refusals.append(verdict)
        return sorted(candidates, key=lambda candidate: candidate.order), refusals

    def _judge_host(self, host: HostDraft, spec: ChainSpec) -> Candidate | Refusal:
        for end, wanted in (("ingress", spec.ingress.host), ("egress", spec.egress.host)):
            if wanted is not None and wanted != host.name:
                return Refusal(host, "elsewhere", f"the chain's {end} is {wanted}")
        if not host.up:
            return Refusal(host, "down", down_text(host))
        route = route_of(spec, host.inventory, lambda node: host.seats.room(node, last_choice=False))
        if isinstance(route, str):
            return Refusal(host, "port", f"{host.name}: {route}")
        room = grants(host, len(spec.nfs), route.node)
        free = host.seats.room(None, last_choice=False) + host.seats.room(None, last_choice=True)
        if isinstance(room, int):
            return Refusal(host, "room", f"{host.name} has {free} of {len(spec.nfs)} free", missing=room)
        nodes, gain, result = self._solve(host, spec, route, room)
        return Candidate(host, route, nodes, gain, free, result)

    def _solve(
        self, host: HostDraft, spec: ChainSpec, route: Route, room: dict[int, int]
    ) -> tuple[tuple[int, ...], float | None, Result | None]:
        types = tuple(nf.type for nf in spec.nfs)
        if host.unpredictable(types) is not None:
            return _fill(room, route.node, len(types)), None, None
        shape = (types, spec.value, spec.traffic.rate_mpps, route.node)
        key = (host.inventory.host_model, tuple(sorted(room.items())), _contents(self.draft, host), shape)
        if key not in self._memo:
            problem = host_problem(self.draft, host, room, Newcomer(spec, route))
            result = solve_or_fall_back(self.draft, problem)
            before = Model(problem)
            without = rank_of(before, before.assignment(placement_of(host))).score
            nodes = tuple(int(node) for node in result.assignment[spec.name])
            self._memo[key] = (nodes, result.score - without, result)
        return self._memo[key]


def _contents(draft: Draft, host: HostDraft) -> tuple[Any, ...]:
    return tuple(
        (
            tuple((nf.nf_type, host.node_of(nf.core)) for nf in chain.nfs),
            draft.value_of(name),
            chain.traffic.rate_mpps,
            ingress_node(chain, host.inventory),
        )
        for name, chain in sorted(host.chains.items())
    )


def _fill(room: dict[int, int], local: int, need: int) -> tuple[int, ...]:
    """Without a model: the local node first, then the others by number."""
    order = sorted(room, key=lambda node: (node != local, node))
    return tuple([node for node in order for _ in range(room[node])][:need])


def solve_or_fall_back(draft: Draft, problem: Problem) -> Result:
    """Solve with the plan's algorithm; a problem beyond exhaustive search goes to node_first, with a warning."""
    clock: Callable[[], float] = lambda: 0.0  # noqa: E731 - the plan is timed as a whole
    try:
        result = solve(problem, draft.algorithm, None, draft.seed, draft.stop, clock=clock)
        draft.used = draft.used or draft.algorithm
    except TooLarge as error:
        draft.warn(f"{error.message}; node_first was used instead")
        draft.used = Algorithm.NODE_FIRST
        result = solve(problem, Algorithm.NODE_FIRST, None, draft.seed, draft.stop, clock=clock)
    draft.evaluations += result.evaluations
    return result


def down_text(host: HostDraft) -> str:
    """Why a host that is not up is no candidate."""
    if host.snapshot.status is HostStatus.STALE:
        return f"{host.name} is stale: no telemetry for longer than the limit"
    return f"{host.name} is unreachable"
