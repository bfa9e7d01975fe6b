"""Where an NF may be moved, and what that is predicted to do, asked of the engine."""

from sextant_domain.plans.targets import MoveTargets
from sqlalchemy.orm import Session

from sextant_backend.kit.db import read_snapshot
from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.snapshots import service as snapshots


def of(session: Session, nf_id: str) -> MoveTargets:
    """By its host's newest order; raises NotFound. One host in one snapshot, computed in no transaction."""
    from sextant_engine.targets import targets_of

    with read_snapshot(session):
        host = nfs.one(session, nf_id).seat.host
        snapshot = snapshots.narrow(session, [host])
    return targets_of(snapshot, nf_id, host)
