"""The testbed driver against the real runner: the contract, and what is the testbed's own."""

import json
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.driver import ApplyReport, Driver
from sextant_agent.contract.errors import CoreBusy, DataPlaneDown
from sextant_agent.control.socket_folder import MAX_SOCKET_BYTES, socket_folder
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.profile import BINARY_NAME
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.machine.inventory import CoreSharing
from sextant_agent.machine.proc import is_alive, read_stat, session_members
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_domain.hosts.desired import NfState
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest

from .driver_contract import DriverContract
from .orders import HOST, chain, content, nf
from .waiting import wait_for


@pytest.fixture
def driver(state: Path, runner_binary: Path) -> Iterator[Driver]:
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()


def recorded(state: Path) -> dict[str, object]:
    return dict(json.loads((state / "runner.json").read_text()))


def details(state: Path) -> dict[str, Any]:
    """Figures of the only NF's type, which samples do not carry, as the runner reports them."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(state / "runner.sock"))
        asking.sendall(b'{"id": 1, "op": "query", "keep_peaks": true}\n')
        (found,) = json.loads(asking.makefile().readline())["nfs"]
        return dict(found["details"])


class TestTestbedDriver(DriverContract):
    """Every test of the contract, and these."""

    def test_before_the_first_apply_there_is_no_data_plane(self, driver: Driver) -> None:
        with pytest.raises(DataPlaneDown):
            driver.sample()

    def test_the_runner_leads_a_session_of_its_own(self, driver: Driver, state: Path) -> None:
        driver.apply(content())
        pid = int(str(recorded(state)["pid"]))
        assert os.getsid(pid) == pid != os.getsid(0)
        assert (state / "runner.sock").stat().st_mode & 0o777 == 0o600

    def test_a_successor_adopts_without_touching(self, driver: Driver, state: Path, runner_binary: Path) -> None:
        driver.apply(content(self.web(driver)))
        before, record = driver.sample(), recorded(state)
        driver.close()
        successor = TestbedDriver(HOST, state, runner_binary)
        assert successor.apply(content(self.web(driver))).done == ()
        assert self.processes(successor.sample()) == self.processes(before)
        assert recorded(state) == record
        successor.close()

    def test_a_successor_finds_a_runner_whose_pid_was_not_yet_written_down(
        self, driver: Driver, state: Path, runner_binary: Path
    ) -> None:
        """The agent died between starting the runner and noting its pid: the nonce says which one it is."""
        driver.apply(content(self.web(driver)))
        before, record = driver.sample(), recorded(state)
        driver.close()
        (state / "runner.json").write_text(json.dumps(record | {"pid": None, "start_time": None}))
        successor = TestbedDriver(HOST, state, runner_binary)
        assert successor.apply(content(self.web(driver))).done == ()
        assert self.processes(successor.sample()) == self.processes(before)
        assert recorded(state) == record
        successor.close()

    def test_a_chain_of_unknown_configuration_is_replaced(
        self, driver: Driver, state: Path, runner_binary: Path
    ) -> None:
        """The agent died between giving the chain and noting it: what it runs is not known, so it is given again."""
        driver.apply(content(self.web(driver)))
        before = driver.sample()
        driver.close()
        (state / "given.json").write_text("{")
        successor = TestbedDriver(HOST, state, runner_binary)
        assert len(successor.apply(content(self.web(driver))).done) == 1
        assert set(self.processes(successor.sample()).values()).isdisjoint(self.processes(before).values())
        assert successor.apply(content(self.web(driver))).done == ()
        successor.close()

    def test_flows_of_backends_that_stay_keep_them(self, driver: Driver, state: Path) -> None:
        """100 flows on three backends. One goes: its flows move, once each, and no others. It comes back: none moves,
        so it gets not one packet."""
        every = [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3)]

        def order(*backends: dict[str, Any]) -> ApplyReport:
            return driver.apply(content(chain("web", nf("web", "load-balancer", backends=list(backends)))))

        def flows() -> tuple[int, int, int]:
            """Remembered, moved so far, and packets of the last backend, after every flow has had packets again."""
            seen = driver.sample().chains["web"].delivered
            wait_for("packets of every flow", lambda: driver.sample().chains["web"].delivered > seen + 300)
            reported = details(state)
            return reported["connections"], reported["moved_connections"], reported["backends"].get("10.200.0.3", 0)

        order(*every)
        connections, moved, of_last = flows()
        assert (connections, moved) == (100, 0) and of_last > 0
        order(*every[:2])
        connections, moved, _ = flows()
        assert connections == 100 and 0 < moved < 100
        order(*every)
        assert flows() == (100, moved, 0)

    def test_a_dead_runner_is_replaced_and_its_nfs_died_with_it(self, driver: Driver, state: Path) -> None:
        driver.apply(content(self.web(driver)))
        before = driver.sample()
        starts = {pid: stat.start_time for nf in before.nfs.values() if (pid := nf.pid) and (stat := read_stat(pid))}
        os.kill(int(str(recorded(state)["pid"])), signal.SIGKILL)
        wait_for("NFs die with the runner", lambda: not any(is_alive(pid, start) for pid, start in starts.items()))
        with pytest.raises(DataPlaneDown, match="ended"):
            driver.sample()
        driver.apply(content(self.web(driver)))
        after = driver.sample()
        assert after.epoch != before.epoch
        assert "signal 9" in (after.note or "")
        assert {found.state for found in after.nfs.values()} == {NfState.RUNNING}

    def test_a_runner_with_another_nonce_is_not_touched(self, driver: Driver, state: Path, runner_binary: Path) -> None:
        driver.apply(content(self.web(driver)))
        before, record = driver.sample(), recorded(state)
        driver.close()
        (state / "runner.json").write_text(json.dumps(record | {"nonce": "f" * 32}))
        stranger = TestbedDriver(HOST, state, runner_binary)
        with pytest.raises(DataPlaneDown, match="not this agent's runner") as refusal:
            stranger.apply(content())
        assert refusal.value.permanent
        (state / "runner.json").write_text(json.dumps(record))
        assert self.processes(driver.sample()) == self.processes(before), "it goes on with all its NFs"

    def test_a_stranger_at_the_socket_is_not_touched(self, state: Path, runner_binary: Path) -> None:
        """Somebody listens there and answers nonsense."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(state / "runner.sock"))
            listener.listen()
            answering = threading.Thread(target=_answer_nonsense, args=(listener,), daemon=True)
            answering.start()
            with pytest.raises(DataPlaneDown, match="not this agent's runner"):
                TestbedDriver(HOST, state, runner_binary).apply(content())
            assert (state / "runner.sock").exists()
            answering.join(timeout=60)

    def test_a_socket_left_by_a_dead_runner_is_no_obstacle(self, state: Path, runner_binary: Path) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(state / "runner.sock"))
        driver = TestbedDriver(HOST, state, runner_binary)
        driver.apply(content())
        assert driver.sample().nfs == {}
        driver.close()

    def test_what_is_to_be_measured_while_the_runner_starts_waits_for_it(
        self, state: Path, tmp_path: Path, runner_binary: Path
    ) -> None:
        """It says which cores are free; just after the agent's own start it is on its way up."""
        slow, gate = tmp_path / "slow" / "sextant-runner", tmp_path / "gate"
        slow.parent.mkdir()
        slow.write_text(f'#!/bin/sh\nuntil [ -e {gate} ]; do sleep 0.05; done\nexec {runner_binary} "$@"\n')
        slow.chmod(0o755)
        slow.with_name(BINARY_NAME).symlink_to(runner_binary.with_name(BINARY_NAME))
        driver = TestbedDriver(HOST, state, slow)
        cancelled = MeasurementWatch(lambda _: None, lambda: True)
        request = ProfileRequest(
            mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="router", implementation="router", core=1)
        )
        with ThreadPoolExecutor(2) as threads:
            applied = threads.submit(driver.apply, content())
            wait_for("the runner is started", lambda: (state / "runner.json").exists() and recorded(state)["pid"])
            measured = threads.submit(driver.profile, request, cancelled)
            wait([measured], timeout=0.5)  # long enough for it to give up, if it does
            gate.touch()
            assert applied.result(60).done == ()
            with pytest.raises((MeasurementCancelled, CoreBusy)):  # busy: with NFs of other suites beside this one
                measured.result(60)
        driver.close()

    @pytest.mark.parametrize("hop", ["same_core", "same_node"])
    def test_what_handing_packets_on_costs_is_measured_with_packets(self, driver: Driver, hop: str) -> None:
        """Two routers in processes of their own, one handing on to the other: what a job that is asked for hops
        measures. With packets lost there would be no figure; which one there is differs by machine."""
        if not self.can_profile(driver):
            return
        first, *more = reversed(self.free_cores(driver))
        if not more and hop == "same_node":
            pytest.skip("this host offers one core only")
        second = self.probe(driver).nf.model_copy(update={"core": first if hop == "same_core" else more[0]})
        asked = self.probe(driver, downstream=(second,), offered_mpps=0.02, hop=hop)
        found = self.measured(driver, asked, MeasurementWatch())
        assert found.nf is not None and found.nf.delay_us is not None
        assert found.nf.mpps.value == pytest.approx(0.02, rel=0.05)
        assert found.nf.delay_us.count == len(found.samples) and abs(found.nf.delay_us.value) < 1e6
        alone = len(more) >= len({first, second.core})
        assert (found.notes == ()) == alone, "source and sink have a core of their own, or it is said"

    def test_another_sharing_of_cores_leaves_a_runner_with_chains_alone(
        self, driver: Driver, state: Path, runner_binary: Path
    ) -> None:
        """On fewer than 8 CPUs source and sink are on the last, and on the first where cores are never shared."""
        few = tuple(sorted(os.sched_getaffinity(0)))[:2]

        def successor(sharing: CoreSharing) -> TestbedDriver:
            return TestbedDriver(HOST, state, runner_binary, cores=few, sharing=sharing)

        shared = successor("small-hosts")
        shared.apply(content(self.web(driver)))
        before, record = shared.sample(), recorded(state)
        shared.close()
        refused = successor("never")
        for _ in range(2):
            with pytest.raises(DataPlaneDown, match=r"SEXTANT_AGENT_SHARED_CORES .*carries web has them on core \d"):
                refused.apply(content(self.web(driver)))
        refused.close()
        assert recorded(state) == record
        back = successor("small-hosts")
        assert back.apply(content(self.web(driver))).done == ()
        assert self.processes(back.sample()) == self.processes(before)
        back.apply(content())
        back.close()
        exclusive = successor("never")
        exclusive.apply(content())
        assert recorded(state)["pid"] != record["pid"]
        note = exclusive.sample().note
        assert note == f"the runner was replaced: source and sink of chains moved from core {few[1]} to {few[0]}"
        exclusive.close()

    def test_a_binary_that_ends_at_once_is_reported_with_its_last_words(self, state: Path, tmp_path: Path) -> None:
        binary = tmp_path / "broken-runner"
        binary.write_text("#!/bin/sh\necho no room for packets >&2\nexit 3\n")
        binary.chmod(0o755)
        with pytest.raises(DataPlaneDown, match=r"exit status 3.*no room for packets"):
            TestbedDriver(HOST, state, binary).apply(content())

    def test_a_runner_that_ends_between_two_samples_is_reported_with_its_exit_status(
        self, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        binary = tmp_path / "broken-runner"
        binary.write_text("#!/bin/sh\nexit 3\n")
        binary.chmod(0o755)

        def after_it_ended(pid: int, start_time: int) -> bool:
            wait_for("the runner has ended", lambda: not is_alive(pid, start_time))
            return False

        monkeypatch.setattr("sextant_agent.drivers.testbed.runner_process.is_alive", after_it_ended)
        with pytest.raises(DataPlaneDown, match="exit status 3"):
            TestbedDriver(HOST, state, binary).apply(content())

    def test_a_damaged_identity_is_reported_not_guessed(self, state: Path, runner_binary: Path) -> None:
        (state / "runner.json").write_text("{}")
        with pytest.raises(DataPlaneDown, match="cannot be read"):
            TestbedDriver(HOST, state, runner_binary).apply(content())
        (state / "runner.json").unlink()

    def test_a_runner_that_hangs_is_reported_and_left_running(
        self, driver: Driver, state: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        driver.apply(content(self.web(driver)))
        monkeypatch.setattr("sextant_agent.drivers.testbed.runner_client.ANSWER_TIMEOUT_S", 0.3)
        pid = int(str(recorded(state)["pid"]))
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(DataPlaneDown, match="does not answer"):
                driver.sample()
            found = read_stat(pid)
            assert found and found.alive
        finally:
            os.kill(pid, signal.SIGCONT)
        assert driver.sample().nfs

    def test_what_dies_with_a_killed_runner_has_ended_when_its_stop_is_reported(
        self, driver: Driver, state: Path
    ) -> None:
        driver.apply(content(self.web(driver)))
        driver.close()
        pid = int(str(recorded(state)["pid"]))
        members = session_members(pid)
        assert len(members) >= 4, "runner, traffic and two NFs"
        os.kill(pid, signal.SIGKILL)
        wait_for("the runner is gone", lambda: not is_alive(pid, int(str(recorded(state)["start_time"]))))
        assert stop_recorded_runner(state) == "the recorded runner has already ended"
        assert not [member.pid for member in members if is_alive(member.pid, member.start_time)]


def _answer_nonsense(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    connection.recv(1000)
    connection.sendall(b'{"id": 1, "ok": true}\n')
    connection.close()


def test_a_long_state_folder_gets_a_short_private_socket_folder(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 100)
    folder = socket_folder(long, None)
    assert len(str(folder / "runner.sock")) <= MAX_SOCKET_BYTES
    assert folder.parent == Path(tempfile.gettempdir())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert socket_folder(long, None) == folder, "a successor finds the same one"
    assert socket_folder(tmp_path / ("y" * 100), None) != folder
    for each in (folder, socket_folder(tmp_path / ("y" * 100), None)):
        each.rmdir()


def test_a_socket_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(DataPlaneDown, match="this user alone"):
        socket_folder(tmp_path, folder)


@pytest.mark.fault
def test_a_runner_that_compiles_patterns_is_busy_not_down(driver: Driver, state: Path) -> None:
    """Samples go on; what takes too long is refused with the cause, and the other chain is not touched."""
    web = chain("web", nf("web", "router"))
    slow = chain(
        "slow", nf("slow", "nids", slot=1, patterns=["a.{1,200}b.{1,200}c.{1,200}d"] * 200, synthetic_patterns=0)
    )
    driver.apply(content(web))
    before = driver.sample()
    reports: list[ApplyReport] = []
    applying = threading.Thread(target=lambda: reports.append(driver.apply(content(web, slow))))
    applying.start()
    samples = [before]
    while applying.is_alive():
        samples.append(driver.sample())
        assert "slow" not in samples[-1].chains
        applying.join(0.2)
    assert samples[-1].chains["web"].delivered > before.chains["web"].delivered
    assert samples[-1].nfs["web.router"].pid == before.nfs["web.router"].pid
    assert "more than 4 s" in reports[0].failures["slow"].message and reports[0].failures["slow"].permanent
