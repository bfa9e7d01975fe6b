"""The OpenNetVM double: how its processes start, what they write, how they end. Traps have a file of their own."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from .onvm_bench import CPUS, FIRST, SECOND, Bench
from .onvm_double.home import Running
from .waiting import wait_for


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "home")
    yield bench
    bench.end()


def chain(bench: Bench) -> tuple[Running, Running]:
    """Service 1 hands on to service 2, which sends out."""
    out = bench.running_nf("bridge", SECOND, "-r", "2", "-s", "--", lcore=70)
    forward = bench.running_nf("simple_forward", FIRST, "-r", "1", "-s", "--", "-d", "2", lcore=71)
    return forward, out


def test_packets_of_a_chain_are_counted_once_at_each_place(bench: Bench) -> None:
    """A million a second, 60 ns each at the first NF, 50 ns at the second: both keep up even on one shared CPU, so that
    what the port receives is what it sends."""
    bench.home.set(packets_per_second={"0": 1_000_000})
    bench.ready_manager()
    chain(bench)
    bench.next_period()
    nfs = bench.nfs()
    forward, out = nfs[2], nfs[1]
    assert (forward["tag"], forward["service"], forward["state"]) == ("simple_forward", "1", "W")
    assert (out["tag"], out["service"]) == ("bridge", "2")
    assert forward["rx_pps"] == forward["tx_pps"] == out["rx_pps"] == out["tx_pps"] == "1000000"
    assert forward["rx"] == forward["act_tonf"] == out["rx"] == out["act_out"]
    assert forward["rx_drop"] == out["rx_drop"] == "0"
    assert bench.port()["tx_pps"] == "1000000"
    found = bench.json()
    assert found["last_updated"].endswith("\n")
    assert found["onvm_port_stats"] == {"Port 0": {"Label": "Port 0", "RX": 1_000_000, "TX": 1_000_000}}
    assert found["onvm_nf_stats"]["NF 1"] == {
        "Label": "NF 1", "RX": 1_000_000, "TX": 1_000_000, "TX_Drop_Rate": 0, "RX_Drop_Rate": 0,
        "service_id": 2, "instance_id": 1, "core": int(out["core"]),
    }  # fmt: skip


def test_events_are_all_those_since_the_start(bench: Bench) -> None:
    bench.ready_manager()
    nf = bench.running_nf("bridge", SECOND, "-r", "3", "-m", "--")
    nf.process.terminate()
    assert bench.refused(nf)[0] == 0
    wait_for("it is gone from the figures", lambda: not bench.nfs())
    source = {"type": "bridge", "instance_id": 1, "service_id": 3, "core": SECOND}
    events = wait_for(
        "the last event", lambda: [e for e in bench.events() if "NF" in e["message"]][2:] and bench.events()
    )
    assert [(event["message"], event["source"]) for event in events] == [
        ("Port 0 initialized", {"type": "MGR"}),
        ("MGR Start", {"core": 125}),
        ("Tx Start", {"core": 126}),
        ("Rx Start", {"core": 0x80000 | 127}),
        ("NF Starting", source),
        ("NF Ready", source),
        ("NF Stopping", {"type": "NF", "instance_id": 1}),
    ]


def test_the_packet_thread_is_the_last_and_can_be_moved(bench: Bench) -> None:
    """With taskset, at once and for good; what the manager says of its core is no longer true then."""
    bench.ready_manager()
    nf = bench.running_nf("bridge", FIRST, "-r", "1", "-m", "--")
    threads = list(nf.threads())
    assert [name for _, name, _ in threads] == ["bridge", "eal-intr-thread", "rte_mp_handle", "bridge"]
    assert threads[-1][2] == {FIRST}
    os.sched_setaffinity(threads[-1][0], {SECOND})
    bench.next_period()
    assert next(reversed(list(nf.threads())))[2] == {SECOND}
    assert bench.nfs()[1]["core"] == str(FIRST)


def test_a_list_of_processes_shows_them_as_they_were_started(bench: Bench) -> None:
    manager = bench.ready_manager()
    words = Path(f"/proc/{manager.pid}/cmdline").read_bytes().split(b"\0")
    assert Path(os.fsdecode(words[0])).name == "onvm_mgr"
    assert b"--file-prefix=t" in words and words[-2:] == [b"1", b""]
    assert Path(f"/proc/{manager.pid}/comm").read_text() == "onvm_mgr\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-r", "1", "-m", "--"], "Requested core is not enabled or not in range"),
        (["-m", "-s", "--"], "Service ID must be less than 32"),
        (["-r", "0", "-s", "--"], "Service ID must be less than 32"),
        (["-r", "32", "-s", "--"], "Service ID must be less than 32"),
        (["-r", "1", "-n", "128", "-s", "--"], "There are no ids available for this NF"),
        (["-r", "1", "-t", "0", "--"], "Time to live argument can't be 0"),
        (["-r", "1", "-x", "--"], "Unknown option `-x'."),
    ],
)
def test_a_start_that_is_refused_ends_with_status_1(bench: Bench, words: list[str], said: str) -> None:
    """The lcore is 70, which is no core of NFs."""
    bench.ready_manager()
    status, text = bench.refused(bench.nf("bridge", SECOND, *words, lcore=70))
    assert (status, said in text) == (1, True), text
    assert text.count("EAL: Error - exiting with code: 1") == 1


def test_cores_are_given_as_asked(bench: Bench) -> None:
    """Alone, an NF has its core for itself; who shares gets one that nobody has for himself."""
    bench.ready_manager()
    bench.running_nf("bridge", FIRST, "-r", "1", "-m", "-s", "--")
    assert (
        "There is no space to assign a dedicated core"
        in bench.refused(bench.nf("bridge", FIRST, "-r", "2", "-m", "--"))[1]
    )
    if len(CPUS) > 1:
        bench.running_nf("bridge", SECOND, "-r", "3", "-m", "--")
        assert "Requested core is busy" in bench.refused(bench.nf("bridge", SECOND, "-r", "4", "-m", "-s", "--"))[1]


@pytest.mark.parametrize(
    ("app", "eal", "said"),
    [
        (["-z", "0"], (), "-p PORTMASK"),
        (["-s", "file"], (), "-p PORTMASK"),
        (["-q"], (), "ERROR: Unknown option '?'"),
        (["-c"], (), "Not enough cores to enabled shared core support"),
        ([], ("--nonsense",), "unrecognized option '--nonsense'"),
        ([], ("--vdev=net_foo0",), 'failed to parse device "net_foo0"'),
        ([], ("-m", "900000"), "Not enough memory available! Requested: 900000MB, available: "),
        ([], ("--huge-dir=/nowhere",), "but no mounted hugetlbfs found for that size"),
        ([], ("--lcores", "1@1000"), "EAL: core 1000 unavailable"),
    ],
)
def test_a_manager_that_is_refused_ends_with_status_255(
    bench: Bench, app: list[str], eal: tuple[str, ...], said: str
) -> None:
    status, text = bench.refused(bench.manager(*app, eal=eal))
    assert (status, said in text) == (255, True), text


def test_a_manager_needs_the_folder_of_its_files(bench: Bench) -> None:
    bench.home.web.rmdir()
    status, text = bench.refused(bench.manager())
    assert (status, "Error opening stats files" in text) == (255, True)


def test_an_nf_without_a_manager_ends_at_once(bench: Bench) -> None:
    status, text = bench.refused(bench.nf("bridge", FIRST, "-r", "1", "--"))
    assert status == 1
    assert f"Cannot open '{bench.home.runtime_dir}/t/config' for rte_mem_config" in text
    assert "Cause: Failed ONVM init" in text


def test_the_runtime_folder_must_be_there(bench: Bench, tmp_path: Path) -> None:
    bench.home.set(runtime_dir=str(tmp_path / "missing" / "dpdk"))
    status, text = bench.refused(bench.manager())
    assert (status, "EAL: Cannot create runtime directory" in text) == (255, True)


def test_a_prefix_has_one_manager(bench: Bench) -> None:
    bench.ready_manager()
    status, text = bench.refused(bench.manager())
    assert status == 255
    assert f"Cannot create lock on '{bench.home.runtime_dir}/t/config'. Is another primary process running?" in text


def test_an_nf_that_is_asked_to_end_leaves_its_figures(bench: Bench) -> None:
    bench.ready_manager()
    forward, out = chain(bench)
    forward.process.terminate()
    status, text = bench.refused(forward)
    assert (status, "If we reach here, program is ending" in text) == (0, True)
    header, row = (forward.log.parent / "simple_forward_stats.csv").read_text().splitlines()
    assert header.startswith("NF tag, NF instance ID") and row.startswith("simple_forward, 2, 1, 0,")
    assert not out.ended


def test_a_manager_that_is_asked_to_end_stops_its_nfs_and_falls(bench: Bench) -> None:
    """Its exit status means nothing. Files stay, and a new manager starts over them."""
    manager = bench.ready_manager()
    forward, out = chain(bench)
    manager.process.terminate()
    assert bench.refused(manager)[0] == -signal.SIGSEGV
    assert [bench.refused(nf)[0] for nf in (forward, out)] == [0, 0]
    left = {path.name for path in (bench.home.runtime_dir / "t").iterdir()}
    assert {"config", "mp_socket", "fbarray_memzone", f"fbarray_memseg-2048k-0-0_{out.pid}"} <= left
    assert (bench.home.huge_dir / "tmap_0").exists()
    (bench.home.web / "onvm_stats.txt").unlink()
    bench.ready_manager()
    assert not list((bench.home.runtime_dir / "t").glob("fbarray_memseg*_*"))


def test_the_socket_of_telemetry_reports_ports(bench: Bench) -> None:
    manager = bench.ready_manager()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        folder = os.open(bench.home.runtime_dir / "t", os.O_RDONLY)
        asking.connect(f"/proc/self/fd/{folder}/dpdk_telemetry.v2")
        os.close(folder)

        def ask(command: str) -> object:
            asking.send(command.encode())
            return json.loads(asking.recv(16_384))[command.partition(",")[0]]

        hello = json.loads(asking.recv(16_384))
        assert hello["version"].startswith("DPDK ")
        assert (hello["pid"], hello["max_output_len"]) == (manager.pid, 16_384)
        assert ask("/ethdev/list") == [0]
        stats = ask("/ethdev/stats,0")
        assert isinstance(stats, dict) and stats["ipackets"] >= 6_000_000, "five seconds and one period"
        assert ask("/ethdev/stats,7") is None
        assert ask("/mempool/list") == ["MProc_pktmbuf_pool", "NF_INFO_MEMPOOL", "NF_MSG_MEMPOOL"]


def test_a_time_to_live_ends_an_nf(bench: Bench) -> None:
    bench.ready_manager()
    status, text = bench.refused(bench.nf("bridge", FIRST, "-r", "1", "-t", "1", "--"))
    assert (status, "Time to live exceeded, shutting down" in text) == (0, True)
