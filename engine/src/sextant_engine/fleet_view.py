"""The fleet that is planned for, as a value that never changes: what a snapshot holds, looked up by name.

Everything is walked in sorted order, so the order of a snapshot's lists never matters.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import Spread, Trust
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.host_state import HostState


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
    has_real: bool
    """Whether a host is not simulated."""
    specs: Mapping[str, ChainSpec]
    nf_types: Mapping[str, NfType]
    scarce: frozenset[str]
    """Built-in NF types that some host has no program for."""
    trust: Mapping[tuple[str, str, str], Trust]
    """(NF type, host model, predictor) -> how far it has held."""
    spreads: Mapping[tuple[str, str], Spread]
    """(host model, predictor) -> how far off it was."""

    @classmethod
    def of(cls, snapshot: FleetSnapshot, thresholds: MoveThresholds | None = None) -> "FleetView":
        """The fleet of a snapshot."""
        models, curves = _models(snapshot), _curves(snapshot)
        ordered = sorted(snapshot.hosts, key=lambda host: host.inventory.host_id)
        nf_types = {one.name: one for one in sorted(snapshot.nf_types, key=lambda one: one.version)}
        runs = {one.runs for one in nf_types.values()}
        return cls(
            snapshot=snapshot,
            thresholds=thresholds or MoveThresholds(),
            hosts={
                host.inventory.host_id: HostState.of(
                    host, models.get(host.inventory.host_model, {}), curves.get(host.inventory.host_model, {})
                )
                for host in ordered
            },
            has_real=any(not host.inventory.simulated for host in ordered),
            specs={chain.name: chain for chain in sorted(snapshot.chains, key=lambda chain: chain.name)},
            nf_types=nf_types,
            scarce=frozenset(one for one in runs if any(host.inventory.cannot_run(one) for host in ordered)),
            trust={(one.nf_type, one.host_model, one.predictor): one for one in snapshot.trust},
            spreads={(one.host_model, one.predictor): one for one in snapshot.spreads},
        )

    def runs_of(self, spec: ChainSpec) -> frozenset[str]:
        """Built-in NF types whose programs run for a chain; without those of unknown types."""
        return frozenset(self.nf_types[nf.type].runs for nf in spec.nfs if nf.type in self.nf_types)

    def is_open(self, host: HostState, spec: ChainSpec) -> bool:
        """Whether the chain may go to the host by what it names. A simulated host moves nobody's packets: beside real
        ones it takes only chains that name it."""
        ends = {spec.ingress.host, spec.egress.host} - {None}
        if ends:
            return ends == {host.name}
        return not host.inventory.simulated or not self.has_real

    def value_of(self, chain: str) -> float:
        """A chain's value; 1 where its specification is gone."""
        return self.specs[chain].value if chain in self.specs else 1.0


def _models(snapshot: FleetSnapshot) -> dict[str, dict[str, PerformanceModel]]:
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
