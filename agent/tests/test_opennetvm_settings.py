"""opennetvm.toml changes while chains run: what runs goes on, is reported, and is taken over when somebody orders it.
The driver over the double; each driver here is an agent that was started again and has read the file as it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.take_over import TakeOver
from sextant_domain.hosts.desired import DesiredChain, NfState

from .onvm_double.home import Home
from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager, name_of
from .orders import chain, content, nf
from .waiting import wait_for

pytestmark = pytest.mark.skipif(FIRST == SECOND, reason="a chain of two NFs that poll needs two CPUs")
WEST = name_of("west")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    with double_host(tmp_path, manager("west", [FIRST, SECOND])) as host:
        yield host


def web() -> DesiredChain:
    return chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def change(host: DoubleHost, **fields: Any) -> OpenNetVmDriver:
    """Fields of the manager; those of the file's top as they are called there. The agent that has read it."""
    top: dict[str, Any] = {name: fields.pop(name) for name in ("huge_dir", "runtime_dir", "program") if name in fields}
    host.fields |= top
    host.entries = {WEST: host.entries[WEST] | fields}
    return host.driver()


def ask(host: DoubleHost) -> None:
    TakeOver(host.state / "opennetvm").ask("web")


def pids(host: DoubleHost, side: str = "west") -> set[int]:
    return {running.pid for running in host.processes(side)}


def assert_runs(driver: OpenNetVmDriver) -> None:
    found = driver.sample()
    assert {each.state for each in found.nfs.values()} == {NfState.RUNNING}
    wait_for("packets", lambda: driver.sample().chains["web"].delivered > found.chains["web"].delivered)
    assert driver.apply(content(web())).done == ()


CHANGES = [
    ({"memory_mb": 256}, f"memory_mb of manager {WEST}"),
    ({"eal": ["--no-pci", "--vdev=net_null0", "--vdev=net_null1"]}, f"eal of manager {WEST}"),
    ({"cpus": [SECOND] * 3}, f"cpus of manager {WEST}"),
    ({"port": "west-1"}, f"port of manager {WEST}"),
    ({"way_out_cpu": SECOND}, f"way_out_cpu of manager {WEST}"),
]


@pytest.mark.parametrize(("fields", "reported"), CHANGES, ids=[next(iter(fields)) for fields, _ in CHANGES])
def test_what_runs_goes_on_and_says_so_until_it_is_taken_over(
    host: DoubleHost, fields: dict[str, Any], reported: str
) -> None:
    host.driver().apply(content(web()))
    there = pids(host)
    driver = change(host, **fields)
    assert_runs(driver)
    assert pids(host) == there
    assert driver.sample().note == (
        f"web runs with former settings; changed in opennetvm.toml since: {reported}."
        " `sextant-agent take-over web` on this host restarts it with the present ones"
    )
    ask(host)
    assert driver.sample().chains["web"].fingerprint is None
    (done,) = driver.apply(content(web())).done
    assert done.startswith("removed web; added web")
    assert pids(host).isdisjoint(there)
    assert driver.sample().note is None
    assert_runs(driver)


def test_what_is_no_matter_of_processes_is_not_reported(host: DoubleHost) -> None:
    """The node is where the console shows the port; other NF types than the chain's are no matter of the chain."""
    host.driver().apply(content(web()))
    programs = {**host.programs(), "nids": {"path": host.home.example("bridge")}}
    driver = change(host, node=1, program=programs)
    assert driver.sample().note is None
    ask(host)
    assert_runs(driver)
    assert not TakeOver(host.state / "opennetvm").is_asked("web"), "there is nothing to take over"


def test_a_dead_nf_comes_back_by_what_its_manager_was_started_by(host: DoubleHost, tmp_path: Path) -> None:
    """By the new folders it would never meet its manager, and by the new program the chain would be half and half."""
    host.driver().apply(content(web()))
    life = host.manager().pid
    elsewhere = Home(tmp_path / "elsewhere")
    programs = {**host.programs(), "simple-forward": {"path": elsewhere.example("bridge"), "sends_out": True}}
    driver = change(host, runtime_dir=elsewhere.runtime_dir / "dpdk", huge_dir=elsewhere.huge_dir, program=programs)
    assert ": huge_dir, runtime_dir, program.simple-forward." in (driver.sample().note or "")
    kill(host.nf("web.simple-forward").running)
    assert not driver.apply(content(web())).failures
    assert (host.manager().pid, host.manager().dead, len(pids(host))) == (life, 1, 4)
    assert_runs(driver)


def test_a_new_life_of_the_manager_is_by_the_file_as_it_is(host: DoubleHost, tmp_path: Path) -> None:
    """The first NF dies, and with it the life. The program that is named now sends out itself: no way out any more.
    Files of the life before are removed from where that had them."""
    host.driver().apply(content(web()))
    huge = tmp_path / "huge"
    huge.mkdir()
    programs = {**host.programs(), "simple-forward": {"path": host.home.example("bridge"), "sends_out": True}}
    driver = change(host, huge_dir=huge, program=programs)
    kill(host.nf("web.router").running)
    assert not driver.apply(content(web())).failures
    assert ([each.nf_id for each in host.chain().nfs], len(pids(host))) == (["web.router", "web.simple-forward"], 3)
    assert (list(host.huge_dir.iterdir()), [path.name for path in huge.iterdir()]) == ([], [f"sextant-{WEST}map_0"])
    assert driver.sample().note is None
    assert_runs(driver)


def test_what_cannot_run_by_the_file_as_it_is_goes_on(host: DoubleHost) -> None:
    """It takes one of the chain's cores away. Once the file is right, what was asked is done."""
    host.driver().apply(content(web()))
    there = pids(host)
    driver = change(host, nf_cpus=[FIRST])
    ask(host)
    (failure,) = driver.apply(content(web())).failures.values()
    assert f"web.simple-forward: core {SECOND} is not one of the manager of port west-0" in failure.message
    assert failure.permanent and pids(host) == there
    driver = change(host, nf_cpus=[FIRST, SECOND], memory_mb=256)
    assert not driver.apply(content(web())).failures
    assert pids(host).isdisjoint(there)
    assert_runs(driver)


def test_a_manager_that_is_named_no_more_goes_on_with_its_chain(host: DoubleHost) -> None:
    """Its dead NFs come back under it; the chain is taken over by the manager that is named now."""
    host.driver().apply(content(web()))
    there = pids(host)
    host.entries = {name_of("east"): manager("east", [FIRST, SECOND])}
    driver = host.driver()
    assert f"manager {WEST} is no longer in it" in (driver.sample().note or "")
    assert_runs(driver)
    assert pids(host) == there
    kill(host.nf("web.simple-forward").running)
    assert not driver.apply(content(web())).failures
    assert (len(pids(host)), pids(host, "east")) == (4, set())
    ask(host)
    assert not driver.apply(content(web())).failures
    assert (pids(host), len(pids(host, "east")), driver.sample().note) == (set(), 4, None)
    assert [path.name for path in host.leftovers() if "west" in path.name] == []
    assert_runs(driver)
    assert set(host.driver().sample().chains) == {"web"}
    assert set(host.registry.managers) == {name_of("east")}


def test_a_manager_that_is_named_no_more_dies_and_its_chain_goes_to_another(host: DoubleHost) -> None:
    host.driver().apply(content(web()))
    host.entries = {name_of("east"): manager("east", [FIRST, SECOND])}
    driver = host.driver()
    kill(host.manager().running)
    assert not driver.apply(content(web())).failures
    assert (pids(host), len(pids(host, "east"))) == (set(), 4)
    assert_runs(driver)


def test_a_manager_that_is_named_no_more_is_ended_with_its_chain(host: DoubleHost) -> None:
    host.driver().apply(content(web()))
    host.entries = {name_of("east"): manager("east", [FIRST, SECOND])}
    assert host.driver().apply(content()).done == ("removed web",)
    assert (pids(host), host.leftovers()) == (set(), [])


def test_a_core_that_a_chain_has_by_an_older_file_is_given_to_no_other(host: DoubleHost) -> None:
    host.driver().apply(content(web()))
    host.entries = {WEST: manager("west", [FIRST]), name_of("east"): manager("east", [SECOND])}
    driver = host.driver()
    edge = chain("edge", nf("edge", "router", core=SECOND))
    failures = driver.apply(content(web(), edge)).failures
    assert failures["edge"].message.startswith(f"web holds core {SECOND} by former settings of opennetvm.toml")
    assert not failures["edge"].permanent and pids(host, "east") == set()
    assert not driver.apply(content(edge)).failures
    assert driver.sample().nfs["edge.router"].state is NfState.RUNNING


def test_another_order_for_the_chain_takes_it_over_too(host: DoubleHost) -> None:
    host.driver().apply(content(web()))
    life = host.manager().pid
    driver = change(host, memory_mb=256)
    newer = chain("web", *(each.model_copy(update={"nf_version": 2}) for each in web().nfs))
    assert not driver.apply(content(newer)).failures
    assert host.manager().pid != life and driver.sample().note is None
