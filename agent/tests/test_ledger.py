"""The ledger's rules, as a state machine against a model, and its file in bad weather."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sextant_agent.orders.ledger import Ledger
from sextant_agent.orders.problems import (
    AgentProblem,
    BadOrder,
    GenerationConflict,
    LedgerDamaged,
    LedgerNotWritten,
    OlderGeneration,
    StaleFence,
)
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredStateOrder

from .orders import HOST, chain, content, nf, order

CONTENTS = [content(), content(chain("a", nf("a", "router"))), content(chain("b", nf("b", "router", core=1)))]

FIRST_RELEASE = (
    '{"format":1,"digest":"sha256:f9605e0c4666690c7059d5301dc77c8beeb57d5dae191ee3259764bb0b53d283","held":{"'
    'order":{"desired":{"generation":7,"digest":"sha256:194b50afc34eb85e0a7967711f8b1cc594b9053af2504517e84d2'
    '2ae0427752b","content":{"host_id":"edge-1","chains":[{"chain":"web","nfs":[{"nf_id":"web.router","nf_typ'
    'e":"router","nf_version":1,"config":{"routes":[]},"core":1,"slot":0,"llc_ways":null,"memory_bandwidth_pe'
    'rcent":null,"cpu_share":null}],"ingress":{"host":null,"port":null,"match":{"src_prefix":"10.0.0.0/8","ds'
    't_prefix":"192.168.0.0/16","protocol":"udp","dst_port":null}},"egress":{"host":null,"port":null},"traffi'
    'c":{"rate_mpps":0.01,"packet_bytes":64,"flows":100}}]}},"operation_id":3,"fence":5},"highest_fence":5}}'
)
"""A ledger as the first release wrote it, but for its white space."""


def numbered(generation: int, which: int, fence: int) -> DesiredStateOrder:
    desired = DesiredHostConfig.of(generation, CONTENTS[which])
    return DesiredStateOrder(desired=desired, operation_id=1, fence=fence)


class LedgerMachine(RuleBasedStateMachine):
    """Any sequence of orders, repeats and restarts of the agent."""

    @initialize(folder=st.integers())
    def begin(self, folder: int) -> None:
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "ledger.json"
        self.ledger = Ledger(self.path, HOST)
        self.held, self.fence = numbered(0, 0, 0).desired, 0

    @rule(generation=st.integers(0, 4), which=st.integers(0, 2), fence=st.integers(0, 4))
    def send(self, generation: int, which: int, fence: int) -> None:
        sent = numbered(generation, which, fence)
        before = self.path.read_bytes() if self.path.exists() else None
        expected = self._expect(sent)
        if isinstance(expected, type):
            with pytest.raises(expected):
                self.ledger.accept(sent)
            assert (self.path.read_bytes() if self.path.exists() else None) == before, "a refusal writes nothing"
            return
        assert self.ledger.accept(sent) is expected
        self.held, self.fence = sent.desired, fence

    def _expect(self, sent: DesiredStateOrder) -> bool | type[AgentProblem]:
        if sent.fence < self.fence:
            return StaleFence
        if sent.desired.generation < self.held.generation:
            return OlderGeneration
        if sent.desired.generation == self.held.generation:
            return False if sent.desired.digest == self.held.digest else GenerationConflict
        return True

    @rule()
    def restart(self) -> None:
        self.ledger = Ledger(self.path, HOST)

    @invariant()
    def holds_the_newest(self) -> None:
        if hasattr(self, "ledger"):
            assert (self.ledger.desired, self.ledger.fence) == (self.held, self.fence)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_a_fresh_ledger_is_the_empty_host_of_generation_0(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.json", HOST)
    assert ledger.desired == DesiredHostConfig.of(0, content())
    assert ledger.fence == 0


def test_an_altered_order_is_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.json", HOST)
    sent = order(1, chain("a", nf("a", "router")))
    altered = sent.model_copy(update={"desired": sent.desired.model_copy(update={"content": CONTENTS[2]})})
    with pytest.raises(BadOrder) as refusal:
        ledger.accept(altered)
    assert refusal.value.errors[0].field == "desired.digest"
    assert ledger.desired.generation == 0


def test_another_hosts_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOrder) as refusal:
        Ledger(tmp_path / "ledger.json", HOST).accept(order(1, host="edge-2"))
    assert refusal.value.errors[0].field == "desired.content.host_id"


def test_what_cannot_run_here_is_not_stored(tmp_path: Path) -> None:
    def impossible(_: object) -> None:
        raise BadOrder("core 9 is not offered")

    ledger = Ledger(tmp_path / "ledger.json", HOST)
    with pytest.raises(BadOrder):
        ledger.accept(order(1), impossible)
    assert ledger.desired.generation == 0
    assert not (tmp_path / "ledger.json").exists()


@given(cut=st.integers(0, 300), flip=st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_a_damaged_file_is_reported_and_refused_never_emptied(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "ledger.json"
    Ledger(path, HOST).accept(order(3, chain("a", nf("a", "router"))))
    good = path.read_bytes()
    damaged = bytearray(good)
    damaged[cut % len(good)] = flip
    path.write_bytes(bytes(damaged))
    ledger = Ledger(path, HOST)
    if ledger.damage is None:  # the flip was harmless: the same order is held
        assert ledger.desired == DesiredHostConfig.of(3, content(chain("a", nf("a", "router"))))
        assert ledger.fence == 3
        return
    assert str(path) in ledger.damage
    with pytest.raises(LedgerDamaged):
        _ = ledger.desired
    with pytest.raises(LedgerDamaged):
        ledger.accept(order(9))
    assert path.read_bytes() == bytes(damaged)


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"\x00" * 100, b'{"format":2}'])
def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "ledger.json").write_bytes(text)
    assert Ledger(tmp_path / "ledger.json", HOST).damage


def test_a_ledger_of_another_host_is_refused(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.json", "edge-2").accept(order(1, host="edge-2"))
    assert "edge-2" in (Ledger(tmp_path / "ledger.json", HOST).damage or "")


def test_content_that_lost_its_digest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    Ledger(path, HOST).accept(order(1, chain("a", nf("a", "router", core=0))))
    held = json.loads(path.read_text())
    held["held"]["order"]["desired"]["content"]["chains"][0]["nfs"][0]["core"] = 1
    path.write_text(json.dumps(held))
    assert "digest" in (Ledger(path, HOST).damage or "")


def test_a_ledger_from_before_a_setting_existed_still_holds(tmp_path: Path) -> None:
    """Written by the agent that knew neither execution nor pause: both digests stand as they stood."""
    path = tmp_path / "ledger.json"
    path.write_text(FIRST_RELEASE)
    ledger = Ledger(path, HOST)
    assert ledger.damage is None
    (web,) = ledger.desired.content.chains
    assert (ledger.desired.generation, web.execution, web.paused) == (7, "isolated", False)
    assert ledger.accept(DesiredStateOrder(desired=ledger.desired, operation_id=3, fence=6)) is False, "the same order"
    assert "paused" not in path.read_text(), "an agent of then could read it again"


def test_a_new_setting_is_another_order_and_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    plain = chain("a", nf("a", "router"))
    paused = chain("a", nf("a", "router"), execution="run-to-completion", paused=True)
    assert order(1, plain).desired.digest != order(1, paused).desired.digest
    Ledger(path, HOST).accept(order(1, paused))
    assert Ledger(path, HOST).desired.content.chains == (paused,)


def test_a_ledger_with_a_setting_of_the_future_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text(FIRST_RELEASE.replace('"traffic":', '"colour":"red","traffic":'))
    ledger = Ledger(path, HOST)
    assert "chains.0.colour" in (ledger.damage or "")
    with pytest.raises(LedgerDamaged, match="what runs goes on running"):
        _ = ledger.desired


def test_an_altered_fence_shows(tmp_path: Path) -> None:
    """It stands outside the order's own digest."""
    path = tmp_path / "ledger.json"
    Ledger(path, HOST).accept(order(1, fence=3))
    path.write_text(path.read_text().replace('"highest_fence": 3', '"highest_fence": 9'))
    assert "digest" in (Ledger(path, HOST).damage or "")


def test_a_write_that_fails_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path / "ledger.json", HOST)
    ledger.accept(order(1))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LedgerNotWritten, match="No space left"):
        ledger.accept(order(2))
    monkeypatch.undo()
    assert ledger.desired.generation == 1
    assert Ledger(tmp_path / "ledger.json", HOST).desired.generation == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]


def test_it_is_on_disk_before_it_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File synced, renamed, folder synced: in this order, or a power cut loses an acknowledged order."""
    seen: list[str] = []
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor: int) -> None:
        seen.append("sync folder" if Path(f"/proc/self/fd/{descriptor}").is_dir() else "sync file")
        sync(descriptor)

    def noted_replace(self: Path, target: Path) -> Path:
        seen.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    Ledger(tmp_path / "ledger.json", HOST).accept(order(1))
    assert seen == ["sync file", "rename", "sync folder"]
