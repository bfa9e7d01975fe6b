"""Where an NF may be moved, and what that is predicted to do, asked of the engine."""

from sextant_domain.plans.targets import MoveTargets
from sqlalchemy.orm import Session

from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.snapshots import service as snapshots


def of(session: Session, nf_id: str) -> MoveTargets:
    """By its host's newest order; raises NotFound."""
    from sextant_engine.targets import targets_of

    host = nfs.one(session, nf_id).seat.host
    return targets_of(snapshots.narrow(session, [host]), nf_id, host)
