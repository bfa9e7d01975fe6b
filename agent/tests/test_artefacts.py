"""The folder of files: whole or not there, bounded, and forgetting what no order names."""

import errno
import hashlib
import os
import stat
from pathlib import Path

import pytest
from sextant_agent.orders.artefacts import FOLDER, KEPT_FREE_BYTES, ArtefactStore
from sextant_agent.orders.problems import AgentProblem, ArtefactNotWritten, DiskFull, RequestTooLarge, WrongDigest
from sextant_domain.hosts.artefact import MOST_BYTES

NOTHING: frozenset[str] = frozenset()


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def put(store: ArtefactStore, content: bytes, digest: str | None = None) -> str:
    digest = digest or digest_of(content)
    with store.receive(digest, len(content)) as place:
        for at in range(0, len(content), 3):
            place.write(content[at : at + 3])
        place.finish()
    return digest


def names(state: Path) -> list[str]:
    return sorted(path.name for path in (state / FOLDER).iterdir())


def test_a_file_lies_under_its_digits_for_its_owner_alone(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    digest = put(store, b"10.0.0.0/8 1\n")
    assert store.held() == {digest}
    file = tmp_path / FOLDER / digest.removeprefix("sha256:")
    assert file.read_bytes() == b"10.0.0.0/8 1\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    put(store, b"10.0.0.0/8 1\n")
    assert names(tmp_path) == [digest.removeprefix("sha256:")], "the same file again changes nothing"


def test_other_bytes_than_announced_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    with pytest.raises(WrongDigest, match=digest_of(b"altered")):
        put(store, b"altered", digest_of(b"announced"))
    assert names(tmp_path) == []


def test_a_file_that_broke_off_leaves_nothing(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    with store.receive(digest_of(b"whole"), 5) as place:
        place.write(b"who")
        assert len(names(tmp_path)) == 1
    assert names(tmp_path) == []


def test_what_a_killed_agent_left_half_is_removed_by_the_next(tmp_path: Path) -> None:
    digest = put(ArtefactStore(tmp_path, NOTHING), b"whole")
    (tmp_path / FOLDER / f".{'0' * 64}.abcd.new").write_bytes(b"half")
    assert ArtefactStore(tmp_path, NOTHING).held() == {digest}
    assert names(tmp_path) == [digest.removeprefix("sha256:")]


def test_size_is_bounded_by_word_and_by_deed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    with pytest.raises(RequestTooLarge, match=str(MOST_BYTES)):
        store.receive(digest_of(b""), MOST_BYTES + 1)
    monkeypatch.setattr("sextant_agent.orders.artefacts.MOST_BYTES", 10)
    with pytest.raises(RequestTooLarge):
        put(store, b"eleven byte")
    assert names(tmp_path) == []


def test_room_for_the_ledger_is_left(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING, free=lambda _: KEPT_FREE_BYTES + 100)
    put(store, b"x" * 100)
    with pytest.raises(DiskFull, match=f"{KEPT_FREE_BYTES + 100} bytes free; the file has 101"):
        store.receive(digest_of(b""), 101)


@pytest.mark.parametrize(("number", "problem"), [(errno.ENOSPC, DiskFull), (errno.EIO, ArtefactNotWritten)])
@pytest.mark.parametrize("call", ["write", "fsync", "open"])
def test_a_disk_that_fails_is_reported_in_words_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, problem: type[AgentProblem], call: str
) -> None:
    store = ArtefactStore(tmp_path, NOTHING)

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(f"sextant_agent.orders.artefacts.os.{call}", fail)
    with pytest.raises(problem, match=f"{os.strerror(number)}. Nothing of the file was kept"):
        put(store, b"content")
    monkeypatch.undo()
    assert names(tmp_path) == []
    put(store, b"content")


def test_kept_are_the_files_of_the_order_and_of_the_one_before(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    first, second, third = (put(store, text) for text in (b"first", b"second", b"third"))
    store.ordered(frozenset({first}))
    store.forget_unnamed()
    assert store.held() == {first}

    second = put(store, b"second")
    store.forget_unnamed()
    assert store.held() == {first, second}, "it came after the order: the next one will name it"
    store.ordered(frozenset({second}))
    store.forget_unnamed()
    assert store.held() == {first, second}, "a rollback needs no sending"

    again = ArtefactStore(tmp_path, frozenset({second}))
    third = put(again, b"third")
    again.ordered(frozenset({third}))
    again.forget_unnamed()
    assert again.held() == {second, third}


def test_a_restarted_agent_keeps_what_the_order_before_named(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    first, second = put(store, b"first"), put(store, b"second")
    store.ordered(frozenset({first}))
    store.ordered(frozenset({second}))
    again = ArtefactStore(tmp_path, frozenset({second}))
    put(again, b"never ordered")
    again.forget_unnamed()
    assert len(again.held()) == 3, "what is there at the start may be on its way to an order"
    again.ordered(frozenset({second}))
    again.forget_unnamed()
    assert again.held() == {second}


@pytest.mark.parametrize("note", [b"", b"[]", b'{"current": 7, "previous": []}', b"\xff"])
def test_a_damaged_note_costs_a_sending_and_no_more(tmp_path: Path, note: bytes) -> None:
    digest = put(ArtefactStore(tmp_path, NOTHING), b"first")
    (tmp_path / "artefact-orders.json").write_bytes(note)
    assert ArtefactStore(tmp_path, NOTHING).held() == {digest}


def test_a_folder_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    store = ArtefactStore(tmp_path, NOTHING)
    (tmp_path / FOLDER).rmdir()
    assert store.held() == NOTHING
    put(store, b"back")
