"""Queries of measured shares."""

from collections.abc import Collection, Sequence
from typing import Any

from sextant_domain.hosts.measured_shares import SharesState
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit.measured_versions import MeasuredVersions
from sextant_backend.modules.shares.models import SharesRow

VERSIONS = MeasuredVersions(SharesRow, "shares")


def lines_in_use(
    session: Session, host_models: Collection[str]
) -> Sequence[tuple[str, str, int, int, dict[str, Any] | None]]:
    """Host model, NF type, id, version of the NF type and line of each in use on these host models; no line where it is
    in use for its hops alone."""
    if not host_models:
        return ()
    row = SharesRow
    query = select(row.host_model, row.nf_type, row.id, row.nf_version, row.measured["line"])
    query = query.where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    return [(model, nf_type, number, version, line) for model, nf_type, number, version, line in session.execute(query)]
