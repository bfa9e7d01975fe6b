"""Verify the audit log: compute every seal again from the rows that the console shows, on this side of the wire."""

from collections.abc import Iterator
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sextant_domain.console.audit_seal import (
    AuditBatch,
    AuditBatchRows,
    Mismatch,
    UnsealedEntry,
    UnsealedState,
    digest_of_statement,
    row_mismatches,
    seal_mismatches,
    statement_of,
)

from sextant_cli.client import path_of
from sextant_cli.session import Session, read, read_all

PROGRESS_EVERY = 100


@dataclass(frozen=True)
class KnownSeal:
    """A seal that somebody noted before: a batch and its digest."""

    number: int
    digest: str


@dataclass
class Verification:
    """What was found."""

    batches: int = 0
    rows: int = 0
    removed_batches: int = 0
    """Of which the rows are gone, as old as they are kept."""
    waiting: int = 0
    newest: AuditBatch | None = None
    mismatch: Mismatch | None = None
    """The first."""


def verify(session: Session, key: str | None, known: KnownSeal | None) -> Verification:
    """All of the log, until something does not match. `key`: the public key that must have signed every batch."""
    done = Verification()
    seals = read_all(AuditBatch, session.api.pages(path_of("audit", "batches")))[::-1]
    done.mismatch = next(_mismatches(session, done, seals, key, known), None)
    return done


def _mismatches(
    session: Session, done: Verification, seals: list[AuditBatch], key: str | None, known: KnownSeal | None
) -> Iterator[Mismatch]:
    if known is not None:
        yield from _not_as_noted(seals, known)
    before = None
    for seal in seals:
        yield from seal_mismatches(seal, before, is_signed)
        if key is not None and seal.public_key != key:
            yield Mismatch(seal.number, None, f"batch {seal.number} is signed by another key, {seal.public_key}")
        if seal.removed_at is None:
            yield from _of_rows(session, done, seal)
        elif before is not None and before.removed_at is None:
            yield Mismatch(seal.number, None, f"rows of batch {seal.number} were removed before older ones")
        else:
            done.removed_batches += 1
        done.batches, done.newest, before = done.batches + 1, seal, seal
        if done.batches % PROGRESS_EVERY == 0:
            session.out.progress(f"{done.batches} of {len(seals)} batches, {done.rows} rows")
    yield from _unsealed(session, done)


def _of_rows(session: Session, done: Verification, seal: AuditBatch) -> Iterator[Mismatch]:
    found = read(AuditBatchRows, session.api.get(path_of("audit", "batches", seal.number)).body)
    yield from row_mismatches(found.model_copy(update={"batch": seal}))
    done.rows += len(found.entries)


def _not_as_noted(seals: list[AuditBatch], known: KnownSeal) -> Iterator[Mismatch]:
    found = next((seal for seal in seals if seal.number == known.number), None)
    if found is None:
        yield Mismatch(known.number, None, f"batch {known.number}, which was noted, is missing")
    elif digest_of_statement(statement_of(found)) != known.digest:
        yield Mismatch(known.number, None, f"batch {known.number} is not the one that was noted")


def _unsealed(session: Session, done: Verification) -> Iterator[Mismatch]:
    """Read last: a row that came meanwhile waits."""
    following = 1 if done.newest is None else done.newest.number + 1
    for one in read_all(UnsealedEntry, session.api.pages(path_of("audit", "unsealed"))):
        if one.state is UnsealedState.REMOVED:
            yield Mismatch(following, one.entry_id, f"entry {one.entry_id} was removed before it was sealed")
        elif one.state is UnsealedState.UNACCOUNTED:
            text = f"entry {one.entry_id} is in no batch and does not wait for one: it was added past Sextant"
            yield Mismatch(following, one.entry_id, text)
        else:
            done.waiting += 1


def is_signed(batch: AuditBatch) -> bool:
    """Whether the signature is of what the batch says, by the key that it names."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(batch.public_key))
        key.verify(bytes.fromhex(batch.signature), statement_of(batch))
    except (InvalidSignature, ValueError):
        return False
    return True
