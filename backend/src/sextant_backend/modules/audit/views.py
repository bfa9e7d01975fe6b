"""Entries and seals as they are read."""

from sextant_domain.console.audit import ActorKind, AuditEntry
from sextant_domain.console.audit_seal import AuditBatch, AuditLeaf, digest_of_statement, statement

from sextant_backend.modules.audit.models import AuditRow, BatchRow, LeafRow


def entry(row: AuditRow, batch: int | None = None) -> AuditEntry:
    """One entry; `batch`: in which it is sealed."""
    return AuditEntry(
        id=row.id,
        at=row.at,
        actor=row.actor,
        actor_kind=ActorKind(row.actor_kind),
        token=row.token,
        action=row.action,
        subject=row.subject,
        object_kind=row.object_kind,
        object_id=row.object_id,
        object_name=row.object_name,
        request_id=row.request_id,
        reason=row.detail.get("reason"),
        detail=row.detail,
        before=row.before,
        after=row.after,
        batch=batch,
    )


def batch(row: BatchRow) -> AuditBatch:
    """The seal of a batch."""
    root, previous = row.root.hex(), row.previous.hex()
    signed = statement(
        number=row.number,
        rows=row.rows,
        first_id=row.first_id,
        last_id=row.last_id,
        root=root,
        previous=previous,
        sealed_at=row.sealed_at,
    )
    return AuditBatch(
        number=row.number,
        rows=row.rows,
        first_id=row.first_id,
        last_id=row.last_id,
        root=root,
        previous=previous,
        sealed_at=row.sealed_at,
        public_key=row.public_key.hex(),
        signature=row.signature.hex(),
        digest=digest_of_statement(signed),
        removed_at=row.removed_at,
    )


def leaf(row: LeafRow) -> AuditLeaf:
    """The hash of an entry."""
    return AuditLeaf(entry_id=row.entry_id, hash=row.hash.hex())
