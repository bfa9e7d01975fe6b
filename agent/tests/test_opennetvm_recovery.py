"""What dies comes back at once: by the kernel's word, and whatever else is in work. The driver over the double."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.agent import HostAgent
from sextant_agent.contract.driver import ApplyReport
from sextant_agent.control import loop as loop_module
from sextant_agent.control.running import start
from sextant_agent.drivers.opennetvm import chains as chains_module
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.ends import Ends
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.nf_process import start_nf
from sextant_agent.drivers.opennetvm.process_registry import NfEntry
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.reporting import sampler as sampler_module
from sextant_agent.settings import AgentSettings
from sextant_domain.hosts.desired import ActualNf, DesiredChain, NfState, Phase

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager, name_of
from .orders import HOST, chain, content, nf, order
from .pki import Authority
from .waiting import wait_for

pytestmark = pytest.mark.fault


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """Two ports, with a manager and a CPU each."""
    if FIRST == SECOND:
        pytest.skip("two managers cannot have one CPU for their NFs")
    with double_host(tmp_path, manager("west", [FIRST]), manager("east", [SECOND])) as host:
        yield host


def on(side: str, core: int) -> DesiredChain:
    """One NF behind the port of its side."""
    made = chain(side, nf(side, "router", core=core))
    return made.model_copy(update={"ingress": made.ingress.model_copy(update={"port": f"{side}-0"})})


WEST, EAST = on("west", FIRST), on("east", SECOND)


class Gate:
    """Lets one side's manager start once the gate is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, side: str) -> None:
        self.reached, self._open = threading.Event(), threading.Event()
        ensure = Manager.ensure

        def wait(one: Manager) -> None:
            if one.name == name_of(side):
                self.reached.set()
                self._open.wait()
            ensure(one)

        monkeypatch.setattr(Manager, "ensure", wait)

    def open(self) -> None:
        self._open.set()


class Applying(threading.Thread):
    """One apply, beside the test."""

    def __init__(self, driver: OpenNetVmDriver, *chains: DesiredChain) -> None:
        super().__init__()
        self._apply: Callable[[], ApplyReport] = lambda: driver.apply(content(*chains))
        self.report: ApplyReport | None = None

    def run(self) -> None:
        self.report = self._apply()


def test_an_nf_comes_back_while_another_chain_is_started(host: DoubleHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """West's manager takes as long as it will: here until east's NF is back."""
    driver = host.driver()
    driver.apply(content(EAST))
    gate = Gate(monkeypatch, "west")
    applying = Applying(driver, WEST, EAST)
    applying.start()
    try:
        gate.reached.wait()
        dead = host.nf("east.router")
        kill(dead.running)
        back = wait_for("east is back", lambda: _running(driver, "east.router", but=dead.pid))
        assert host.chain("west").structure == "", "west is still being started"
        (at_work,) = wait_for("east's turn is over", lambda: turns if len(turns := _turns()) == 1 else None)
        assert at_work.daemon, "an agent that is told to end does not wait for west"
    finally:
        gate.open()
        applying.join()
    assert applying.report is not None and not applying.report.failures
    assert [reported.split()[:2] for reported in applying.report.done] == [["restarted", "east"], ["added", "west,"]]
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
    assert driver.sample().nfs["east.router"].pid == back
    assert driver.apply(content(WEST, EAST)).done == ()


def _turns() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "fix"]


def _running(driver: OpenNetVmDriver, nf_id: str, but: int | None) -> int | None:
    found = driver.sample().nfs[nf_id]
    return found.pid if found.state is NfState.RUNNING and found.pid != but else None


def test_a_mistake_in_one_chain_keeps_no_other_from_running(host: DoubleHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any exception: what was started of that chain is taken down again."""

    def start(one: Manager, *given: Any) -> NfEntry:
        if one.name == name_of("west"):
            raise ValueError("embedded null byte")
        return start_nf(one, *given)

    monkeypatch.setattr(chains_module, "start_nf", start)
    driver = host.driver()
    report = driver.apply(content(WEST, EAST))
    assert set(report.failures) == {"west"}
    assert "adding west: ValueError: embedded null byte: the agent's log says where" in report.failures["west"].message
    assert (host.processes("west"), len(host.processes("east"))) == ([], 3)
    assert driver.sample().nfs["east.router"].state is NfState.RUNNING
    monkeypatch.undo()
    assert not driver.apply(content(WEST, EAST)).failures


def test_the_kernel_reports_a_death(tmp_path: Path) -> None:
    """Of a child and of a process that an earlier agent started, each once; of one that is not followed, nothing."""
    heard = threading.Semaphore(0)
    ends = Ends(heard.release)
    try:
        ours, other, ignored = (start(["/bin/sleep", "60"], tmp_path, {}) for _ in range(3))
        ends.follow({ours, other, ignored})
        ends.follow({ours, other})
        kill(ignored)
        for running in (ours, other):  # two at once are heard once: a look finds all that has ended
            kill(running)
            assert heard.acquire(timeout=60)
        assert not heard.acquire(timeout=0.2)
    finally:
        ends.close()
        for running in (ours, other, ignored):
            running.forget()
    ends.follow({ours})  # a look that was still in work
    ends.close()


def test_an_agent_brings_back_what_died_without_looking_for_it(
    host: DoubleHost, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look by itself once an hour: a death wakes it, of its child and of one of the agent's before it."""
    monkeypatch.setattr(loop_module, "CHECK_EVERY_S", 3600.0)
    monkeypatch.setattr(sampler_module, "PERIOD_S", 3600.0)
    for life in range(2):
        agent = agent_over(host, authority)
        agent.start()
        try:
            agent.accept(order(1, EAST))
            _comes_back(agent, host, restarts=life + 1)
        finally:
            agent.stop()


def _comes_back(agent: HostAgent, host: DoubleHost, restarts: int) -> None:
    wait_for("it runs as ordered", lambda: agent.actual().phase is Phase.CONVERGED)
    dead = host.nf("east.router")
    kill(dead.running)
    back = wait_for("it is back", lambda: restarted(agent, but=dead.pid))
    assert back is not None and back.restarts == restarts


def agent_over(host: DoubleHost, authority: Authority) -> HostAgent:
    pki = authority.folder / "host"
    settings = AgentSettings(driver="opennetvm", host_id=HOST, state_dir=host.state, pki_dir=pki)
    return HostAgent(settings, host.behind_its_registry(), TlsCredentials(pki, HOST), "https://127.0.0.1:9443")


def restarted(agent: HostAgent, but: int | None) -> ActualNf | None:
    found = next((nf for nf in agent.actual().nfs if nf.nf_id == "east.router"), None)
    return found if found and found.state is NfState.RUNNING and found.pid != but else None
