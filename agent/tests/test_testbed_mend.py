"""A runner that lies or dies in the middle: what the driver then believes, and what its record says."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.differences import Difference, Kind
from sextant_agent.driver import Failure, HostSample, NfCounters, fingerprint
from sextant_agent.drivers.runner_client import RunnerClient, RunnerGone
from sextant_agent.drivers.testbed_mend import Mender
from sextant_agent.drivers.testbed_record import TestbedRecord
from sextant_domain.desired import NfState

from .orders import chain, nf
from .runner_peer import Peer, good

WEB = chain("web", nf("web", "router", core=0))
WANTED = {"web": WEB}
FOUND = HostSample(
    taken_ns=0,
    taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    epoch="e",
    nfs={"web.router": NfCounters("web.router", "web", "router", NfState.RUNNING, os.getpid(), 1, 1, 1, None)},
)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    peer = Peer(tmp_path / "s")
    yield peer
    peer.close()


@pytest.fixture
def record(tmp_path: Path) -> TestbedRecord:
    record = TestbedRecord(tmp_path / "given.json")
    record.open("e")
    record.put("web", fingerprint(WEB))
    return record


@pytest.fixture
def mender(peer: Peer, record: TestbedRecord) -> Mender:
    return Mender(RunnerClient(peer.path, lambda hello, pid: None), record)


def reopened(tmp_path: Path) -> TestbedRecord:
    """What a successor reads."""
    record = TestbedRecord(tmp_path / "given.json")
    record.open("e")
    return record


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs a process that may run on two CPUs")
def test_a_move_that_the_kernel_does_not_show_is_a_failure(peer: Peer, mender: Mender) -> None:
    """The runner says core 0; the 'NF' is this very process, which may run on all."""
    peer.reply = lambda request: good(request, core=0)
    result = mender.mend(Difference(Kind.MOVE, "web.router", "web", ""), WANTED, FOUND)
    assert isinstance(result, Failure)
    assert "its thread may run on several cores" in result.message


def test_a_move_to_another_core_than_ordered_is_a_failure(peer: Peer, mender: Mender) -> None:
    peer.reply = lambda request: good(request, core=1)
    assert isinstance(mender.mend(Difference(Kind.MOVE, "web.router", "web", ""), WANTED, FOUND), Failure)


@pytest.mark.parametrize("kind", [Kind.REMOVE, Kind.REPLACE])
def test_a_chain_is_forgotten_before_it_is_removed(peer: Peer, mender: Mender, tmp_path: Path, kind: Kind) -> None:
    """The runner dies, or we do, during the removal: nobody may believe afterwards that the chain runs as it did."""
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        mender.mend(Difference(kind, "web", "web", ""), WANTED, FOUND)
    assert reopened(tmp_path).get("web") is None


def test_a_source_is_unknown_while_it_changes(peer: Peer, mender: Mender, tmp_path: Path) -> None:
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        mender.mend(Difference(Kind.SOURCE, "web", "web", ""), WANTED, FOUND)
    entry = reopened(tmp_path).get("web")
    assert entry is not None
    assert (entry.structure, entry.source) == (fingerprint(WEB).structure, "unknown")


def test_a_chain_that_was_not_taken_is_not_noted(peer: Peer, mender: Mender, tmp_path: Path) -> None:
    error = b'"ok": false, "error": {"code": "no-room", "message": "32 NFs run already"}}\n'
    peer.reply = lambda request: b'{"id": %d, ' % request["id"] + error
    other = {"other": chain("other", nf("other", "router"))}
    result = mender.mend(Difference(Kind.ADD, "other", "other", ""), other, FOUND)
    assert result == Failure("32 NFs run already (no-room)", permanent=True)
    assert reopened(tmp_path).get("other") is None


def test_entries_of_another_life_of_the_runner_are_not_believed(record: TestbedRecord, tmp_path: Path) -> None:
    again = TestbedRecord(tmp_path / "given.json")
    again.open("another")
    assert again.get("web") is None


def test_instances_are_never_given_twice(record: TestbedRecord, tmp_path: Path) -> None:
    first = record.get("web")
    record.forget("web")
    successor = reopened(tmp_path)
    successor.put("web", fingerprint(WEB))
    second = successor.get("web")
    assert first and second and first.instance != second.instance
