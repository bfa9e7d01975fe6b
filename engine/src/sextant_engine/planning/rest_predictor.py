"""Predictors that know what chains of a host do to each other at the rates that they have, asked alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sextant_domain.plans.evidence import PlanPredictor
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.model import LocalRemote, PerformanceModel

from sextant_engine.host_processes import HostProcesses
from sextant_engine.modelling.settling import FedChain, Rest, at_rest
from sextant_engine.modelling.stored_process import StoredProcess


class RestPredictor(Protocol):
    """Of NF types of one fit."""

    @property
    def name(self) -> PlanPredictor: ...

    @property
    def version(self) -> str:
        """Of its models."""
        ...

    @property
    def only_takes(self) -> bool:
        """Whether no chain carries more beside others than alone."""
        ...

    def at_rest(self, chains: Sequence[FedChain]) -> Rest | None:
        """None where one of their NFs is not known."""
        ...

    def rates(self, chains: Sequence[FedChain]) -> Sequence[float] | None:
        """Mpps of every chain, as `at_rest` says."""
        ...


@dataclass(frozen=True, slots=True)
class RestByCurves:
    """By pressure curves, which never fall."""

    curves: Mapping[str, CurveModel]
    ideals: Mapping[str, LocalRemote]
    version: str

    @property
    def name(self) -> PlanPredictor:
        """As trust and outcomes have it."""
        return "curves"

    @property
    def only_takes(self) -> bool:
        """Pressure costs, and never helps."""
        return True

    def at_rest(self, chains: Sequence[FedChain]) -> Rest | None:
        """None where a curve is missing."""
        return at_rest(chains, self.curves, self.ideals)

    def rates(self, chains: Sequence[FedChain]) -> Sequence[float] | None:
        """What each is found to carry."""
        rest = self.at_rest(chains)
        return None if rest is None else rest.mpps


@dataclass(frozen=True, slots=True)
class RestByProcess:
    """By a Gaussian process, which may fall where samples do: a chain may gain by another."""

    stored: StoredProcess
    version: str

    @property
    def name(self) -> PlanPredictor:
        """As trust and outcomes have it."""
        return "gaussian-process"

    @property
    def only_takes(self) -> bool:
        """It follows its samples, either way."""
        return False

    def at_rest(self, chains: Sequence[FedChain]) -> Rest | None:
        """None where an NF type is not known."""
        return self.stored.at_rest(chains)

    def rates(self, chains: Sequence[FedChain]) -> Sequence[float] | None:
        """Half the work of `at_rest`."""
        return self.stored.rates(chains)


def by_curves(
    nf_types: Collection[str], models: Mapping[str, PerformanceModel], curves: Mapping[str, CurveModel]
) -> RestByCurves | None:
    """None where one of the types has no curves, or they are of several fits: their pressures are of no one scale."""
    if not nf_types or not curves.keys() >= set(nf_types):
        return None
    versions = {curves[name].version for name in nf_types}
    ideals = {name: model.ideal_mpps for name, model in models.items()}
    return RestByCurves(curves, ideals, versions.pop()) if len(versions) == 1 else None


def by_process(nf_types: Collection[str], processes: HostProcesses) -> RestByProcess | None:
    """None where one of the types has no process, or they are of several fits."""
    version = processes.version_of(nf_types)
    return None if version is None else RestByProcess(processes.made_of(version, StoredProcess), version)
