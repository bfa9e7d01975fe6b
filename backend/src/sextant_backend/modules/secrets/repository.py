"""Queries of secrets."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.orm import Session

from sextant_backend.modules.secrets.models import SecretRow

_NAMED = r"'secret:[0-9a-f]{32}'"
_IN_USE = text(
    f"""
    SELECT (regexp_matches(named.text, {_NAMED}, 'g'))[1] FROM (
        SELECT spec::text AS text FROM chains WHERE deleted_at IS NULL
        UNION ALL SELECT desired::text FROM hosts
        UNION ALL SELECT config::text FROM notification_channels WHERE deleted_at IS NULL
        UNION ALL SELECT target || former FROM operation_hosts WHERE holding
        UNION ALL SELECT body FROM plans WHERE state IN ('proposed', 'applying') AND body LIKE '%"secret:%'
        UNION ALL SELECT client_secret FROM identity_provider
    ) AS named
    """  # noqa: S608 - of constants
)
"""Whatever can still be ordered or undone, and channels that alerts are sent to."""


def of(session: Session, references: Iterable[str]) -> Sequence[SecretRow]:
    """Those that are stored."""
    return session.scalars(select(SecretRow).where(SecretRow.reference.in_(list(references)))).all()


def known(session: Session, references: Iterable[str]) -> frozenset[str]:
    """Those of the references that are stored; from now on they are in use."""
    used = update(SecretRow).where(SecretRow.reference.in_(sorted(references))).values(unused_since=None)
    return frozenset(session.scalars(used.returning(SecretRow.reference)))


def sealed_under_others(session: Session, key_id: str) -> Sequence[SecretRow]:
    """Those that another key than this one opens, locked."""
    return session.scalars(select(SecretRow).where(SecretRow.key_id != key_id).with_for_update()).all()


def note_uses(session: Session) -> None:
    """Mark what nothing names any more, and take the mark from what something names again."""
    rows = session.scalars(select(SecretRow).with_for_update(skip_locked=True)).all()
    used = set(session.scalars(_IN_USE)) if rows else set()  # a fleet's plans are 10 MB each
    for row in rows:
        if row.reference in used:
            row.unused_since = None
        elif row.unused_since is None:
            row.unused_since = func.clock_timestamp()
    session.flush()


def forget_unused(session: Session, for_long: timedelta) -> int:
    """Drop what was marked so long ago; returns how many."""
    old = delete(SecretRow).where(SecretRow.unused_since < func.clock_timestamp() - for_long)
    return len(session.execute(old.returning(SecretRow.reference)).all())
