"""Reads the fleet, whole or some hosts of it, as the engine wants it, or as it was kept."""

from collections.abc import Sequence
from datetime import datetime

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.outcomes import trusting
from sextant_backend.modules.snapshots import repository
from sextant_backend.modules.snapshots.packing import unpack


def take(session: Session) -> FleetSnapshot:
    """The fleet at this moment."""
    now = db_now(session)
    return _of(session, now, hosts.snapshots(session, now), chains.specs(session))


def narrow(
    session: Session, names: Sequence[str], more: Sequence[str] = (), without: str | None = None
) -> FleetSnapshot:
    """Some hosts with the chains that run there and `more`: enough for figures and plans of these hosts alone.

    Chain `without`, which is to be removed, is not in it any more.
    """
    now = db_now(session)
    found = hosts.snapshots(session, now, names)
    running = {chain.chain for host in found for chain in host.content.chains}
    return _of(session, now, found, chains.specs(session, {*running, *more} - {without}))


def compared(session: Session, comparison_id: int) -> FleetSnapshot | None:
    """That of a comparison; None where it is not kept any more."""
    packed = repository.compared(session, comparison_id)
    return None if packed is None else unpack(packed)


def _of(
    session: Session, now: datetime, found: tuple[HostSnapshot, ...], specs: tuple[ChainSpec, ...]
) -> FleetSnapshot:
    nf_types = types.every(session)
    inventories = [host.inventory for host in found]
    models = in_use.models(session, in_use.cores_of(inventories), nf_types)
    shares = {one.host_model: one.shares_cores for one in inventories}
    tested = trusting.tested(session, trusting.keys(models, shares))
    return FleetSnapshot(
        taken_at=now,
        hosts=found,
        chains=specs,
        nf_types=nf_types,
        models=models,
        trust=tuple(tested.values()),
        spreads=trusting.spreads(session, shares),
    )
