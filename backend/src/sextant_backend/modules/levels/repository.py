"""Queries of measured levels."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sextant_domain.hosts.measured_levels import LevelsState
from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.measured_versions import MeasuredVersions
from sextant_backend.modules.levels.models import LevelsRow

VERSIONS = MeasuredVersions(LevelsRow, "levels")


class TableMark(NamedTuple):
    """What changes whenever the promoted levels of a host model do. Numbers begin anew in a restored or emptied
    database, moments do not."""

    table_version: int
    decided_at: datetime
    promoted: int
    """How many NF types have promoted levels."""


def next_table_version(session: Session, host_model: str) -> int:
    """Of a (held) host model."""
    newest = select(func.max(LevelsRow.table_version)).filter_by(host_model=host_model)
    return (session.scalar(newest) or 0) + 1


def any_promoted() -> ColumnElement[bool]:
    """Whether `promoted` would find any for some host model."""
    return exists().where(LevelsRow.state == LevelsState.PROMOTED.value)


def marks(session: Session, host_models: Collection[str]) -> dict[str, TableMark]:
    """Of each of these host models of which levels are promoted; one query that reads no levels."""
    row = LevelsRow
    in_use = func.count().filter(row.state == LevelsState.PROMOTED.value)
    query = (
        select(row.host_model, func.max(row.table_version), func.max(row.decided_at), in_use)
        .where(row.host_model.in_(host_models), row.table_version.is_not(None))
        .group_by(row.host_model)
        .having(in_use > 0)
    )
    return {
        name: TableMark(version, decided, count)
        for name, version, decided, count in session.execute(query)
        if version is not None and decided is not None
    }
