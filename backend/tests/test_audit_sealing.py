"""Sealing in the real database: no row is passed over, tampering is found by row, old rows go by whole batches."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit import db
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.signing import SigningProblem, is_signed, make_signing_key, signing_key
from sextant_backend.modules.audit import sealing, seals
from sextant_backend.modules.audit import service as audit
from sextant_backend.settings import Settings, get_settings
from sextant_domain.console.audit_seal import (
    MOST_ROWS,
    AuditBatch,
    AuditBatchRows,
    AuditSeal,
    Mismatch,
    row_mismatches,
    seal_mismatches,
    statement_of,
)
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session


@pytest.fixture
def key_file(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "audit.key"
    make_signing_key(path)
    monkeypatch.setenv("SEXTANT_AUDIT_KEY_FILE", str(path))
    get_settings.cache_clear()
    yield path
    monkeypatch.undo()
    get_settings.cache_clear()


def write(*subjects: str) -> None:
    with session_scope() as session:
        for subject in subjects:
            audit.record(session, "ada", "test.note", subject)


def execute(statement: str, **values: Any) -> None:
    """As somebody who may write to the database past Sextant."""
    with session_scope() as session:
        session.execute(text(statement), values)


def numbers_sealed() -> list[tuple[int, int]]:
    """(batch, entry), in the order of the trees."""
    with session_scope() as session:
        rows = session.execute(text("SELECT batch, entry_id FROM audit_leaves ORDER BY batch, position"))
        return [(row[0], row[1]) for row in rows]


def is_valid(batch: AuditBatch) -> bool:
    return is_signed(bytes.fromhex(batch.public_key), bytes.fromhex(batch.signature), statement_of(batch))


def mismatches() -> list[Mismatch]:
    """As `sextant audit verify` finds them."""
    found: list[Mismatch] = []
    with session_scope() as session:
        before = None
        for row in reversed(seals.batches(session, seals.BATCH_ORDER.first(100), None).rows):
            whole = audit.batch_rows(session, row.number)
            found += [*seal_mismatches(whole.batch, before, is_valid), *row_mismatches(whole)]
            before = whole.batch
    return found


def states(client: TestClient) -> list[tuple[int, str]]:
    return [(one["entry_id"], one["state"]) for one in client.get(f"{API}/audit/unsealed").json()["items"]]


def test_rows_are_sealed_in_a_chain_of_signed_batches(key_file: Path) -> None:
    write("a", "b", "c")
    assert sealing.turn() == 1
    write("d")
    assert (sealing.turn(), sealing.turn()) == (1, 0), "nothing waits after that"
    assert numbers_sealed() == [(1, 1), (1, 2), (1, 3), (2, 4)]
    assert mismatches() == []
    with session_scope() as session:
        newest, waiting = audit.seal(session).batch, audit.seal(session).waiting
    assert newest is not None and (newest.number, newest.rows, waiting) == (2, 1, 0)
    other = newest.model_copy(update={"rows": 2})
    assert is_valid(newest) and not is_valid(other)


def test_a_batch_is_no_larger_than_one_answer(key_file: Path) -> None:
    write(*(str(number) for number in range(MOST_ROWS + 1)))
    assert sealing.turn() == 2
    with session_scope() as session:
        assert [row.rows for row in seals.batches(session, seals.BATCH_ORDER.first(10), None).rows] == [1, MOST_ROWS]
    assert mismatches() == []


def test_a_row_of_a_transaction_that_ends_late_is_not_lost(key_file: Path) -> None:
    """It has number 1, and the row after it is sealed before it is there."""
    with db.session_factory()() as slow:
        audit.record(slow, "ada", "test.note", "slow")
        slow.flush()
        write("quick")
        assert sealing.turn() == 1
        assert numbers_sealed() == [(1, 2)]
        slow.commit()
    assert sealing.turn() == 1
    assert numbers_sealed() == [(1, 2), (2, 1)]
    assert mismatches() == []


def test_a_row_that_was_rolled_back_waits_for_nothing(key_file: Path, client: TestClient) -> None:
    sealing.turn()
    with db.session_factory()() as session:
        audit.record(session, "ada", "test.note", "never")
        session.flush()
        session.rollback()
    assert (sealing.turn(), states(client)) == (0, [])


def test_writers_do_not_wait_for_whoever_seals(key_file: Path) -> None:
    """The turn is held open while another transaction writes and commits, and a second one that would seal gives up."""
    write("a")
    with session_scope() as session:
        assert seals.take_turn(session)
        sealing.seal(session, signing_key(key_file))
        write("b")
        assert sealing.turn() == 0
    assert sealing.turn() == 1
    assert numbers_sealed() == [(1, 1), (2, 2)]


def test_many_writers_and_two_who_seal_leave_each_row_in_one_batch(key_file: Path) -> None:
    ended = threading.Event()

    def seal_on() -> None:
        while not ended.is_set():
            sealing.turn()

    sealers = [threading.Thread(target=seal_on) for _ in range(2)]
    writers = [threading.Thread(target=lambda: [write("x") for _ in range(25)]) for _ in range(4)]
    for thread in (*sealers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in sealers:
        thread.join()
    sealing.turn()
    assert sorted(entry for _, entry in numbers_sealed()) == list(range(1, 101))
    assert mismatches() == []


CHANGE = "UPDATE audit_entries SET actor = 'eve' WHERE id = 2"


@pytest.mark.parametrize(
    ("tampering", "batch", "entry"),
    [
        (CHANGE, 1, 2),
        ("UPDATE audit_entries SET at = at - interval '1 microsecond' WHERE id = 3", 1, 3),
        ("UPDATE audit_entries SET after = '{\"rate\": 1}' WHERE id = 4", 2, 4),
        ("DELETE FROM audit_entries WHERE id = 1", 1, 1),
        ("DELETE FROM audit_leaves WHERE entry_id = 3", 1, None),
        ("UPDATE audit_batches SET root = sha256('x') WHERE number = 2", 2, None),
        ("UPDATE audit_batches SET signature = signature || 'x' WHERE number = 2", 2, None),
        ("UPDATE audit_batches SET sealed_at = sealed_at + interval '1 day' WHERE number = 1", 1, None),
        ("WITH gone AS (DELETE FROM audit_leaves WHERE batch = 2) DELETE FROM audit_batches WHERE number = 2", 2, None),
        ("UPDATE audit_leaves SET batch = 2, position = 1 WHERE entry_id = 3", 1, None),
    ],
)
def test_the_first_batch_and_row_that_do_not_match_are_named(
    key_file: Path, tampering: str, batch: int, entry: int | None
) -> None:
    write("a", "b", "c")
    sealing.turn()
    write("d")
    sealing.turn()
    write("e")
    sealing.turn()
    assert mismatches() == []
    with session_scope() as session:
        session.execute(text("SET LOCAL session_replication_role = replica"))
        session.execute(text(tampering))
    first = mismatches()[0]
    assert (first.batch, first.entry_id) == (batch, entry)


def test_rows_past_sextant_are_told_from_new_ones(key_file: Path, client: TestClient) -> None:
    """Without the trigger a row neither waits nor is sealed; one that goes before it is sealed is missed."""
    sealing.turn()
    with session_scope() as session:
        session.execute(text("SET LOCAL session_replication_role = replica"))
        audit.record(session, "eve", "test.note", "smuggled")
    write("removed", "new")
    with session_scope() as session:
        smuggled, removed, new = session.scalars(
            text("SELECT id FROM audit_entries WHERE action = 'test.note' ORDER BY id")
        ).all()
    execute("DELETE FROM audit_entries WHERE id = :id", id=removed)
    assert states(client) == [(smuggled, "unaccounted"), (removed, "removed"), (new, "waiting")]
    assert sealing.turn() == 1
    assert states(client) == [(smuggled, "unaccounted"), (removed, "removed")]


def test_the_api_shows_seals_and_what_they_are_over(key_file: Path, client: TestClient) -> None:
    write("a", "b")
    waiting = AuditSeal.model_validate(client.get(f"{API}/audit/seal").json())
    assert waiting.batch is None and waiting.waiting_since is not None
    sealing.turn()
    write("c")
    seal = AuditSeal.model_validate(client.get(f"{API}/audit/seal").json())
    assert seal.batch is not None and (seal.batch.number, seal.waiting) == (1, 1)
    whole = AuditBatchRows.model_validate(client.get(f"{API}/audit/batches/1").json())
    assert whole.batch == seal.batch and list(row_mismatches(whole)) == []
    assert [one["number"] for one in client.get(f"{API}/audit/batches").json()["items"]] == [1]
    entries = client.get(f"{API}/audit", params={"action": "test.note"}).json()["items"]
    assert [one["batch"] for one in entries] == [None, 1, 1]
    assert client.get(f"{API}/audit/batches/2").status_code == 404


def _aged(days: int, *batches: int) -> None:
    """These batches, and their rows, are so much older, with seals as if they had been made then."""
    execute("UPDATE audit_batches SET last_at = last_at - make_interval(days => :d) WHERE number = ANY(:n)",
            d=days, n=list(batches))  # fmt: skip


def test_whole_batches_go_from_the_oldest_on_and_seals_stay(
    key_file: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four batches: the first two are old, the third is not, the fourth says it were and waits for the third."""
    for subject in "abcd":
        write(subject)
        sealing.turn()
    _aged(31, 1, 2, 4)
    monkeypatch.setattr("sextant_backend.modules.audit.service.get_settings", lambda: _kept_for(30))
    with session_scope() as housekeeping:
        audit.forget_old(housekeeping)
    assert numbers_sealed() == [(3, 3), (4, 4)]
    removed = session.scalars(text("SELECT removed_at IS NOT NULL FROM audit_batches ORDER BY number")).all()
    assert removed == [True, True, False, False]
    left = session.execute(text("SELECT id, action, detail FROM audit_entries ORDER BY id")).all()
    assert [tuple(row) for row in left] == [
        (3, "test.note", {}),
        (4, "test.note", {}),
        (5, "audit.remove", {"batches_up_to": "2", "rows": "2", "days": "30"}),
    ]
    with session_scope() as housekeeping:
        audit.forget_old(housekeeping)
    assert session.scalar(text("SELECT count(*) FROM audit_entries")) == 3, "nothing more is old: no entry of it"


def _kept_for(days: int) -> Settings:
    return get_settings().model_copy(update={"audit_retention_days": days})


def test_rows_that_wait_are_never_removed(key_file: Path, session: Session) -> None:
    write("a")
    execute("UPDATE audit_entries SET at = at - interval '10 years'")
    with session_scope() as housekeeping:
        audit.forget_old(housekeeping)
    assert session.scalar(text("SELECT count(*) FROM audit_entries")) == 1


def test_less_than_thirty_days_are_refused_by_the_database(session: Session) -> None:
    with pytest.raises(DBAPIError, match="at least 30 days, not 29"):
        seals.remove_older(session, 29)


def test_without_a_key_rows_wait(clean: Settings) -> None:
    write("a")
    assert (get_settings().audit_key_file, sealing.turn()) == (None, 0)
    with session_scope() as session:
        assert audit.seal(session).waiting == 1


def test_another_key_goes_on_with_the_chain(key_file: Path) -> None:
    write("a")
    sealing.turn()
    key_file.unlink()
    make_signing_key(key_file)
    write("b")
    sealing.turn()
    with session_scope() as session:
        assert len({row.public_key for row in seals.batches(session, seals.BATCH_ORDER.first(10), None).rows}) == 2
    assert mismatches() == []


@pytest.mark.parametrize("content", ["", "not a key", "ab" * 31, "ab" * 33, "é" * 64])
def test_a_file_that_holds_no_key_is_refused_without_its_content(tmp_path: Path, content: str) -> None:
    file = tmp_path / "audit.key"
    file.write_text(content)
    with pytest.raises(SigningProblem, match="does not hold a key of 64 hexadecimal digits") as refused:
        signing_key(file)
    assert content == "" or content not in str(refused.value)
    with pytest.raises(SigningProblem, match="cannot be read"):
        signing_key(tmp_path / "none")


def test_the_key_is_made_once_and_private(tmp_path: Path) -> None:
    file = tmp_path / "audit.key"
    make_signing_key(file)
    made = file.read_bytes()
    make_signing_key(file)
    assert file.read_bytes() == made
    assert file.stat().st_mode & 0o777 == 0o600
