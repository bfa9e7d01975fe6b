"""Predictors that know what chains of a host do to each other at the rates that they have, asked alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
    def name(self) -> PlanPredictor:
        """As trust and outcomes have it."""
        ...

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
    name: PlanPredictor = field(default="curves", init=False)
    only_takes: bool = field(default=True, init=False)

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
    name: PlanPredictor = field(default="gaussian-process", init=False)
    only_takes: bool = field(default=False, init=False)

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
    version = one_fit({name: curve.version for name, curve in curves.items()}, nf_types)
    ideals = {name: model.ideal_mpps for name, model in models.items()}
    return None if version is None else RestByCurves(curves, ideals, version)


def by_process(nf_types: Collection[str], processes: HostProcesses) -> RestByProcess | None:
    """None where one of the types has no process, or they are of several fits: their loads are in other units."""
    version = one_fit({name: process.fit.version for name, process in processes.models.items()}, nf_types)
    return None if version is None else RestByProcess(processes.made_of(version, StoredProcess), version)


def one_fit(versions: Mapping[str, str], nf_types: Collection[str]) -> str | None:
    """The version that all of these types share, by NF type; None where there is no such one."""
    found = {versions.get(name) for name in nf_types}
    return found.pop() if len(found) == 1 else None
