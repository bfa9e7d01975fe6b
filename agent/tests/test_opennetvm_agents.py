"""Agents that die at a bad moment, what their successors find, and what is left in the end: the driver over the
double."""

import ctypes
from pathlib import Path

import pytest
from sextant_agent.drivers.opennetvm import chains as chains_module
from sextant_agent.drivers.opennetvm import manager as manager_module
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.leftovers import KEYS, SEMAPHORE_PATTERN, SEMAPHORES
from sextant_domain.hosts.desired import DesiredChain, NfState

from .onvm_double.kernel import SleepFlag
from .opennetvm_host import FIRST, SECOND, DoubleHost, kill, manager
from .orders import chain, content, nf
from .waiting import wait_for

pytestmark = pytest.mark.fault


class AgentDied(BaseException):
    """Nothing of the agent runs after this."""


def web() -> DesiredChain:
    return chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def pids(host: DoubleHost) -> set[int]:
    return {running.pid for running in host.processes()}


def assert_runs(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Its manager, two NFs and the way out, and nothing else of the prefix."""
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
    assert len(pids(host)) == 4
    before = driver.sample().chains["web"].delivered
    wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > before)
    assert driver.apply(content(web())).done == ()


def test_a_successor_touches_nothing_and_counts_on(host: DoubleHost) -> None:
    first = host.driver()
    first.apply(content(web()))
    before, there = first.sample(), pids(host)
    first.close()
    second = host.driver()
    after = second.sample()
    assert (pids(host), after.epoch, after.chains["web"].instance) == (
        there,
        before.epoch,
        before.chains["web"].instance,
    )
    assert after.chains["web"].delivered >= before.chains["web"].delivered
    assert after.nfs["web.router"].rx >= before.nfs["web.router"].rx
    assert_runs(host, second)
    assert pids(host) == there


def test_a_successor_mends_what_died_meanwhile(host: DoubleHost) -> None:
    """How it ended is not known any more; what it counted its manager still reports."""
    first = host.driver()
    first.apply(content(web()))
    wait_for("packets", lambda: first.sample().nfs["web.simple-forward"].rx)
    before = first.sample()
    kill(host.nf("web.simple-forward").running)
    second = host.driver()
    found = second.sample().nfs["web.simple-forward"]
    assert (found.state, found.exit) == (NfState.CRASHED, "it had ended")
    assert found.rx >= before.nfs["web.simple-forward"].rx
    assert len(second.apply(content(web())).done) == 1
    assert host.manager().dead == 1, "it told nobody"
    assert second.sample().nfs["web.simple-forward"].rx >= found.rx
    assert_runs(host, second)


def test_a_successor_keeps_what_a_dead_manager_counted(host: DoubleHost) -> None:
    first = host.driver()
    first.apply(content(web()))
    wait_for("packets", lambda: first.sample().chains["web"].delivered > 1_000_000)
    before = first.sample()
    host.home.set(time=20.0)  # it is not killed while it writes, which would leave half a file
    host.next_period()
    host.kill_all()
    host.home.set(time=0.02)
    second = host.driver()
    assert second.sample().chains["web"].delivered >= before.chains["web"].delivered
    second.apply(content(web()))
    assert second.sample().chains["web"].delivered >= before.chains["web"].delivered
    assert_runs(host, second)


def test_nfs_that_end_in_order_under_a_successor_are_no_dead(host: DoubleHost) -> None:
    """Only the first agent could ask for their exit status: their manager reports that they notified it."""
    host.driver().apply(content(web()))
    second = host.driver()
    replaced = chain("web", *(each.model_copy(update={"nf_version": 2}) for each in web().nfs))
    life = host.manager()
    second.apply(content(replaced))
    assert (host.manager().pid, host.manager().dead, host.manager().starts) == (life.pid, 0, 6)


@pytest.mark.parametrize(
    ("module", "step", "started"), [(chains_module, "start_nf", 2), (chains_module, "await_ready", 4)]
)
def test_what_an_agent_that_died_had_not_written_down_is_ended(
    host: DoubleHost, monkeypatch: pytest.MonkeyPatch, module: object, step: str, started: int
) -> None:
    """It dies right after a process was started: the entry was written before, without a pid. Or while the last NF is
    waited for: its pid is known, but not that it is ready."""
    die_after(monkeypatch, module, step, "web.router" if step == "await_ready" else "way-out")
    with pytest.raises(AgentDied):
        host.driver().apply(content(web()))
    monkeypatch.undo()
    wait_for("they have their names", lambda: len(pids(host)) == started)  # the double writes over its command line
    second = host.driver()
    assert second.sample().chains["web"].fingerprint is None
    assert not second.apply(content(web())).failures
    assert_runs(host, second)


def test_an_nf_that_an_agent_died_waiting_for_is_waited_for_by_the_next(
    host: DoubleHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was being restarted, and runs; the registry does not know yet that it is ready."""
    first = host.driver()
    first.apply(content(web()))
    life = host.manager().pid
    kill(host.nf("web.simple-forward").running)
    die_after(monkeypatch, chains_module, "await_ready", "web.router")
    with pytest.raises(AgentDied):
        first.apply(content(web()))
    monkeypatch.undo()
    there = pids(host)
    second = host.driver()
    assert second.sample().nfs["web.router"].state is NfState.STARTING
    assert second.apply(content(web())).done == ("waited until web.router was ready",)
    assert (pids(host), host.manager().pid) == (there, life)
    assert_runs(host, second)


def die_after(monkeypatch: pytest.MonkeyPatch, module: object, step: str, nf_id: str) -> None:
    """Once this step was done for this NF."""
    real = getattr(module, step)

    def done(*given: object) -> object:
        found = real(*given)
        if getattr(found, "nf_id", None) == nf_id:
            raise AgentDied
        return found

    monkeypatch.setattr(module, step, done)


def test_a_manager_that_an_agent_did_not_write_down_is_ended(host: DoubleHost, monkeypatch: pytest.MonkeyPatch) -> None:
    real = manager_module.start

    def start(*given: object) -> None:
        real(*given)  # type: ignore[arg-type]
        raise AgentDied

    monkeypatch.setattr(manager_module, "start", start)
    with pytest.raises(AgentDied):
        host.driver().apply(content(web()))
    monkeypatch.undo()
    wait_for("it has its name", lambda: len(pids(host)) == 1)
    second = host.driver()
    assert pids(host) == set()
    second.apply(content(web()))
    assert_runs(host, second)


def test_an_agent_that_died_before_the_last_step_of_a_removal_left_nothing_running(
    host: DoubleHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clear(*_: object) -> None:
        raise AgentDied

    driver = host.driver()
    driver.apply(content(web()))
    monkeypatch.setattr(manager_module, "clear", clear)
    with pytest.raises(AgentDied):
        driver.apply(content())
    monkeypatch.undo()
    second = host.driver()
    assert second.apply(content()).done == ("removed web",)
    assert (pids(host), host.leftovers()) == (set(), [])


def test_a_manager_that_has_no_chain_is_ended_by_the_next_agent(host: DoubleHost) -> None:
    """The order was withdrawn while no agent was there to say so."""
    host.driver().apply(content(web()))
    registry = host.registry
    for each in registry.chains["web"].nfs:
        kill(each.running)
    registry.forget_chain("web")
    host.driver()
    assert (pids(host), host.leftovers()) == (set(), [])


def test_nothing_is_left_after_kill_9_of_everything_but_what_is_anothers(tmp_path: Path) -> None:
    """Files of the prefix; semaphores and System V keys, which have none, once no other shared manager runs."""
    host = DoubleHost(tmp_path / "ours", manager("west", [FIRST], shared=True))
    other = DoubleHost(tmp_path / "theirs", manager("east", [SECOND]))
    try:
        router = chain("web", nf("web", "router", core=FIRST))
        host.driver().apply(content(router))
        assert len(list(SEMAPHORES.glob(SEMAPHORE_PATTERN))) == 128
        host.kill_all()
        assert host.leftovers() and keys()
        theirs = other.start_manager("east", "-c", threads=4)
        wait_for("theirs is there", lambda: len(other.leftovers()) == 2)
        files = other.leftovers()
        assert host.driver().apply(content()).done == ("removed web",)
        assert (host.processes(), host.leftovers(), other.leftovers()) == ([], [], files)
        assert not theirs.ended
        assert len(list(SEMAPHORES.glob(SEMAPHORE_PATTERN))) == 128 and keys(), "theirs now"
        theirs.end()
        held = SleepFlag(5, create=True)  # somebody works with it
        driver = host.driver()
        driver.apply(content(router))
        assert not driver.apply(content()).failures
        assert not list(SEMAPHORES.glob(SEMAPHORE_PATTERN))
        assert keys() == {KEYS[5]}, "what somebody is attached to stays"
        del held
    finally:
        host.end()
        other.end()
        remove_keys()


def keys() -> set[int]:
    """Those of OpenNetVM that are there."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return {int(line.split()[0]) for line in lines} & set(KEYS)


def remove_keys() -> None:
    library = ctypes.CDLL(None)
    for key in keys():
        library.shmctl(library.shmget(key, 0, 0), 0, None)
