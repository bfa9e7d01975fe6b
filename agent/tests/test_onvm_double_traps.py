"""The OpenNetVM double: everything that goes wrong with OpenNetVM, each once."""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .onvm_bench import FIRST, SECOND, Bench
from .onvm_double.home import Home, Running
from .onvm_double.kernel import SleepFlag, remove_sleep_flags
from .onvm_double.memory import MAX_NFS, Memory, memory_file
from .onvm_double.turn import turn
from .waiting import wait_for

pytestmark = pytest.mark.fault


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "home")
    yield bench
    bench.end()


def kill(running: Running) -> None:
    running.process.kill()
    running.process.wait()


def test_a_killed_nf_stays_and_its_ring_fills(bench: Bench) -> None:
    """16,383 packets wait in its ring, all others that come are lost."""
    bench.only_double()
    bench.ready_manager()
    nf = bench.running_nf("bridge", FIRST, "-r", "1", "-m", "--")
    kill(nf)
    found = wait_for("a period of losses alone", lambda: _losing_all(bench.nfs()[1]))
    assert (found["rx_pps"], found["tx_pps"], found["state"]) == ("0", "0", "W")
    assert int(found["rx"]) - int(found["act_out"]) == 16_383


def _losing_all(nf: dict[str, str]) -> dict[str, str] | None:
    """In the period before its ring fills: a writing may be under way when the NF is killed."""
    return nf if nf["rx_drop_rate"] == "1000000" else None


def test_a_killed_nf_keeps_its_id_and_its_core(bench: Bench) -> None:
    bench.ready_manager()
    kill(bench.running_nf("bridge", FIRST, "-r", "1", "-m", "--"))
    bench.next_period()
    assert list(bench.nfs()) == [1]
    for words, said in (
        (("-m", "-s"), "Requested core is busy"),
        (("-n", "1", "-s"), "Selected ID already in use"),
    ):
        status, text = bench.refused(bench.nf("bridge", FIRST, "-r", "2", *words, "--"))
        assert (status, said in text) == (1, True), text


def test_two_dead_nfs_that_a_port_feeds_starve_the_host(bench: Bench) -> None:
    """Of 32,767 packet buffers the port holds 512 and one full ring 16,383; the second takes what is left, 15,872."""
    bench.only_double()
    bench.ready_manager()
    for lcore in (70, 71):
        kill(bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=lcore))
    wait_for("nothing more is taken", lambda: bench.port()["rx_pps"] == "0")
    before = bench.port()
    bench.next_period()
    assert (bench.port()["rx"], bench.port()["rx_pps"]) == (before["rx"], "0")


def test_an_nf_that_fails_after_it_got_its_id_poisons_it(bench: Bench) -> None:
    """The manager hangs when the id is given again: it writes nothing more, and no signal but SIGKILL ends it."""
    manager = bench.ready_manager()
    status, text = bench.refused(bench.nf("simple_forward", FIRST, "-r", "4", "-n", "7", "-s", "--"))
    assert (status, "Simple Forward NF requires destination flag -d." in text) == (1, True)
    assert "Cause: Invalid command-line arguments" in text
    wait_for("the manager knows", lambda: bench.events()[-1]["message"] == "NF Stopping")
    bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=71)  # another id: all is well
    waits = bench.nf("bridge", FIRST, "-r", "5", "-n", "7", "-s", "--", lcore=72)
    wait_for("the manager's last words", lambda: "Cannot create rx ring queue for NF 7" in manager.said)
    frozen = (bench.home.web / "onvm_stats.txt").stat().st_mtime_ns
    manager.process.terminate()
    waits.process.terminate()
    assert bench.refused(waits)[0] == 0
    assert waits.said.count("Waiting for onvm_mgr to recieve the message before shutting down") == 3
    assert not manager.ended
    assert (bench.home.web / "onvm_stats.txt").stat().st_mtime_ns == frozen


def test_an_nf_whose_file_is_bad_keeps_its_core(bench: Bench) -> None:
    """It ends without a word to its manager."""
    bench.ready_manager()
    status, text = bench.refused(
        bench.nf("firewall", FIRST, "-r", "1", "-m", "--", "-d", "2", "-f", "no-such-rules.json")
    )
    assert (status, "no-such-rules.json file could not be parsed/not found" in text) == (1, True)
    assert "Requested core is busy" in bench.refused(bench.nf("bridge", FIRST, "-r", "1", "-m", "--"))[1]


def test_a_refused_start_uses_up_an_id(bench: Bench) -> None:
    bench.ready_manager()
    for _ in range(2):
        assert bench.refused(bench.nf("bridge", FIRST, "-r", "32", "-s", "--"))[0] == 1
    bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--")
    assert list(bench.nfs()) == [3]


def test_the_same_id_asked_for_twice_at_once_hangs_the_manager(bench: Bench) -> None:
    """Only an id that runs already is refused: with a second that starts, the rings are there."""
    manager = bench.ready_manager()
    bench.home.set(time=2.0)  # both are in one period
    bench.next_period()
    for lcore in (70, 71):
        bench.nf("bridge", FIRST, "-r", "1", "-n", "9", "-s", "--", lcore=lcore)
    wait_for("the manager's last words", lambda: "Cannot create rx ring queue for NF 9" in manager.said)


def test_of_two_nfs_that_race_for_a_core_one_is_refused(bench: Bench) -> None:
    bench.ready_manager()
    racing = [bench.nf("bridge", FIRST, "-r", "1", "-m", "--") for _ in range(2)]
    wait_for("one has lost", lambda: any(nf.ended for nf in racing))
    wait_for("the other runs", lambda: len(bench.nfs()) == 1)
    lost = [nf for nf in racing if nf.ended]
    assert len(lost) == 1 and "Requested core is busy" in lost[0].said


def test_a_start_after_128_takes_the_memory_of_a_live_nf(bench: Bench) -> None:
    """The pool of 128 requests is a queue: every start takes the first and puts it back behind all others. An NF that
    stops puts its own table behind them too, and 128 starts later that is somebody's request. If another NF has the id
    by then, it falls, and the manager with it."""
    bench.only_double()
    manager = bench.ready_manager()
    first = bench.running_nf("bridge", FIRST, "-r", "1", "-n", "5", "-s", "--")
    first.process.terminate()
    wait_for("it has stopped", lambda: bench.events()[-1]["message"] == "NF Stopping")
    second = bench.running_nf("bridge", FIRST, "-r", "1", "-n", "5", "-s", "--")
    memory = Memory(memory_file(bench.home.huge_dir, "t"), create=False)
    assert memory.shared.pool_in - memory.shared.pool_out == MAX_NFS + 1
    for _ in range(127):  # and so many starts, but for what else they would do
        entry = memory.take_request()
        assert entry is not None and entry < MAX_NFS
        memory.give_back(entry)
    assert not second.ended
    bench.nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=71)
    assert bench.refused(second)[0] == -signal.SIGSEGV
    assert bench.refused(manager)[0] == -signal.SIGSEGV


def test_files_are_empty_and_cut_short_for_a_while(bench: Bench) -> None:
    bench.ready_manager()
    bench.home.set(write_pause_s=0.02)
    path, seen = bench.home.web / "onvm_json_stats.json", Counter[str]()

    def all_seen() -> bool:
        text = path.read_text()
        try:
            json.loads(text)
            seen["whole"] += 1
        except ValueError:
            seen["cut" if text else "empty"] += 1
        return seen["cut"] > 0 and seen["whole"] > 0

    wait_for("whole files and cut ones", all_seen)


def test_a_dead_manager_leaves_files_that_look_fresh(bench: Bench) -> None:
    """Its NFs live on. One that starts now waits for an answer for ever; no manager can start, and the one that tried
    has spoilt the memory of the NFs that live."""
    manager = bench.ready_manager()
    nf = bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--")
    kill(manager)
    last = bench.json()
    waits = bench.nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=71)
    wait_for("it asks", lambda: "Waiting for manager to assign an ID..." in waits.said)
    assert f"EAL: Fail to send request {bench.home.runtime_dir}/t/mp_socket:bus_vdev_mp" in waits.said
    status, text = bench.refused(bench.manager())
    assert (status, "EAL: FATAL: Cannot init memzone" in text) == (255, True)
    assert not nf.ended and not waits.ended and bench.json() == last
    nf.process.terminate()
    assert bench.refused(nf)[0] == -signal.SIGFPE


def test_an_nf_under_load_may_not_hear_once_its_manager_was_killed(bench: Bench) -> None:
    bench.home.set(wedge_on_manager_death=True)
    manager = bench.ready_manager()
    nf = bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--")
    wait_for("it has packets", lambda: bench.nfs()[1]["rx_pps"] != "0")
    kill(manager)
    nf.process.terminate()
    with pytest.raises(AssertionError):
        wait_for("it ends", lambda: nf.ended, seconds=1.0)


def test_a_manager_waits_in_vain_for_dead_nfs_before_it_ends(bench: Bench) -> None:
    manager = bench.ready_manager()
    kill(bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--"))
    manager.process.terminate()
    text = bench.refused(manager)[1]
    assert text.count("Waiting for 1 NFs to exit") == 10
    assert "Up to 1 NFs may still be running and must be killed manually" in text


def test_a_manager_may_hang_at_its_end(bench: Bench) -> None:
    manager = bench.ready_manager()
    bench.home.set(hang_at_exit=True)
    bench.next_period()
    manager.process.terminate()
    with pytest.raises(AssertionError):
        wait_for("it ends", lambda: manager.ended, seconds=1.0)


def test_a_full_disk_leaves_empty_files_and_no_word(bench: Bench) -> None:
    manager = bench.ready_manager()
    bench.home.set(disk_full=True)
    wait_for("an empty file", lambda: not bench.figures_text())
    assert not manager.ended
    bench.home.set(disk_full=False)
    wait_for("figures again", bench.figures_text)


def test_programs_of_another_build_are_refused(bench: Bench, tmp_path: Path) -> None:
    bench.only_double()
    bench.ready_manager()
    other = Home(tmp_path / "other", dpdk="23.11.2", runtime_dir=str(bench.home.runtime_dir))
    words = [*bench.eal(f"70@{FIRST}"), "--proc-type=secondary"]
    nf = bench.start(other.example("bridge"), *words, "--", "-r", "1", "--")
    status, text = bench.refused(nf)
    assert (status, "Primary and secondary process DPDK version mismatch" in text) == (1, True)
    bench.home.set(missing_library=["bridge"])
    status, text = bench.refused(bench.nf("bridge", FIRST, "-r", "1", "--"))
    assert (status, "error while loading shared libraries: librte_eal.so.23" in text) == (127, True)


def test_a_strangers_dpdk_program_has_the_default_prefix(bench: Bench) -> None:
    """A manager without a prefix of its own is refused; an NF without one gets into the wrong program, or is refused
    too where it does not say that it is a secondary process."""
    bench.only_double()
    words = bench.eal(f"0@{FIRST}", prefix="rte")
    stranger = bench.start(bench.home.foreign, *words)
    wait_for("it is there", (bench.home.runtime_dir / "rte" / "dpdk_telemetry.v2").exists)
    status, text = bench.refused(bench.start(bench.home.manager, *words, "--", "-p", "0"))
    assert (status, "Is another primary process running?" in text) == (255, True)
    for secondary, said in (
        ([], "Is another primary process"),
        (["--proc-type=secondary"], "No NF Info mempool - bye"),
    ):
        nf = bench.start(bench.home.example("bridge"), *words, *secondary, "--", "-r", "1", "--")
        status, text = bench.refused(nf)
        assert (status, said in text) == (1, True), text
    assert not stranger.ended


def test_labels_from_instance_100_are_cut_and_come_twice(bench: Bench) -> None:
    bench.ready_manager()
    for instance in (100, 101):
        bench.running_nf("bridge", FIRST, "-r", "1", "-n", str(instance), "-s", "--", lcore=instance)
    pairs = wait_for("whole JSON", lambda: _pairs(bench.home.web / "onvm_json_stats.json"))
    nfs = dict(pairs)["onvm_nf_stats"]
    assert [(label, dict(figures)["instance_id"]) for label, figures in nfs] == [("NF 10", 100), ("NF 10", 101)]


def _pairs(path: Path) -> list[tuple[str, list[tuple[str, list[tuple[str, object]]]]]]:
    try:
        return list(json.loads(path.read_text(), object_pairs_hook=list))
    except ValueError:
        return []


def test_misuse_that_opennetvm_punishes_without_a_word_is_written_down(bench: Bench) -> None:
    bench.only_double()
    bench.ready_manager()
    bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=70)
    assert bench.home.complaints == []
    bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=70)
    bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=126)
    assert bench.home.complaints == ["bridge 2: lcore 70 is NF 1's too", "bridge 3: lcore 126 is one of the manager's"]


@pytest.fixture
def names_of_the_machine() -> Iterator[None]:
    """Semaphores and System V keys of shared managers hold no prefix: one at a time on this machine."""
    with turn():
        if any(Path("/dev/shm").glob("sem.MProc_Client_*")):
            pytest.skip("a shared manager that is no test's runs on this machine, or has left its semaphores")
        yield
        for path in Path("/dev/shm").glob("sem.MProc_Client_*"):
            path.unlink()
        remove_sleep_flags(MAX_NFS)


def test_in_shared_mode_nfs_sleep_and_are_woken(bench: Bench, names_of_the_machine: None) -> None:
    """The first has packets, the second none: one is woken again and again, the other sleeps. Keys stay for ever."""
    bench.home.set(packets_per_second={"0": 1_000_000}, duty=0.2)
    manager = bench.ready_manager("-c", cpus=4)
    busy = bench.running_nf("bridge", FIRST, "-r", "1", "-s", "--", lcore=70)
    idle = bench.running_nf("bridge", SECOND, "-r", "2", "-s", "--", lcore=71)
    bench.next_period()
    assert len(list(Path("/dev/shm").glob("sem.MProc_Client_*_SEM"))) == MAX_NFS
    found = bench.nfs()
    assert found[2]["state"] == "S" and (int(found[1]["wakeups"]) > 0, found[2]["wakeups"]) == (True, "0")
    assert SleepFlag(2, create=False).sleeps
    used = [_cpu_time(list(nf.threads())[-1][0]) for nf in (busy, idle)]
    bench.next_period()
    assert _cpu_time(list(busy.threads())[-1][0]) - used[0] > _cpu_time(list(idle.threads())[-1][0]) - used[1]
    idle.process.terminate()
    assert bench.refused(idle)[0] == 0
    manager.process.terminate()
    bench.refused(manager)
    assert not list(Path("/dev/shm").glob("sem.MProc_Client_*_SEM"))
    assert not SleepFlag(1, create=False).sleeps, "the memory is still there"


def _cpu_time(thread: int) -> int:
    return int(Path(f"/proc/{thread}/schedstat").read_text().split()[0])
