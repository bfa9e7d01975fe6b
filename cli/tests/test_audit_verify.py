"""`sextant audit verify`: computes seals of real keys again, and names the first batch and row that do not match."""

import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sextant_domain.console.audit_seal import (
    FIRST,
    AuditBatch,
    AuditBatchRows,
    AuditLeaf,
    UnsealedEntry,
    UnsealedState,
    digest_of_statement,
    leaf_hash,
    root_of,
    row_bytes,
    statement,
)

from .answers import AUDIT, NOW

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw().hex()


def sealed(number: int, ids: range, previous: str) -> AuditBatchRows:
    entries = tuple(AUDIT[0].model_copy(update={"id": one}) for one in ids)
    leaves = [leaf_hash(row_bytes(entry)) for entry in entries]
    said = {
        "number": number,
        "rows": len(entries),
        "first_id": ids[0],
        "last_id": ids[-1],
        "root": root_of(leaves).hex(),
        "previous": previous,
        "sealed_at": NOW + timedelta(minutes=number),
    }
    signed = statement(**said)
    batch = AuditBatch(
        **said,
        public_key=PUBLIC,
        signature=KEY.sign(signed).hex(),
        digest=digest_of_statement(signed),
        removed_at=None,
    )
    hashes = tuple(AuditLeaf(entry_id=one, hash=leaf.hex()) for one, leaf in zip(ids, leaves, strict=True))
    return AuditBatchRows(batch=batch, leaves=hashes, entries=entries)


@pytest.fixture
def log(console):
    """Three batches, of three, two and one rows; one row waits."""
    previous = FIRST
    for number, ids in enumerate((range(1, 4), range(4, 6), range(6, 7)), start=1):
        console.sealed.append(sealed(number, ids, previous))
        previous = console.sealed[-1].batch.digest
    console.unsealed = [UnsealedEntry(entry_id=7, state=UnsealedState.WAITING)]
    return console


def test_a_log_as_it_was_sealed(sextant, log) -> None:
    done = sextant("audit", "verify", "--key", PUBLIC)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "6 rows in 3 batches match; 1 wait to be sealed"
    assert lines[1] == "sealed up to 2026-01-02 03:07:05 UTC"
    assert lines[2] == f"note elsewhere: --seal 3:{log.sealed[2].batch.digest}"


def test_an_empty_log_matches(sextant) -> None:
    assert sextant("audit", "verify").stdout.startswith("0 rows in 0 batches match")


def test_a_changed_row_is_named(sextant, log) -> None:
    first, changed = log.sealed[1].entries
    entries = (first, changed.model_copy(update={"actor": "eve"}))
    log.sealed[1] = log.sealed[1].model_copy(update={"entries": entries})
    done = sextant("audit", "verify")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "batch 2: entry 5 was changed after it was sealed",
        "1 batches before it match",
    ]
    body = json.loads(sextant("audit", "verify", "-o", "json").stdout)
    assert (body["matches"], body["mismatch"]["batch"], body["mismatch"]["entry_id"]) == (False, 2, 5)


def test_a_seal_made_again_by_whoever_has_no_key_is_found(sextant, log) -> None:
    forged = sealed(3, range(8, 9), log.sealed[1].batch.digest)
    signature = log.sealed[2].batch.signature
    log.sealed[2] = forged.model_copy(update={"batch": forged.batch.model_copy(update={"signature": signature})})
    assert "the signature of batch 3" in sextant("audit", "verify").stdout


def test_a_log_made_again_under_another_key_is_found_by_the_key(sextant, log) -> None:
    other = "00" * 32
    done = sextant("audit", "verify", "--key", other)
    assert (done.exit_code, "batch 1 is signed by another key" in done.stdout) == (1, True)


def test_a_noted_seal_tells_a_log_that_was_cut_short(sextant, log) -> None:
    """What is left is a whole chain: only somebody who remembers can tell."""
    noted = f"3:{log.sealed[2].batch.digest}"
    assert sextant("audit", "verify", "--seal", noted).exit_code == 0
    last = log.sealed.pop()
    assert sextant("audit", "verify").exit_code == 0
    assert "batch 3, which was noted, is missing" in sextant("audit", "verify", "--seal", noted).stdout
    log.sealed.append(sealed(3, range(6, 8), log.sealed[1].batch.digest))
    assert log.sealed[2].batch.digest != last.batch.digest
    assert "batch 3 is not the one that was noted" in sextant("audit", "verify", "--seal", noted).stdout


@pytest.mark.parametrize("seal", ["3", "3:abc", f"x:{'0' * 64}"])
def test_what_is_no_seal_is_refused(sextant, seal: str) -> None:
    assert sextant("audit", "verify", "--seal", seal).exit_code == 2


def test_rows_removed_by_age_leave_seals_that_hold(sextant, log) -> None:
    gone = log.sealed[0]
    aged = gone.batch.model_copy(update={"removed_at": NOW})
    log.sealed[0] = AuditBatchRows(batch=aged, leaves=(), entries=())
    done = sextant("audit", "verify")
    assert done.stdout.startswith("3 rows in 3 batches match, the rows of 1 were removed by age")
    log.sealed[0] = gone
    later = log.sealed[1].batch.model_copy(update={"removed_at": NOW})
    log.sealed[1] = AuditBatchRows(batch=later, leaves=(), entries=())
    assert "rows of batch 2 were removed before older ones" in sextant("audit", "verify").stdout


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (UnsealedState.REMOVED, "batch 4: entry 9 was removed before it was sealed"),
        (UnsealedState.UNACCOUNTED, "batch 4: entry 9 is in no batch and does not wait for one"),
    ],
)
def test_rows_past_the_seals_are_named(sextant, log, state: UnsealedState, text: str) -> None:
    log.unsealed.append(UnsealedEntry(entry_id=9, state=state))
    done = sextant("audit", "verify")
    assert done.exit_code == 1 and done.stdout.startswith(text)


def test_seals_are_listed(sextant, log) -> None:
    header, newest, *_ = sextant("audit", "seals").stdout.splitlines()
    assert header.split() == ["BATCH", "SEALED", "ROWS", "ENTRIES", "REMOVED", "DIGEST"]
    assert newest.split()[0] == "3" and "6 to 6" in newest
