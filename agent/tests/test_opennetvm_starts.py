"""What keeps NFs and managers from starting, each with its cause and what fixes it: the driver over the double."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.driver import Failure
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm import manager as manager_module
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_domain.hosts.desired import DesiredChain, NfState

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager, name_of
from .orders import chain, content, nf
from .test_disk_full import FILLER, fill
from .waiting import wait_for

pytestmark = pytest.mark.fault


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """One CPU is enough."""
    with double_host(tmp_path, manager("west", sorted({FIRST, SECOND}))) as host:
        yield host


def web(version: int = 1, core: int = FIRST, nf_type: str = "router") -> DesiredChain:
    return chain("web", nf("web", nf_type, core=core).model_copy(update={"nf_version": version}))


def failure(driver: OpenNetVmDriver, order: DesiredChain) -> Failure:
    """The only one; NFs of a chain share it."""
    (found,) = set(driver.apply(content(order)).failures.values())
    return found


def nothing_is_left(host: DoubleHost, driver: OpenNetVmDriver) -> bool:
    return not (driver.sample().chains or host.processes() or host.leftovers())


def runs(driver: OpenNetVmDriver, order: DesiredChain) -> None:
    report = driver.apply(content(order))
    assert (len(report.done), dict(report.failures)) == (1, {})
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
    before = driver.sample().chains["web"].delivered
    wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > before)


def pair() -> DesiredChain:
    """Two NFs with a CPU each."""
    if FIRST == SECOND:
        pytest.skip("a chain of two NFs that poll needs two CPUs")
    return chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def wrap(program: Path, words: str) -> None:
    """In place of a program a script that starts it with other words."""
    built = program.parent / "built" / program.name
    if not built.exists():
        built.parent.mkdir()
        program.rename(built)
    program.write_text(f"#!/bin/sh\nexec {built} {words}\n")
    program.chmod(0o755)


def test_an_nf_that_fails_after_it_got_its_id_poisons_no_other(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Its program loses `-d`, as one of another build might: each try takes an id that nobody had, and the manager
    lives on. Ids 1 to 3 at first, then 4 and 5 by the two that fail; the third try needs two, for the router must
    be started again to learn the new service."""
    program = host.home.example("simple_forward")
    wrap(program, '"$@"')
    driver.apply(content(pair()))
    life = host.manager()
    assert life.starts == 3
    wrap(program, '$(echo "$@" | sed "s/ -d .*//")')
    kill(host.nf("web.simple-forward").running)
    for _ in range(2):
        found = failure(driver, pair())
        assert found.permanent and "the NF refused its arguments" in found.message
        assert "is it of OpenNetVM v21.10?" in found.message
    assert driver.sample().nfs["web.simple-forward"].state is NfState.CRASHED
    wrap(program, '"$@"')
    runs(driver, pair())
    assert (host.manager().pid, host.manager().note, host.manager().starts) == (life.pid, None, 7)
    assert [each.instance for each in host.chain().nfs] == [7, 6, 1]


def test_an_nf_that_said_goodbye_a_moment_ago_does_not_cost_its_manager(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    """The router was ended for the forward behind it, which then fails. The manager's last whole figures are from
    before, and list the router still: those that come next decide whether service 1 is lost."""
    program = host.home.example("simple_forward")
    wrap(program, '"$@"')
    driver.apply(content(pair()))
    life = host.manager()
    wait_for("figures of all three", lambda: len(driver._managers[name_of("west")].figures().nfs) == 3)
    host.home.set(disk_full=True)
    wait_for("empty figures", lambda: not (host.web() / "onvm_stats.txt").read_text())
    wrap(program, '$(echo "$@" | sed "s/ -d .*//")')
    kill(host.nf("web.simple-forward").running)
    assert "the NF refused its arguments" in failure(driver, pair()).message
    wrap(program, '"$@"')
    space = threading.Timer(0.3, lambda: host.home.set(disk_full=False))
    space.start()
    runs(driver, pair())
    space.join()
    assert (host.manager().pid, host.manager().note) == (life.pid, None)


def test_a_manager_that_an_nf_finds_in_disorder_is_started_again(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Not under a chain that is being added, which would end with its manager anyway: under one that runs."""
    program = host.home.example("simple_forward")
    wrap(program, '"$@"')
    driver.apply(content(pair()))
    life = host.manager()
    program.write_text(
        "#!/bin/sh\necho 'EAL: Fail to send request /var/run/dpdk/rte/mp_socket:mp_malloc_sync'\nexit 1\n"
    )
    kill(host.nf("web.simple-forward").running)
    found = failure(driver, pair())
    assert "the NF's manager does not answer; the manager is started again" in found.message
    assert (host.manager().pid, host.manager().suspect) == (life.pid, True)
    wrap(program, '"$@"')
    runs(driver, pair())
    assert (host.manager().pid != life.pid, host.manager().suspect) == (True, False)


def test_ids_end_at_127(host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers hold all that are left: OpenNetVM would take a larger one, and write beyond its tables."""
    one = driver._managers[name_of("west")]
    monkeypatch.setattr(one.statistics, "ready", lambda: frozenset(range(1, 127)))
    assert one.give_instance() == 127
    with pytest.raises(DriverError, match=r"manager of west-0 has no instance id left for an NF: 126 are held"):
        one.give_instance()
    assert host.manager().suspect


def test_of_two_nfs_that_race_for_a_core_ours_wins_in_the_end(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Somebody started an NF by hand under our manager, with a core of its own: ours is refused, its manager is taken
    for being in disorder, and is started again without the stranger."""
    runs(driver, web(core=FIRST))
    stranger = host.start("bridge", "-r", "20", "-m", "--", lcore=f"{SECOND}@{SECOND}")
    wait_for("it has the core", lambda: len(host.figures()) == 3)
    found = failure(driver, chain("web", nf("web", "simple-forward", core=SECOND)))
    assert not found.permanent
    assert "OpenNetVM holds this core for another NF; the manager is started again" in found.message
    runs(driver, chain("web", nf("web", "simple-forward", core=SECOND)))
    wait_for("the stranger ends", lambda: stranger.ended)


def test_programs_of_another_build_are_refused_in_words(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """The manager runs on one DPDK, NFs were built against another; then their library is missing altogether."""
    runs(driver, web())
    host.home.set(dpdk="23.11.2")
    found = failure(driver, web(version=2))
    assert found.permanent and "built against different versions of DPDK: build both again" in found.message
    assert nothing_is_left(host, driver)
    host.home.set(dpdk="22.11.11", missing_library=["flow_tracker"])
    found = failure(driver, web())
    assert "librte_eal.so.23: cannot open shared object file" in found.message
    assert nothing_is_left(host, driver)
    host.home.set(missing_library=[])
    runs(driver, web())


def test_a_manager_without_huge_pages_is_tried_again_until_there_are_some(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    """At first, and when it has to be started again under a chain."""
    host.home.set(hugepages_mb=0)
    found = failure(driver, web())
    assert (found.permanent, "there are no free huge pages" in found.message) == (False, True)
    assert nothing_is_left(host, driver)
    host.home.set(hugepages_mb=4096)
    runs(driver, web())
    host.home.set(hugepages_mb=64)
    before = driver.sample()
    kill(host.manager().running)
    for _ in range(2):
        found = failure(driver, web())
        assert "fewer free huge pages than memory_mb of opennetvm.toml asks for" in found.message
        sample = driver.sample()
        assert sample.nfs["web.router"].state is NfState.CRASHED
        assert sample.chains["web"].delivered >= before.chains["web"].delivered
    assert sample.chains["web"].delivered == driver.sample().chains["web"].delivered, "a dead life is counted once"
    host.home.set(hugepages_mb=4096)
    runs(driver, web())
    assert driver.sample().chains["web"].instance == before.chains["web"].instance


def test_a_manager_that_has_not_its_ports_is_refused(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenNetVM itself only warns, and would run without packets for ever."""
    monkeypatch.setattr(manager_module, "MANAGER_START_S", 2.0)
    (entry,) = host.entries.values()
    entry["port_mask"] = 3
    found = failure(host.driver(), web())
    assert "it has not all ports of port_mask 0x3 (those it has: 0): bind the card" in found.message
    assert nothing_is_left(host, driver)


def test_a_manager_whose_files_stay_empty_names_the_disk(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenNetVM truncates its files, writes nothing, and says nothing."""
    monkeypatch.setattr(manager_module, "MANAGER_START_S", 2.0)
    host.home.set(disk_full=True)
    assert "is the disk full?" in failure(driver, web()).message
    assert nothing_is_left(host, driver)
    host.home.set(disk_full=False)
    runs(driver, web())
    before = driver.sample()
    host.home.set(disk_full=True)
    wait_for("files are empty", lambda: not (host.web() / "onvm_stats.txt").read_text())
    after = driver.sample()
    assert after.nfs["web.router"].state is NfState.RUNNING, "packets go on, and so does the NF"
    assert after.chains["web"].delivered >= before.chains["web"].delivered


@pytest.fixture
def small_disk(host: DoubleHost) -> Iterator[Path]:
    """The state folder as a file system of 2 MiB."""
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "sextant-test", str(host.state)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"needs root, to mount a small file system: {mounted.stderr.strip()}")
    try:
        yield host.state
    finally:
        host.kill_all()
        subprocess.run(["umount", "--lazy", str(host.state)], check=True)


def test_a_full_disk_starts_nothing_and_keeps_nothing_from_ending(host: DoubleHost, small_disk: Path) -> None:
    """Before an NF is started it is written down; what has ended is remembered, and written when there is room."""
    driver = host.driver()
    runs(driver, web())
    fill(small_disk)
    kill(host.nf("web.router").running)
    for _ in range(2):
        found = failure(driver, web())
        assert "No space left on device; free space or fix the folder" in found.message and not found.permanent
        assert driver.sample().nfs["web.router"].state is NfState.CRASHED
        assert (host.processes(), host.leftovers()) == ([], [])
    (small_disk / FILLER).unlink()
    runs(driver, web())
    fill(small_disk)
    assert not driver.apply(content()).failures
    assert nothing_is_left(host, driver)
    (small_disk / FILLER).unlink()
    assert driver.apply(content()).done == ()
    runs(driver, web())
    assert host.driver().apply(content(web())).done == (), "a successor finds it as it is"


def test_a_strangers_dpdk_program_on_the_default_prefix_is_left_alone(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    words = ["--lcores", f"0@{FIRST}", "--file-prefix=rte", f"--huge-dir={host.huge_dir}"]
    stranger = host.start_foreign(*words)
    socket = host.runtime_dir / "dpdk" / "rte" / "dpdk_telemetry.v2"
    wait_for("it is there", socket.exists)
    runs(driver, web())
    kill(host.manager().running)
    runs(driver, web())
    driver.apply(content())
    assert not stranger.ended and socket.exists()
    assert {path.name for path in host.leftovers()} == {"rte", "rtemap_0"}, "its own"


def test_a_stranger_on_our_prefix_is_ended(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """Prefixes of Sextant are nobody else's: a primary process there would keep the manager from starting."""
    words = ["--lcores", f"0@{FIRST}", f"--file-prefix=sextant-{next(iter(host.entries))}"]
    stranger = host.start_foreign(*words, f"--huge-dir={host.huge_dir}")
    wait_for("it is there", host.processes)
    runs(driver, web())
    wait_for("the stranger ends", lambda: stranger.ended)
