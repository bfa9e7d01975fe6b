"""The fleet that is planned for, as a value that never changes: what a snapshot holds, looked up by name.

Everything is walked in sorted order, so the order of a snapshot's lists never matters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.kernel_nf import KERNEL_NFS
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import OrderedLine
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_domain.plans.trust import Spread, Trust
from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.model import PerformanceModel
from sextant_domain.profiling.process import ProcessModel

from sextant_engine.host_processes import NO_PROCESSES, HostProcesses
from sextant_engine.host_state import ASSUMED_DELAYS, NO_CURVES, HostState

T = TypeVar("T")


@dataclass(frozen=True)
class MoveThresholds:
    """What moves must gain to be worth their trouble."""

    margin_mpps: float = 0.1
    """A re-placement of a host that scores less above the present one is not proposed."""
    move_price_mpps: float = 0.05
    """What one moved NF costs in the score."""


@dataclass(frozen=True, eq=False)
class FleetView:
    """What planning reads, and never writes."""

    snapshot: FleetSnapshot
    thresholds: MoveThresholds
    hosts: Mapping[str, HostState]
    """As they stand, by name."""
    first_choice: int
    """The least `order_of_choice` of its hosts."""
    specs: Mapping[str, ChainSpec]
    nf_types: Mapping[str, NfType]
    scarce: frozenset[str]
    """Built-in NF types that some host has no program for."""
    trust: Mapping[tuple[str, str, str], Trust]
    """(NF type, host model, predictor) -> how far it has held."""
    spreads: Mapping[tuple[str, str], Spread]
    """(host model, predictor) -> how far off it was."""

    @classmethod
    def of(
        cls,
        snapshot: FleetSnapshot,
        thresholds: MoveThresholds | None = None,
        former: "FleetView | None" = None,
    ) -> "FleetView":
        """The fleet of a snapshot. `former`: an earlier view, whose hosts are taken over where the snapshot holds the
        same object and their models of all predictors are equal, with all that was worked out about them."""
        known = former.hosts if former is not None else {}
        models = _kept(_models(snapshot), {state.inventory.host_model: state.models for state in known.values()})
        curves = _kept(_curves(snapshot), {state.inventory.host_model: state.curves for state in known.values()})
        processes = _kept(
            _processes(snapshot), {state.inventory.host_model: state.processes for state in known.values()}
        )
        delays = {one.host_model: one.delays for one in snapshot.hops}
        lines, costs = _lines(snapshot), {one.host: one for one in snapshot.costs}
        networks = {one.cores: one for one in snapshot.networks}
        ordered = sorted(snapshot.hosts, key=lambda host: host.inventory.host_id)
        nf_types = {one.name: one for one in sorted(snapshot.nf_types, key=lambda one: one.version)}
        return cls(
            snapshot=snapshot,
            thresholds=thresholds or MoveThresholds(),
            hosts={
                host.inventory.host_id: _state(
                    host,
                    models.get(host.inventory.host_model, _NONE),
                    curves.get(host.inventory.host_model, NO_CURVES),
                    processes.get(host.inventory.host_model, NO_PROCESSES),
                    known,
                    delays=delays.get(host.inventory.host_model, ASSUMED_DELAYS),
                    lines=lines.get(host.inventory.host_model, ()),
                    cost=costs.get(host.inventory.host_id),
                    networks=networks,
                )
                for host in ordered
            },
            first_choice=min((host.inventory.order_of_choice for host in ordered), default=0),
            specs={chain.name: chain for chain in sorted(snapshot.chains, key=lambda chain: chain.name)},
            nf_types=nf_types,
            scarce=_scarce(ordered, {one.runs for one in nf_types.values()}),
            trust={(one.nf_type, one.host_model, one.predictor): one for one in snapshot.trust},
            spreads={(one.host_model, one.predictor): one for one in snapshot.spreads},
        )

    def with_chain(self, spec: ChainSpec) -> "FleetView":
        """The same fleet with one more chain to be placed, or another specification of one."""
        return replace(self, specs={**self.specs, spec.name: spec})

    @cached_property
    def least_budget(self) -> float | None:
        """The least CPU budget of its hosts, in percent of a core; None where none has any."""
        budgets = (host.inventory.cpu_budget_percent for host in self.hosts.values())
        return min((budget for budget in budgets if budget is not None), default=None)

    @cached_property
    def ties(self) -> Mapping[str, str]:
        """NF id -> its tie, of those of all chains that have one."""
        return {nf_id: tie for spec in self.specs.values() for nf_id, tie in spec.ties.items()}

    @cached_property
    def tied(self) -> Mapping[str, Mapping[str, str]]:
        """Tie -> NF id -> type."""
        found: dict[str, dict[str, str]] = {}
        for spec in self.specs.values():
            for position, nf in enumerate(spec.nfs):
                if nf.tied is not None:
                    found.setdefault(nf.tied, {})[spec.nf_id(position)] = nf.type
        return found

    def runs_of(self, spec: ChainSpec) -> frozenset[str]:
        """Built-in NF types whose programs run for a chain; without those of unknown types."""
        return frozenset(self.nf_types[nf.type].runs for nf in spec.nfs if nf.type in self.nf_types)

    def is_open(self, host: HostState, spec: ChainSpec) -> bool:
        """Whether the chain may go to the host by what it names. Where it names none, it goes to hosts of the first
        choice."""
        ends = {spec.ingress.host, spec.egress.host} - {None}
        if ends:
            return ends == {host.name}
        return host.inventory.order_of_choice == self.first_choice

    def value_of(self, chain: str) -> float:
        """A chain's value; 1 where its specification is gone."""
        return self.specs[chain].value if chain in self.specs else 1.0


def _models(snapshot: FleetSnapshot) -> Mapping[str, Mapping[str, PerformanceModel]]:
    """By host model and NF type: a fitted one before an assumed one."""
    models: dict[str, dict[str, PerformanceModel]] = {}
    for model in sorted(snapshot.models, key=lambda model: (model.provenance != "assumed", model.version)):
        models.setdefault(model.host_model, {})[model.nf_type] = model
    return models


def _curves(snapshot: FleetSnapshot) -> dict[str, dict[str, CurveModel]]:
    """By host model and NF type."""
    curves: dict[str, dict[str, CurveModel]] = {}
    for curve in sorted(snapshot.curves, key=lambda one: one.version):
        curves.setdefault(curve.host_model, {})[curve.nf_type] = curve
    return curves


def _processes(snapshot: FleetSnapshot) -> dict[str, HostProcesses]:
    """By host model."""
    found: dict[str, dict[str, ProcessModel]] = {}
    for one in sorted(snapshot.processes, key=lambda one: one.fit.version):
        found.setdefault(one.fit.host_model, {})[one.fit.nf_type] = one
    return {name: HostProcesses(models) for name, models in found.items()}


def _lines(snapshot: FleetSnapshot) -> dict[str, tuple[OrderedLine, ...]]:
    """By host model, sorted by NF type."""
    found: dict[str, list[OrderedLine]] = {}
    for one in sorted(snapshot.share_lines, key=lambda one: one.line.nf_type):
        found.setdefault(one.host_model, []).append(one.line)
    return {name: tuple(lines) for name, lines in found.items()}


def _scarce(hosts: Iterable[HostSnapshot], runs: Iterable[str]) -> frozenset[str]:
    """Hosts that run the same types are asked once: a fleet has few kinds of them."""
    kinds = {
        (one.nf_types, one.why_not(KERNEL_NFS) is None): one for one in (host.inventory for host in hosts)
    }.values()
    return frozenset(one for one in runs if any(inventory.cannot_run(one) for inventory in kinds))


_NONE: Mapping[str, PerformanceModel] = {}


def _kept(found: Mapping[str, T], before: Mapping[str, T]) -> dict[str, T]:
    """By host model: the very object of before where it is equal, so that it is compared once and not host by host."""
    return {name: before[name] if before.get(name) == one else one for name, one in found.items()}


def _state(
    host: HostSnapshot,
    models: Mapping[str, PerformanceModel],
    curves: Mapping[str, CurveModel],
    processes: HostProcesses,
    known: Mapping[str, HostState],
    *,
    delays: HopDelays,
    lines: tuple[OrderedLine, ...],
    cost: FittedCost | None,
    networks: Mapping[int, PromotedNetwork],
) -> HostState:
    state = known.get(host.inventory.host_id)
    if (
        state is not None
        and state.delays == delays
        and state.lines == lines
        and state.cost == cost
        and state.networks == networks
        and all(
            was is now
            for was, now in (
                (state.snapshot, host),
                (state.models, models),
                (state.curves, curves),
                (state.processes, processes),
            )
        )
    ):
        return state
    return HostState.of(host, models, curves, processes, delays, lines=lines, cost=cost, networks=networks)
