"""Seal what waits, batch by batch, and remove what is older than it is kept for."""

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sextant_domain.console.audit_seal import (
    FIRST,
    MOST_ROWS,
    digest_of_statement,
    leaf_hash,
    root_of,
    row_bytes,
    statement,
)
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.signing import SigningProblem, public_bytes, signing_key
from sextant_backend.modules.audit import seals, views
from sextant_backend.modules.audit.models import BatchRow
from sextant_backend.settings import get_settings

MOST_BATCHES = 50
"""Of one turn: the queue has other tasks."""
_log = structlog.get_logger()


def turn() -> int:
    """Seal all that waits, a transaction a batch; returns how many batches. Nothing without a key: rows wait then."""
    try:
        key = signing_key(get_settings().audit_key_file)
    except SigningProblem as error:
        _log.warning("audit_not_sealed", cause=str(error), next="rows wait until there is a key")
        return 0
    for made in range(MOST_BATCHES):
        with session_scope() as session:
            if not seals.take_turn(session) or seal(session, key) is None:
                return made
    return MOST_BATCHES


def seal(session: Session, key: Ed25519PrivateKey) -> BatchRow | None:
    """The next batch of entries that wait; None where none does. The caller has the turn."""
    rows = seals.waiting(session, MOST_ROWS)
    if not rows:
        return None
    hashes = [(row.id, leaf_hash(row_bytes(views.entry(row)))) for row in rows]
    before = seals.newest_batch(session)
    number, sealed_at = 1 if before is None else before.number + 1, db_now(session)
    root = root_of([content for _, content in hashes])
    previous = FIRST if before is None else views.batch(before).digest
    signed = statement(
        number=number,
        rows=len(rows),
        first_id=rows[0].id,
        last_id=rows[-1].id,
        root=root.hex(),
        previous=previous,
        sealed_at=sealed_at,
    )
    batch = BatchRow(
        number=number,
        rows=len(rows),
        first_id=rows[0].id,
        last_id=rows[-1].id,
        last_at=max(row.at for row in rows),
        root=root,
        previous=bytes.fromhex(previous),
        sealed_at=sealed_at,
        public_key=public_bytes(key),
        signature=key.sign(signed),
    )
    seals.add(session, batch, hashes)
    _log.info("audit_sealed", batch=number, rows=len(rows), digest=digest_of_statement(signed))
    return batch
