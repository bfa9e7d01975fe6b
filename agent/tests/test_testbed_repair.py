"""A runner that lies or dies in the middle: what the driver then believes, and what its record says."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.driver import NO_SECRETS, Failure
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.control.differences import Difference, Kind
from sextant_agent.drivers.testbed.orders import state_of
from sextant_agent.drivers.testbed.record import TestbedRecord
from sextant_agent.drivers.testbed.repair import ChainRepair
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerGone
from sextant_domain.hosts.desired import NfState

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
def repairer(peer: Peer, record: TestbedRecord) -> ChainRepair:
    return ChainRepair(RunnerClient(peer.path, lambda hello, pid: None), record, NO_SECRETS)


def reopened(tmp_path: Path) -> TestbedRecord:
    """What a successor reads."""
    record = TestbedRecord(tmp_path / "given.json")
    record.open("e")
    return record


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs a process that may run on two CPUs")
def test_a_move_that_the_kernel_does_not_show_is_a_failure(peer: Peer, repairer: ChainRepair) -> None:
    """The runner says core 0; the 'NF' is this very process, which may run on all."""
    peer.reply = lambda request: good(request, core=0)
    result = repairer.repair(Difference(Kind.MOVE, "web.router", "web", ""), WANTED, FOUND)
    assert isinstance(result, Failure)
    assert "its thread may run on several cores" in result.message


def test_a_move_to_another_core_than_ordered_is_a_failure(peer: Peer, repairer: ChainRepair) -> None:
    peer.reply = lambda request: good(request, core=1)
    assert isinstance(repairer.repair(Difference(Kind.MOVE, "web.router", "web", ""), WANTED, FOUND), Failure)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs a process that may run on two CPUs")
def test_a_move_to_another_process_is_looked_up_there(peer: Peer, repairer: ChainRepair) -> None:
    """Regrouped, the NF is in a process of a new pid; the old one's place proves nothing."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    peer.reply = lambda request: good(request, core=0, pid=gone.pid, interruption_us=700)
    result = repairer.repair(Difference(Kind.MOVE, "web.router", "web", ""), WANTED, FOUND)
    assert isinstance(result, Failure)
    assert "several cores or none" in result.message


@pytest.mark.parametrize(
    ("kind", "op", "done"),
    [
        (Kind.PAUSE, "pause_chain", "paused web"),
        (Kind.RESUME, "resume_chain", "resumed web"),
        (Kind.EXECUTION, "set_execution", "to isolated, at most 2.5 ms between two packets at the sink"),
    ],
)
def test_what_keeps_a_chain_running_asks_for_one_operation(
    peer: Peer, repairer: ChainRepair, tmp_path: Path, kind: Kind, op: str, done: str
) -> None:
    asked: list[str] = []

    def reply(request: dict[str, Any]) -> bytes:
        asked.append(request["op"])
        return good(request, interruption_us=2500, nfs=[])

    peer.reply = reply
    assert done in str(repairer.repair(Difference(kind, "web", "web", ""), WANTED, FOUND))
    assert asked == [op]
    assert reopened(tmp_path).get("web") is not None, "what the chain runs is as known as before"


def test_an_older_runner_takes_chains_that_ask_for_nothing_new() -> None:
    assert state_of(WEB) == {}
    asks = WEB.model_copy(update={"execution": "run-to-completion", "paused": True})
    assert state_of(asks) == {"execution": "run-to-completion", "paused": True}


def test_what_an_older_runner_cannot_do_is_said(peer: Peer, repairer: ChainRepair) -> None:
    error = b'"ok": false, "error": {"code": "unknown-op", "field": "op", "message": "there is no operation"}}\n'
    peer.reply = lambda request: b'{"id": %d, ' % request["id"] + error
    result = repairer.repair(Difference(Kind.PAUSE, "web", "web", ""), WANTED, FOUND)
    assert isinstance(result, Failure) and result.permanent


@pytest.mark.parametrize("kind", [Kind.REMOVE, Kind.REPLACE])
def test_a_chain_is_forgotten_before_it_is_removed(
    peer: Peer, repairer: ChainRepair, tmp_path: Path, kind: Kind
) -> None:
    """The runner dies, or we do, during the removal: nobody may believe afterwards that the chain runs as it did."""
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        repairer.repair(Difference(kind, "web", "web", ""), WANTED, FOUND)
    assert reopened(tmp_path).get("web") is None


def test_a_source_is_unknown_while_it_changes(peer: Peer, repairer: ChainRepair, tmp_path: Path) -> None:
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        repairer.repair(Difference(Kind.SOURCE, "web", "web", ""), WANTED, FOUND)
    entry = reopened(tmp_path).get("web")
    assert entry is not None
    assert (entry.structure, entry.source) == (fingerprint(WEB).structure, "unknown")


BALANCER = chain("web", nf("web", "load-balancer", core=0))
FEWER = chain("web", nf("web", "load-balancer", core=0, backends=[{"address": "10.200.0.1", "weight": 1}]))


def test_backends_alone_are_no_other_structure() -> None:
    """Of a load balancer the backends stand apart; everything else, and every setting of other types, means again."""
    before, after = fingerprint(BALANCER), fingerprint(FEWER)
    assert (before.structure, before.source) == (after.structure, after.source)
    assert before.configs.keys() == {"web.load-balancer"} and before.configs != after.configs
    other = fingerprint(chain("web", nf("web", "load-balancer", core=0, idle_timeout_s=60)))
    assert other.structure != before.structure and other.configs == before.configs
    assert fingerprint(WEB).configs == {}


def test_a_configuration_is_unknown_while_it_changes(
    peer: Peer, repairer: ChainRepair, record: TestbedRecord, tmp_path: Path
) -> None:
    record.put("web", fingerprint(BALANCER))
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        repairer.repair(Difference(Kind.CONFIGURE, "web.load-balancer", "web", ""), {"web": FEWER}, FOUND)
    entry = reopened(tmp_path).get("web")
    assert entry is not None
    assert entry.fingerprint == replace(fingerprint(BALANCER), configs={"web.load-balancer": "unknown"})


def test_a_change_of_traffic_does_not_claim_that_backends_changed(
    peer: Peer, repairer: ChainRepair, record: TestbedRecord, tmp_path: Path
) -> None:
    """Both differ; the traffic is changed, then the agent dies: its successor still has the backends to change."""
    record.put("web", fingerprint(BALANCER))
    wanted = FEWER.model_copy(update={"traffic": FEWER.traffic.model_copy(update={"rate_mpps": 0.5})})
    peer.reply = good
    assert "0.5 Mpps" in str(repairer.repair(Difference(Kind.SOURCE, "web", "web", ""), {"web": wanted}, FOUND))
    entry = reopened(tmp_path).get("web")
    assert entry is not None
    assert entry.fingerprint == replace(fingerprint(BALANCER), source=fingerprint(wanted).source)


def test_a_chain_that_was_not_taken_is_not_noted(peer: Peer, repairer: ChainRepair, tmp_path: Path) -> None:
    error = b'"ok": false, "error": {"code": "no-room", "message": "32 NFs run already"}}\n'
    peer.reply = lambda request: b'{"id": %d, ' % request["id"] + error
    other = {"other": chain("other", nf("other", "router"))}
    result = repairer.repair(Difference(Kind.ADD, "other", "other", ""), other, FOUND)
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


def test_an_order_waits_longer_the_more_tables_are_built(
    peer: Peer, repairer: ChainRepair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner answers questions meanwhile, so patience costs nothing; giving up would compile everything again."""
    waited: list[float | None] = []
    ask = RunnerClient.request

    def request(self: RunnerClient, answer: Any, op: str, timeout_s: float | None = None, **fields: object) -> Any:
        waited.append(timeout_s)
        return ask(self, answer, op, timeout_s, **fields)

    monkeypatch.setattr(RunnerClient, "request", request)
    wanted = {"many": chain("many", *(nf("many", kind) for kind in ("router", "firewall", "basic-monitor")))}
    repairer.repair(Difference(Kind.ADD, "many", "many", ""), wanted, FOUND)
    repairer.repair(Difference(Kind.ADD, "web", "web", ""), WANTED, FOUND)
    assert waited[0] and waited[1] and waited[0] >= waited[1] + 2 * 8
