"""Moves between NUMA nodes, and managers that wear out: the driver over the double, with a node for each CPU."""

from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import pytest
from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm import chains as chains_module
from sextant_agent.drivers.opennetvm import nf_process
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.limits import A_FEW, MAX_STARTS
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry
from sextant_domain.hosts.desired import DesiredChain, NfState

from .machines import cpu, write
from .onvm_double.memory import MAX_NFS, RING_SIZE, Memory, memory_file
from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, name_of
from .orders import chain, content, nf
from .waiting import wait_for

pytestmark = pytest.mark.skipif(FIRST == SECOND, reason="a move needs two CPUs")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    with double_host(tmp_path, manager("west", [FIRST, SECOND])) as host:
        yield host


@pytest.fixture
def driver(host: DoubleHost, tmp_path: Path) -> OpenNetVmDriver:
    """This machine's CPUs, on a node each."""
    root = tmp_path / "machine"
    for node, number in enumerate((FIRST, SECOND)):
        write(root, cpu(number, socket=node, core_id=0, siblings=str(number), llc=str(number)))
        write(root, {f"sys/devices/system/node/node{node}/cpulist": number})
    write(root, {"sys/devices/system/cpu/online": f"{FIRST},{SECOND}"})
    driver = host.driver(root=root)
    assert [core.node for core in driver.inventory().host.cores] == [0, 1]
    return driver


def web(core: int, nf_type: str = "router", version: int = 1) -> DesiredChain:
    return chain("web", nf("web", nf_type, core=core).model_copy(update={"nf_version": version}))


def test_a_move_to_another_node_is_start_shift_drain_stop(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """The new process has the same service, so that both have packets for a moment; then the first ends in order. Its
    memory is of the new node, and it is nobody's crash."""
    driver.apply(content(web(FIRST)))
    wait_for("packets", lambda: driver.sample().nfs["web.router"].rx > 0)
    counted, before, life = driver.sample(), host.nf("web.router"), host.manager()
    assert driver.apply(content(web(SECOND))).done == (
        f"moved web.router to core {SECOND} on another NUMA node: a new process took over, without the old one's state",
    )
    after, found = host.nf("web.router"), driver.sample().nfs["web.router"]
    assert (after.service, after.instance) == (before.service, life.starts + 1)
    assert after.pid != before.pid and not before.alive
    assert (found.state, found.core, found.starts, found.exit) == (NfState.RUNNING, SECOND, 1, None)
    assert found.rx >= counted.nfs["web.router"].rx, "what the first counted is kept"
    assert (host.manager().pid, host.manager().dead) == (life.pid, 0)
    wait_for("its manager has heard", lambda: set(host.figures()) == {1, after.instance})
    assert host.events()[-2:] == ["NF Ready", "NF Stopping"], "started before the first was stopped"
    wait_for("packets", lambda: driver.sample().nfs["web.router"].rx > found.rx)
    assert driver.apply(content(web(SECOND))).done == ()


def asked_to_end(host: DoubleHost, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Of each NF as it is first sent a signal: its instance, and how many packets its ring had in the figures that
    were written next."""
    reported: list[tuple[int, int]] = []
    real = Running.signal

    def signal(one: Running, number: int) -> None:
        instance = next((i for c in host.registry.chains.values() for i in instances(c) if i[0] == one.pid), None)
        if number == SIGTERM and instance and instance[1] not in [asked for asked, _ in reported] and one.alive:
            reported.append((instance[1], host.figures()[instance[1]].waiting))
        real(one, number)

    monkeypatch.setattr(Running, "signal", signal)
    return reported


def instances(entry: ChainEntry) -> list[tuple[int, int]]:
    return [(nf.pid, nf.instance) for nf in entry.nfs if nf.pid is not None]


def test_a_shift_drains_what_waits_for_the_first(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000,000 packets a second come, and at 1,990 ns each an instance works off 502,512: its ring is full. Beside a
    second instance, 500,000 come to each, so that the first gets rid of 2,512 a second: 16,384 in 7 s, here 0.14 s.
    The way out has the other CPU."""
    host.home.set(cost_ns={"flow_tracker": 1_990})
    driver.apply(content(web(SECOND)))
    before = host.nf("web.router")
    wait_for("its ring is full", lambda: host.figures()[before.instance].waiting == RING_SIZE)
    asked = asked_to_end(host, monkeypatch)
    assert not driver.apply(content(web(FIRST))).failures
    ((instance, waiting),) = asked
    assert instance == before.instance and waiting <= A_FEW, waiting


def test_a_chain_is_ended_from_its_entry_and_run_empty(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a millisecond a packet the second NF works off 1,000 a second: it ends once it has worked off its 16,384."""
    monkeypatch.setattr(nf_process, "DRAIN_S", 60.0)
    host.home.set(cost_ns={"simple_forward": 1_000_000})
    pair = chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))
    driver.apply(content(pair))
    first, second, out = (each.instance for each in host.chain().nfs)
    wait_for("its ring is full", lambda: host.figures()[second].waiting == RING_SIZE)
    asked = asked_to_end(host, monkeypatch)
    assert driver.apply(content()).done == ("removed web",)
    assert [instance for instance, _ in asked] == [first, second, out]
    assert all(waiting <= A_FEW for _, waiting in asked)


def test_a_shift_that_fails_leaves_the_nf_where_it_was(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    driver.apply(content(web(FIRST)))
    before = host.nf("web.router")
    host.home.set(missing_library=["flow_tracker"])
    (failure,) = driver.apply(content(web(SECOND))).failures.values()
    assert "librte_eal.so.23" in failure.message
    assert host.nf("web.router") == before and before.alive
    host.home.set(missing_library=[])
    assert not driver.apply(content(web(SECOND))).failures
    assert driver.sample().nfs["web.router"].core == SECOND


def test_an_agent_that_dies_in_a_shift_leaves_the_nf_where_it_was(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both processes run; the registry names the first, and a successor ends the other before it moves it again."""

    class AgentDied(BaseException):
        pass

    def die(*_: object) -> None:
        raise AgentDied

    driver.apply(content(web(FIRST)))
    before = host.nf("web.router")
    monkeypatch.setattr(chains_module, "end_nfs", die)
    with pytest.raises(AgentDied):
        driver.apply(content(web(SECOND)))
    monkeypatch.undo()
    assert len(host.processes()) == 4
    successor = host.driver(root=driver._root)
    assert len(host.processes()) == 3 and before.alive
    assert successor.sample().nfs["web.router"].core == FIRST
    assert not successor.apply(content(web(SECOND))).failures
    assert (successor.sample().nfs["web.router"].core, len(host.processes())) == (SECOND, 3)


def test_managers_are_started_again_before_they_wear_out(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """OpenNetVM takes back the wrong memory of each NF that stops: 128 starts later whoever lives in it falls, and the
    manager with it. Two starts an order here, the NF and the way out: 55 orders are 110, and the next has a manager of
    its own. The double is as old as OpenNetVM would be: its pool of 128 requests is turned as starts turn it."""
    driver.apply(content(web(FIRST)))
    life = host.manager()
    age(host, MAX_STARTS - life.starts - 2)
    driver = host.driver(root=driver._root)
    driver.apply(content(web(FIRST, version=2)))
    assert (host.manager().pid, host.manager().starts) == (life.pid, MAX_STARTS)
    report = driver.apply(content(web(FIRST, version=3)))
    assert not report.failures
    assert (host.manager().pid != life.pid, host.manager().starts) == (True, 2)
    age(host, MAX_STARTS - 2)
    driver = host.driver(root=driver._root)
    life = host.manager()
    assert driver.apply(content(web(SECOND, version=3))).done == ("restarted web with its manager (it was worn out)",)
    assert (host.manager().pid != life.pid, host.manager().starts) == (True, 2)
    found = driver.sample().nfs["web.router"]
    assert (found.state, found.core) == (NfState.RUNNING, SECOND)
    wait_for("packets", lambda: driver.sample().nfs["web.router"].rx > found.rx)


def age(host: DoubleHost, starts: int) -> None:
    """So many starts, but for the processes: in the double's memory, and in the book."""
    memory = Memory(memory_file(host.huge_dir, f"sextant-{name_of('west')}"), create=False)
    for _ in range(starts):
        entry = memory.take_request()
        assert entry is not None and entry < MAX_NFS
        memory.give_back(entry)
    entry = host.manager()
    host.registry.put_manager(entry.model_copy(update={"starts": entry.starts + starts}))


def test_120_true_starts_hurt_no_nf(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Each order is another version of the NF: with the way out 2 starts, 60 times, in quick time."""
    host.home.set(time=0.01)
    lives = set()
    for version in range(60):
        assert not driver.apply(content(web(FIRST, version=version + 1))).failures
        lives.add(host.manager().pid)
    assert len(lives) == 2
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
