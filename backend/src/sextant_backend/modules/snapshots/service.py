"""Reads the fleet, whole or a host of it, as the engine wants it."""

from collections.abc import Sequence

from sextant_domain.chain import ChainSpec
from sextant_domain.model import PerformanceModel
from sextant_domain.snapshot import FleetSnapshot, HostSnapshot
from sextant_engine.parameters import assumed_models
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.nfs.catalogue import CATALOGUE


def take(session: Session, without: str | None = None) -> FleetSnapshot:
    """The fleet at this moment; chain `without`, which is to be removed, is not in it any more."""
    found = hosts.snapshots(session)
    return FleetSnapshot(
        taken_at=db_now(session),
        hosts=found,
        chains=tuple(spec for spec in chains.specs(session) if spec.name != without),
        nf_types=CATALOGUE,
        models=models_of(found),
    )


def narrow(session: Session, host: str, names: Sequence[str]) -> FleetSnapshot | None:
    """One host and those of the chains that live: enough for figures of that host. None before it has reported."""
    found = hosts.snapshots(session, [host])
    if not found:
        return None
    specs: tuple[ChainSpec, ...] = chains.specs(session, names)
    return FleetSnapshot(
        taken_at=db_now(session), hosts=found, chains=specs, nf_types=CATALOGUE, models=models_of(found)
    )


def models_of(found: Sequence[HostSnapshot]) -> tuple[PerformanceModel, ...]:
    """The models of every host model there is."""
    cores: dict[str, int] = {}
    for host in found:
        inventory = host.inventory
        if inventory.host_model not in cores and inventory.nodes:
            cores[inventory.host_model] = max(
                sum(core.node == node.id for core in inventory.cores) for node in inventory.nodes
            )
    return tuple(model for name, a_node in cores.items() for model in assumed_models(name, a_node))
