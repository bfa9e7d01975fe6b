"""Queries of measured shares."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sextant_domain.hosts.measured_shares import SharesState
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit.measured_versions import MeasuredVersions
from sextant_backend.modules.shares.models import SharesRow

VERSIONS = MeasuredVersions(SharesRow, "shares")


@dataclass(frozen=True, slots=True)
class SharesInUse:
    """A version that is in use."""

    host_model: str
    nf_type: str
    shares_id: int
    nf_version: int
    line: dict[str, Any] | None
    """None: it is in use for its hops alone."""
    hops: list[dict[str, Any]] | None


def in_use(session: Session, host_models: Collection[str]) -> Sequence[SharesInUse]:
    """Those in use on these host models."""
    if not host_models:
        return ()
    row = SharesRow
    measured = row.measured["line"], row.measured["hops"]
    query = select(row.host_model, row.nf_type, row.id, row.nf_version, *measured)
    query = query.where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    return [SharesInUse(*fields) for fields in session.execute(query)]
