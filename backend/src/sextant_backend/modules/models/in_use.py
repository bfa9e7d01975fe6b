"""The models that plans use: promoted ones, and assumed ones of every NF type that has none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import structlog
from pydantic import ValidationError
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.evidence import ModelUse
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.model import ASSUMED_VERSION, PerformanceModel
from sextant_domain.profiling.process import ProcessModel
from sextant_engine.parameters import assumed_models, at_scale_of
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.models.models import ModelVersionRow

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PredictorModels:
    """Of NF types on host models, those of all predictors."""

    models: tuple[PerformanceModel, ...]
    """Of every NF type on each host model, all of a host model at one scale."""
    curves: tuple[CurveModel, ...] = ()
    """Of those that were promoted with some."""
    processes: tuple[ProcessModel, ...] = ()
    """Likewise."""


def cores_of(inventories: Iterable[HostInventory]) -> dict[str, int]:
    """Every host model there is, with the cores of its largest node."""
    cores: dict[str, int] = {}
    for inventory in inventories:
        if inventory.host_model not in cores and inventory.nodes:
            cores[inventory.host_model] = max(
                sum(core.node == node.id for core in inventory.cores) for node in inventory.nodes
            )
    return cores


def predictors(session: Session, cores: Mapping[str, int], nf_types: Sequence[NfType]) -> PredictorModels:
    """What snapshots carry. `cores`: host model -> cores of its largest node."""
    found: dict[str, dict[str, PerformanceModel]] = {name: {} for name in cores}
    known = rows(session, cores)
    for row in known:
        found[row.host_model][row.nf_type] = PerformanceModel.model_validate(row.model)
    named = {nf_type.name for nf_type in nf_types}
    of_types = [row for row in known if row.nf_type in named]
    curves, processes = tuple(_curves(of_types)), tuple(_processes(of_types))
    promoted = [one for by_type in found.values() for one in by_type.values() if one.nf_type in named]
    assumed = [
        one
        for name, a_node in cores.items()
        for one in at_scale_of(found[name], assumed_models(name, a_node, nf_types))
        if one.nf_type not in found[name]
    ]
    return PredictorModels((*promoted, *assumed), curves, processes)


def _curves(rows: Iterable[ModelVersionRow]) -> Iterator[CurveModel]:
    return (CurveModel.model_validate(row.curves) for row in rows if row.curves is not None)


def _processes(rows: Iterable[ModelVersionRow]) -> Iterator[ProcessModel]:
    """One that is not what was stored is left out: its host model is planned for by the other predictors."""
    for row in rows:
        if row.process is not None:
            try:
                yield ProcessModel.model_validate(row.process)
            except ValidationError as error:
                _log.warning("process_not_read", model_version=row.id, nf_type=row.nf_type, cause=str(error))


def promoted(session: Session, host_model: str) -> dict[str, PerformanceModel]:
    """Those of one host model, by NF type."""
    return {row.nf_type: PerformanceModel.model_validate(row.model) for row in rows(session, [host_model])}


def known(session: Session, host_models: Sequence[str]) -> set[tuple[str, str]]:
    """(host model, NF type) of which a model is promoted."""
    return {(row.host_model, row.nf_type) for row in rows(session, host_models)}


def replaced(session: Session, used: Iterable[ModelUse]) -> list[str]:
    """Of these models, those that plans do not use any more: 'firewall (assumed-1, fit-3 by now)', by NF type."""
    used = list(used)
    promoted = rows(session, {one.host_model for one in used})
    versions = {(row.nf_type, row.host_model): str((row.model or {})["version"]) for row in promoted}
    return sorted(
        f"{one.nf_type} ({one.version}, {now} by now)"
        for one in used
        if (now := versions.get((one.nf_type, one.host_model), ASSUMED_VERSION)) != one.version
    )


def rows(session: Session, host_models: Iterable[str] | None = None) -> Sequence[ModelVersionRow]:
    """The versions that plans use, of all host models or of some."""
    query = select(ModelVersionRow).where(ModelVersionRow.state == "promoted")
    if host_models is not None:
        query = query.where(ModelVersionRow.host_model.in_(list(host_models)))
    return session.scalars(query.order_by(ModelVersionRow.host_model, ModelVersionRow.nf_type)).all()
