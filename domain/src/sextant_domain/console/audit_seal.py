"""Sealed batches of the audit log: a tree of hashes over a batch's rows (RFC 6962, section 2.1), its root chained to
the batch before and signed. Whoever reads the rows can compute all of it again.

A leaf is SHA-256(0x00 || row), a node SHA-256(0x01 || left || right): no row can be passed off as a node.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import StringConstraints

from sextant_domain.base import Frozen
from sextant_domain.console.audit import AuditEntry

LEAF, NODE = b"\x00", b"\x01"
ROW_FORMAT = "sextant-audit-row-1"
BATCH_FORMAT = "sextant-audit-batch-1"
MOST_ROWS = 200
"""Of a batch: it is read as one answer."""
FIRST = "0" * 64
"""In the place of the batch before the first."""
_ROW_FIELDS = frozenset(
    {
        "id", "actor", "actor_kind", "token", "action", "subject", "object_name", "request_id", "detail", "before",
        "after",
    }
)  # fmt: skip

Hex = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2})*$")]
"""Bytes as hexadecimal digits. Of any number: what somebody has tampered with is to be shown, too."""


class AuditBatch(Frozen):
    """Rows that are sealed together. The digest covers every field but key, signature and `removed_at`."""

    number: int
    rows: int
    first_id: int
    last_id: int
    """Ids of rows rise, but another batch may hold one between: of a transaction that ended later."""
    root: Hex
    previous: Hex
    """Digest of the batch before; zeros of the first."""
    sealed_at: datetime
    """By the database's clock."""
    public_key: Hex
    """Ed25519: 32 bytes."""
    signature: Hex
    """Of the statement, by that key: 64 bytes."""
    digest: Hex
    removed_at: datetime | None
    """When its rows were removed, as old as the installation keeps them; the seal stays."""


class AuditLeaf(Frozen):
    """The hash of a row, as it was sealed."""

    entry_id: int
    hash: Hex


class AuditBatchRows(Frozen):
    """A batch with all that its seal is over."""

    batch: AuditBatch
    leaves: tuple[AuditLeaf, ...]
    """In the order of the tree."""
    entries: tuple[AuditEntry, ...]
    """Those of the leaves' rows that are there, by id."""


class UnsealedState(StrEnum):
    """Why a row is in no batch."""

    WAITING = "waiting"
    """It is new."""
    REMOVED = "removed"
    """It waits to be sealed, and is not there any more."""
    UNACCOUNTED = "unaccounted"
    """It neither waits nor is sealed: it was put there past Sextant, or its batch was removed."""


class UnsealedEntry(Frozen):
    """A row that is in no batch."""

    entry_id: int
    state: UnsealedState


class AuditSeal(Frozen):
    """How far the log is sealed."""

    batch: AuditBatch | None
    """The newest; None while there is none."""
    waiting: int
    """Rows that are in no batch yet."""
    waiting_since: datetime | None
    """When the oldest of them was written."""


def row_bytes(entry: AuditEntry) -> bytes:
    """What is hashed of a row: equal for equal rows in every process."""
    fields = entry.model_dump(mode="json", include=set(_ROW_FIELDS))
    return _canonical({"format": ROW_FORMAT, "at": _moment(entry.at), **fields})


def leaf_hash(row: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(LEAF + row).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root over hashes of leaves: left takes the largest power of two below their number. Raises ValueError for
    none."""
    if not leaves:
        raise ValueError("a batch has at least one row")
    if len(leaves) == 1:
        return leaves[0]
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(NODE + root_of(leaves[:left]) + root_of(leaves[left:])).digest()


def statement(
    *, number: int, rows: int, first_id: int, last_id: int, root: str, previous: str, sealed_at: datetime
) -> bytes:
    """What is signed of a batch."""
    return _canonical(
        {
            "format": BATCH_FORMAT,
            "number": number,
            "rows": rows,
            "first_id": first_id,
            "last_id": last_id,
            "root": root,
            "previous": previous,
            "sealed_at": _moment(sealed_at),
        }
    )


def statement_of(batch: AuditBatch) -> bytes:
    """The same, of a batch that is there."""
    return statement(
        number=batch.number,
        rows=batch.rows,
        first_id=batch.first_id,
        last_id=batch.last_id,
        root=batch.root,
        previous=batch.previous,
        sealed_at=batch.sealed_at,
    )


def digest_of_statement(signed: bytes) -> str:
    """By which the next batch names this one."""
    return hashlib.sha256(signed).hexdigest()


@dataclass(frozen=True)
class Mismatch:
    """Something that is not as it was sealed."""

    batch: int
    entry_id: int | None
    """None where it is the batch itself."""
    text: str


Signed = Callable[[AuditBatch], bool]
"""Whether a batch's signature is of its statement, by its key."""


def seal_mismatches(batch: AuditBatch, before: AuditBatch | None, signed: Signed) -> Iterator[Mismatch]:
    """What is wrong with a seal, given the one before it. `before`: None of the first."""
    expected = 1 if before is None else before.number + 1
    if batch.number != expected:
        yield Mismatch(expected, None, f"batch {expected} is missing: batch {batch.number} follows")
    elif batch.previous != (FIRST if before is None else digest_of_statement(statement_of(before))):
        yield Mismatch(batch.number, None, f"batch {batch.number} does not name the batch before it by its digest")
    if not signed(batch):
        yield Mismatch(batch.number, None, f"the signature of batch {batch.number} is not of what the batch says")


def row_mismatches(found: AuditBatchRows) -> Iterator[Mismatch]:
    """Rows of a batch that are not as they were sealed: changed, missing or added."""
    batch, entries = found.batch, {entry.id: entry for entry in found.entries}
    for leaf in found.leaves:
        entry = entries.pop(leaf.entry_id, None)
        if entry is None:
            yield Mismatch(batch.number, leaf.entry_id, f"entry {leaf.entry_id} is missing")
        elif leaf_hash(row_bytes(entry)).hex() != leaf.hash:
            yield Mismatch(batch.number, leaf.entry_id, f"entry {leaf.entry_id} was changed after it was sealed")
    for number in entries:
        yield Mismatch(batch.number, number, f"entry {number} was added after batch {batch.number} was sealed")
    yield from _tree_mismatches(found)


def _tree_mismatches(found: AuditBatchRows) -> Iterator[Mismatch]:
    """The hashes are stored beside the rows, to name a row by; the root says whether they are those of then."""
    batch, count = found.batch, len(found.leaves)
    if count < batch.rows:
        yield Mismatch(batch.number, None, f"{batch.rows - count} of {batch.rows} hashes of rows are missing")
    elif count > batch.rows:
        yield Mismatch(batch.number, None, f"{count - batch.rows} rows were added to the {batch.rows} that were sealed")
    elif root_of([bytes.fromhex(leaf.hash) for leaf in found.leaves]).hex() != batch.root:
        yield Mismatch(batch.number, None, "rows were changed together with their hashes: the root is another")


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _canonical(value: dict[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
