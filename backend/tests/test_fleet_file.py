"""The fleet's file: put together of parts, and always what writing the whole snapshot anew would give."""

import gzip

import large_world
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.kit.db import read_snapshot, session_scope
from sextant_backend.kit.gzip_parts import Part, gzipped
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_backend.modules.snapshots.fleet_file import FleetFile
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy import delete, update

PATH = "/api/v1/fleet/snapshot"


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_parts_that_are_compressed_apart_are_one_file(texts: list[bytes]) -> None:
    """Each is compressed once more after itself, since a part is put where others were before."""
    parts = [Part.of(text) for text in texts for _ in range(2)]
    assert gzip.decompress(gzipped(parts)) == b"".join(text + text for text in texts)


def test_of_no_snapshot_anything_of_the_one_before_is_left(client: TestClient) -> None:
    """40 hosts are a part of 32 and one of 8. A host changes, one in the middle goes, so that all later ones move up,
    a chain changes; and of a part that has not changed the very object is taken again."""
    large_world.fill(40, 300, placed=True)
    held, file = CurrentFleet(), FleetFile()

    def parts() -> tuple[Part, ...]:
        with session_scope() as session, read_snapshot(session):
            snapshot = held.read(session).snapshot
        found = file.parts(snapshot)
        whole = snapshot.model_dump_json().encode()
        assert b"".join(part.plain for part in found) == whole
        assert gzip.decompress(gzipped(found)) == whole
        return found

    first = parts()
    assert len(first) == 1 + 2 + 1 + 2 + 1 + 1, "the moment, hosts, what is between, chains, a bracket, the rest"
    second = parts()
    assert [was is now for was, now in zip(first, second, strict=True)] == [
        False,
        *[True] * 2,
        False,
        *[True] * 2,
        False,
        True,
    ]
    with session_scope() as session:
        session.execute(update(Host).where(Host.host_id == "h0035").values(status="stale"))
    third = parts()
    assert (third[1] is second[1], third[2] is second[2]) == (True, False)
    assert b'"stale"' in third[2].plain and b'"stale"' not in second[2].plain
    with session_scope() as session:
        session.execute(delete(Host).where(Host.host_id == "h0003"))
        session.execute(update(ChainRow).where(ChainRow.name == "c00299").values(deleted_at=ChainRow.created_at))
    fourth = parts()
    assert (fourth[1] is third[1], fourth[4] is third[4], fourth[5] is third[5]) == (False, True, False)
    assert b"h0003" not in b"".join(part.plain for part in fourth[:3])


def test_an_empty_fleet_has_a_file(client: TestClient) -> None:
    with session_scope() as session, read_snapshot(session):
        snapshot = CurrentFleet().read(session).snapshot
    assert (snapshot.hosts, snapshot.chains) == ((), ())
    assert b"".join(part.plain for part in FleetFile().parts(snapshot)) == snapshot.model_dump_json().encode()


def test_who_takes_no_gzip_is_given_the_same_text(client: TestClient) -> None:
    large_world.fill(2, 4, placed=True)
    answers = {coding: client.get(PATH, headers={"Accept-Encoding": coding}) for coding in ("gzip", "identity")}
    assert [answer.headers.get("content-encoding") for answer in answers.values()] == ["gzip", None]
    assert {answer.headers["vary"] for answer in answers.values()} == {"Accept-Encoding"}
    zipped, plain = (FleetSnapshot.model_validate_json(answer.content) for answer in answers.values())
    assert zipped.model_copy(update={"taken_at": plain.taken_at}) == plain
    assert len(plain.hosts) == 2
