"""Chains on shared cores, by an algorithm that chooses cores: CoCo's placement, or an assigner of sfc2cpu.

A chain stands on one host. It goes, those of the highest rate first, to the host where the algorithm says that it costs
least; then all that is new on a host is placed at once, with the chains that run there and may move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.plan import Rejection

from sextant_engine.assign_cores import Assigned, AssignmentProblem
from sextant_engine.host_state import HostState
from sextant_engine.planning import apart
from sextant_engine.planning.compact_elements import Impossible, Wanted
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import fleet_problem
from sextant_engine.planning.line_rate import offered_mbps
from sextant_engine.planning.listing import listed
from sextant_engine.planning.ports import Route
from sextant_engine.planning.refusals import refusals_of
from sextant_engine.planning.rejecting import MAX_NAMED, rejection
from sextant_engine.planning.seating import reseat, seat_newcomer
from sextant_engine.seats import Seats
from sextant_engine.stop import Stop


class Cores(Protocol):
    """What an algorithm found for a host."""

    @property
    def cores(self) -> Mapping[str, int]:
        """By NF that was to be placed, newcomers and those that may move."""

    @property
    def moves(self) -> int:
        """NFs that run and go elsewhere."""


C = TypeVar("C", bound=Cores)


@dataclass(slots=True)
class SharedHost(Generic[C]):
    """A host while it is decided on."""

    host: HostState
    movable: tuple[Wanted, ...]
    newcomers: list[ChainSpec] = field(default_factory=list)
    found: C | None = None
    """Of all of them; None where there is nothing to be placed."""

    def wanted(self, *more: ChainSpec) -> tuple[Wanted, ...]:
        """All that is to be placed, and these."""
        return (*self.movable, *(Wanted.new(spec) for spec in (*self.newcomers, *more)))


class CoreChooser(Protocol[C]):
    """An algorithm that chooses cores."""

    name: str
    """'CoCo'."""
    moves: bool
    """Whether what runs may go elsewhere at all."""
    moves_from_spare: bool
    """Whether it may, too, where some of its NFs stand on cores that are used last. To such a core an NF goes only
    where another one leaves it."""

    def solve(self, host: HostState, wanted: Sequence[Wanted], stop: Stop, most_moves: int | None) -> C | Impossible:
        """Cores for these chains; all others stay. `most_moves`: of NFs that run; who makes more is not followed."""

    def adds(self, before: C | None, after: C) -> float:
        """What a host costs more with one chain more."""

    def why(self, core: int, beside: Sequence[str]) -> str:
        """Why an NF stands on its core, with its neighbours of the chain that stand there, too."""

    def record(self, draft: PlanDraft, one: SharedHost[C], automatic: HostState | None) -> None:
        """What the plan says of the host. `automatic`: as the engine's own choice would have it."""


@dataclass(frozen=True, slots=True)
class SharedPlacing(Generic[C]):
    """Places chains by one algorithm."""

    draft: PlanDraft
    chooser: CoreChooser[C]

    def place(self, waiting: Sequence[ChainSpec], may_move: bool) -> dict[str, SharedHost[C]]:
        """Seat all of them in the draft, by host; what finds no place is rejected there."""
        draft = self.draft
        routes = fleet_problem(draft, waiting, may_move).routes
        hosts: dict[str, SharedHost[C]] = {
            name: SharedHost(host, self._movable(host, may_move)) for name, host in draft.hosts.items()
        }
        for one in hosts.values():
            if one.movable:
                self._resolve(one, hosts)
        alone = [name for name, one in hosts.items() if may_move and not one.host.inventory.shares_cores]
        alone = [name for name in alone if hosts[name].host.chains and name not in draft.stuck]
        if alone:
            whose = self.chooser.name
            draft.warn(f"{listed(alone)}: every NF has a core of its own there, and {whose} leaves them where they are")
        for spec in sorted(waiting, key=lambda spec: (-spec.traffic.rate_mpps, spec.name)):
            self._choose_host(spec, routes[spec.name], hosts)
        chosen = {name: one for name, one in hosts.items() if one.found is not None}
        for one in chosen.values():
            self._adopt(one, hosts, routes)
        return {name: one for name, one in chosen.items() if one.found is not None}

    def _movable(self, host: HostState, may_move: bool) -> tuple[Wanted, ...]:
        """Chains that run on cores from which they may go elsewhere."""
        draft = self.draft
        closed = not host.up or host.cordoned is not None or host.name in draft.stuck or not host.inventory.shares_cores
        if not may_move or closed or not self.chooser.moves or draft.solving.max_moves == 0:
            return ()
        units = {nf.nf_id: host.cores.layout.unit_of.get(nf.core) for nf in host.nfs()}
        return tuple(
            Wanted.running(chain, host.before.get(name))
            for name, chain in sorted(host.chains.items())
            if name not in draft.kept
            and all(
                (unit := units[nf.nf_id]) is not None
                and unit.blocked is None
                and (self.chooser.moves_from_spare or not unit.spare)
                and unit.core == nf.core
                for nf in chain.nfs
            )
        )

    def _solve(self, one: SharedHost[C], hosts: Mapping[str, SharedHost[C]], *more: ChainSpec) -> C | Impossible:
        progress, most = self.draft.progress, self.draft.solving.max_moves
        progress.report("solving")

        def watched(_best: float, _bound: float, _evaluations: int) -> bool:
            progress.report("solving")
            return False

        if most is not None:
            others = (other.found.moves for other in hosts.values() if other is not one and other.found is not None)
            most = max(0, most - sum(others))
        stop = Stop(seconds=self.draft.seconds_left(), progress=watched)
        return self.chooser.solve(one.host, one.wanted(*more), stop, most)

    def _resolve(self, one: SharedHost[C], hosts: Mapping[str, SharedHost[C]]) -> None:
        """What runs there, by itself; it stays where that is not possible, or takes more moves than are allowed."""
        found = self._solve(one, hosts)
        most = self.draft.solving.max_moves
        if isinstance(found, Impossible):
            self.draft.warn(f"{one.host.name}: {found.why}; its chains stay where they are, unless you {found.relax}")
            one.movable = ()
        elif most is not None and found.moves > most:
            self.draft.warn(
                f"{one.host.name}: {found.moves} moves would pay, {most} are allowed; its chains stay where they are"
            )
            one.movable = ()
        else:
            one.found = found

    def _choose_host(self, spec: ChainSpec, routes: Mapping[str, Route], hosts: Mapping[str, SharedHost[C]]) -> None:
        """Of the hosts that can take it the one where it adds least; of those the one with most free seats."""
        options: list[tuple[float, int, str, C]] = []
        impossible: dict[str, Impossible] = {}
        for name in sorted(routes):
            one = hosts[name]
            found = self._parted(one, spec) or self._solve(one, hosts, spec)
            if isinstance(found, Impossible):
                impossible[name] = found
            else:
                options.append((round(self.chooser.adds(one.found, found), 9), -one.host.free, name, found))
        if not options:
            self.draft.rejected.append(self._why_not(spec, impossible))
            return
        _, _, name, found = min(options, key=lambda option: option[:3])
        hosts[name].newcomers.append(spec)
        hosts[name].found = found

    def _parted(self, one: SharedHost[C], spec: ChainSpec) -> Impossible | None:
        """Anti-affinity by host is kept; by node these algorithms know nothing of it."""
        group = spec.anti_affinity
        if group is None:
            return None
        beside = apart.barring(self.draft.fleet, one.host, spec)
        beside += [other.name for other in one.newcomers if group.parts(other.anti_affinity) is not None]
        if beside or apart.held_nodes(self.draft.fleet, one.host, spec):
            others = (
                f"{beside[0]} of its anti-affinity group" if beside else "others of its anti-affinity group on a node"
            )
            relax = "place it elsewhere, or leave the algorithm to the engine"
            return Impossible(f"{one.host.name} holds {others}", relax)
        return None

    def _why_not(self, spec: ChainSpec, impossible: Mapping[str, Impossible]) -> Rejection:
        if not impossible:
            refused = [one.reason for one in refusals_of(self.draft, spec) if one.cause not in {"elsewhere", "closed"}]
            why = "; ".join(refused[:MAX_NAMED]) or "no host of the fleet may take it"
            return rejection(
                spec.name, f"no host with shared cores is open to it: {why}", relax="plan for another host"
            )
        reasons = list(impossible.values())
        more = len(reasons) - MAX_NAMED
        why = "; ".join(one.why for one in reasons[:MAX_NAMED]) + (f"; and {more} more hosts" if more > 0 else "")
        return rejection(spec.name, why, relax=reasons[0].relax)

    def _adopt(
        self,
        one: SharedHost[C],
        hosts: Mapping[str, SharedHost[C]],
        routes: Mapping[str, Mapping[str, Route]],
    ) -> None:
        """In the draft. A chain that finds its port taken by those before is rejected, and the others placed without
        it."""
        while one.found is not None:
            self.draft.hosts[one.host.name] = one.host
            without_port = self._seat(one, one.found, routes)
            if without_port is None:
                return
            why = f"{one.host.name}: its ports take no more chains"
            self.draft.rejected.append(rejection(without_port.name, why, relax="plan again, for another host"))
            one.newcomers.remove(without_port)
            again = self._solve(one, hosts) if one.wanted() else None
            one.found = None if isinstance(again, Impossible) else again

    def _seat(self, one: SharedHost[C], found: C, routes: Mapping[str, Mapping[str, Route]]) -> ChainSpec | None:
        """The chain that found no port, if there was one. Moves come first: they may free the slots that newcomers
        get."""
        name, why = one.host.name, self._reasons(one.wanted(), found.cores)
        cores = _ChosenCores(found.cores, why)
        moves = [
            (nf.nf_id, one.host.node_of(found.cores[nf.nf_id]))
            for chain in one.movable
            for nf in one.host.chains[chain.name].nfs
            if found.cores[nf.nf_id] != nf.core
        ]
        if moves:
            reseat(self.draft, name, moves, lambda nf_id, _: why[nf_id], cores)
        for spec in sorted(one.newcomers, key=lambda spec: (-offered_mbps(spec), spec.name)):
            nodes = tuple(one.host.node_of(found.cores[nf_id]) for nf_id, _ in Wanted.new(spec).nfs)
            if not seat_newcomer(self.draft, spec, routes[spec.name][name], nodes, cores):
                return spec
        return None

    def _reasons(self, wanted: Sequence[Wanted], cores: Mapping[str, int]) -> dict[str, str]:
        """Why each NF stands on its core."""
        reasons: dict[str, str] = {}
        for chain in wanted:
            ids = [nf_id for nf_id, _ in chain.nfs]
            for position, nf_id in enumerate(ids):
                beside = [other for other in ids[max(0, position - 1) : position + 2] if other != nf_id]
                here = [other for other in beside if cores[other] == cores[nf_id]]
                reasons[nf_id] = self.chooser.why(cores[nf_id], here)
        return reasons


class _ChosenCores:
    """An `Assigner` of cores that are chosen already."""

    def __init__(self, cores: Mapping[str, int], why: Mapping[str, str]) -> None:
        self._cores, self._why = cores, why

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """The lowest free slot of each NF's core."""
        assigned: dict[str, Assigned] = {}
        for nf_id, node in problem.wanted:
            unit = state.layout.unit_of[self._cores[nf_id]]
            slot = state.lowest_free_slot(unit)
            state.take(unit.core, slot)
            assigned[nf_id] = Assigned(unit.core, slot, node, self._why[nf_id])
        return assigned
