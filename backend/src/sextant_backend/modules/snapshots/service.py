"""Reads the fleet, whole or some hosts of it, as the engine wants it."""

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


def take(session: Session) -> FleetSnapshot:
    """The fleet at this moment."""
    return _of(session, hosts.snapshots(session), chains.specs(session))


def narrow(
    session: Session, names: Sequence[str], more: Sequence[str] = (), without: str | None = None
) -> FleetSnapshot:
    """Some hosts with the chains that run there and `more`: enough for figures and plans of these hosts alone.

    Chain `without`, which is to be removed, is not in it any more.
    """
    found = hosts.snapshots(session, names)
    running = {chain.chain for host in found for chain in host.content.chains}
    return _of(session, found, chains.specs(session, {*running, *more} - {without}))


def _of(session: Session, found: tuple[HostSnapshot, ...], specs: tuple[ChainSpec, ...]) -> FleetSnapshot:
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
