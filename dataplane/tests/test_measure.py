"""sextant-measure, for real and short: what its lines hold, that its figures are sane, and that nothing stays behind.

No speed is asserted: this machine may be busy. Slices in which an NF lacked its core are dropped by the program itself;
where none is left, the run is repeated.
"""

import json
import os
import signal
import statistics
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, CORES, is_alive, source, wait_for

MEASURE = BINARY.with_name("sextant-measure")
TRIES = 20


def load(kind: str, core: int = CORES[-1], flows: int = 100, **config: Any) -> dict[str, Any]:
    """An NF of a request; a closed loop's source has no rate."""
    of_loop = source(flows=flows, dst_port=None)
    del of_loop["rate_mpps"]
    return {"type": kind, "config": config, "core": core, "source": of_loop}


def hold_the_cores() -> None:
    """Of a process that is about to become another: against other sessions' work, where the kernel weighs sessions and
    this one may weigh itself."""
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text("-20")
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def measure(request: Any, *arguments: str) -> list[dict[str, Any]]:
    text = request if isinstance(request, bytes) else json.dumps(request).encode()
    command = [MEASURE, *arguments]
    done = subprocess.run(
        command,
        check=False,
        input=text,
        capture_output=True,
        timeout=120,
        start_new_session=True,
        preexec_fn=hold_the_cores,
    )
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode == 0) == ("summary" in lines[-1]), (lines[-1], done.stderr)
    return lines


def of(kind: str, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line[kind] for line in lines if kind in line]


def slices(lines: list[dict[str, Any]], nf: int = 0, against: str | None = None) -> list[tuple[int, int, int]]:
    samples = [each for each in of("sample", lines) if each["nf"] == nf and against in {None, each["against"]}]
    return [tuple(each) for sample in samples for each in sample["slices"]]


def cycles(lines: list[dict[str, Any]], nf: int = 0) -> float:
    return statistics.median(spent / packets for packets, spent, _ in slices(lines, nf))


def until_clean(request: dict[str, Any], *wanted: tuple[int, str | None]) -> list[dict[str, Any]]:
    """A run with clean slices for every (NF, against) of `wanted`."""
    for _ in range(TRIES):
        lines = measure(request)
        assert "summary" in lines[-1], lines[-1]
        if all(slices(lines, nf, against) for nf, against in wanted):
            return lines
    pytest.fail("in none of the runs did the NFs have their cores for a millisecond")


def test_describe_names_types_cores_and_the_source_of_counters() -> None:
    (line,) = measure({"mode": "describe"})
    assert {"router", "firewall", "basic-monitor", "simple-forward"} <= set(line["summary"]["nf_types"])
    assert line["summary"]["cores"] == CORES
    counters = line["summary"]["counters"]
    assert counters["source"] == ("perf" if counters["events"] else "tsc")
    assert counters["events"] or "instructions:" in counters["reason"]


def test_solo_slices_hold_packets_cycles_and_time() -> None:
    lines = until_clean({"mode": "solo", "nf": load("router"), "seconds": 0.2}, (0, None))
    assert [next(iter(line)) for line in lines[:2]] == ["started", "gate"]
    assert [next(iter(line)) for line in lines[-2:]] == ["gate", "summary"]
    assert [gate["when"] for gate in of("gate", lines)] == ["before", "after"]
    assert all(0.1 < gate["clocks"][0]["imul_ns"] < 100 for gate in of("gate", lines))
    summary = lines[-1]["summary"]
    assert summary["clean"] + summary["starved"] == 200
    assert summary["clean"] == len(slices(lines))
    for packets, spent, wall_ns in slices(lines):
        assert packets % 32 == 0
        assert wall_ns >= 500_000, "half a slice at least"
        assert 0 < spent < wall_ns * summary["tsc_hz"] / 1e9, "cycles inside the NF are a part of the time"


def test_a_thousand_loops_cost_about_a_thousand_loops() -> None:
    """A loop is at least half a cycle and at most some cycles on any core; 1000 loops cost 500 to 5000 more."""
    none = until_clean({"mode": "solo", "nf": load("simple-forward", loops=0), "seconds": 0.2}, (0, None))
    many = until_clean({"mode": "solo", "nf": load("simple-forward", loops=1000), "seconds": 0.2}, (0, None))
    assert 500 < cycles(many) - cycles(none) < 5000


def test_all_flows_of_a_profile_reach_the_nf_before_it_is_measured() -> None:
    """A table for 65,536 flows holds the 20,000 of the source; the warm-up sends each of them twice."""
    monitor = load("basic-monitor", flows=20_000, flow_table_entries=65_536)
    lines = measure({"mode": "solo", "nf": monitor, "seconds": 0.01})
    assert lines[-1]["summary"]["details"] == [{"flows": 20_000, "untracked_packets": 0}]


def test_an_nf_is_measured_on_packets_of_ipv6() -> None:
    nids = load("nids", synthetic_patterns=20)
    nids["source"]["match"] |= {"src_prefix": "2001:db8:a::/48", "dst_prefix": "fd00:b::/64"}
    (details,) = measure({"mode": "solo", "nf": nids, "seconds": 0.01})[-1]["summary"]["details"]
    assert details["scanned_packets"] > 0
    assert details["unscanned_packets"] == 0


LIBRARIES = ("basic-monitor", "bubble", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "vpn")


@pytest.mark.parametrize("kind", LIBRARIES)
def test_the_librarys_own_work_is_measured_on_tables_that_the_nf_has_filled(kind: str) -> None:
    config = {"backends": [{"address": "10.200.0.1", "weight": 1}]} if kind == "load-balancer" else {}
    nf = load(kind, flows=20_000, **config)
    lines = until_clean({"mode": "solo", "nf": nf, "work": "primitive", "seconds": 0.05}, (0, None))
    (details,) = lines[-1]["summary"]["details"]
    warmed = 65_536  # packets of the warm-up; the NF itself has seen no other
    seen = {
        "basic-monitor": {"flows": 20_000},
        "nat": {"flows": 20_000},
        "nids": {"scanned_packets": warmed},
        "vpn": {"encrypted": warmed},
        "load-balancer": {"backends": {"10.200.0.1": warmed}},
    }
    assert details.items() >= seen.get(kind, {}).items()


def test_mixed_sizes_reach_the_nf() -> None:
    """Writing 362 bytes (the mean of IMIX) takes longer than writing 64, whatever the machine. Both run on one core in
    turns of milliseconds, so that a clock or a neighbour that changes meets both."""
    mixed = load("simple-forward")
    mixed["source"]["sizes"] = {"kind": "imix"}
    lines = measure({"mode": "shared-core", "nf": load("simple-forward"), "others": [mixed], "seconds": 0.4})
    plain_ns, mixed_ns = (
        statistics.median(one["cpu_ns"] / one["packets"] for one in of("sample", lines) if one["nf"] == nf)
        for nf in (0, 1)
    )
    assert mixed_ns > plain_ns


@pytest.mark.skipif(len(CORES) < 2, reason="one core only")
def test_colocation_swaps_the_competitor_with_a_spinner() -> None:
    request = {
        "mode": "colocation",
        "nf": load("router"),
        "others": [load("basic-monitor", core=CORES[0])],
        "pairs": 4,
        "phase_ms": 40,
        "settle_ms": 5,
    }
    lines = until_clean(request, (0, "spinner"), (0, "competitor"), (1, "competitor"))
    mine = [sample for sample in of("sample", lines) if sample["nf"] == 0]
    assert [sample["against"] for sample in mine] == ["spinner", "competitor", "competitor", "spinner"] * 2
    for sample in mine:
        assert sample["settling"] == 5
        assert len(sample["slices"]) + sample["starved"] == 35
    other = [sample for sample in of("sample", lines) if sample["nf"] == 1]
    assert [sample["phase"] for sample in other] == [1, 2, 5, 6], "it has figures where it runs"
    by_phase = {sample["phase"]: len(sample["slices"]) for sample in mine}
    assert all(len(sample["slices"]) == by_phase[sample["phase"]] for sample in other), "both, or neither"
    for gate in of("gate", lines):
        assert [clock["core"] for clock in gate["clocks"]] == [CORES[-1], CORES[0]]
        (pair,) = gate["pairs"]
        assert pair["cores"] == [CORES[-1], CORES[0]] and pair["ns"] > 0


@pytest.mark.skipif(len(CORES) < 2, reason="one core only")
@pytest.mark.parametrize("rate_mpps", [0.05, 1.0])
def test_a_competitor_with_a_rate_takes_that_and_keeps_its_core(rate_mpps: float) -> None:
    """.05 Mpps is a burst of 32 every .64 ms: one or two a slice; 1 Mpps is less than a tenth of what a monitor can."""
    other = load("basic-monitor", core=CORES[0])
    other["source"]["rate_mpps"] = rate_mpps
    request = {"mode": "colocation", "nf": load("router"), "others": [other], "pairs": 8}
    found: list[tuple[int, int, int]] = []
    for _ in range(TRIES):
        lines = measure(request)
        assert "summary" in lines[-1], lines[-1]
        found += slices(lines, 1)
        if len(found) >= 200:
            break
    else:
        pytest.fail("in all runs together the NFs did not have their cores for 200 ms")
    packets, ticks, wall_ns = (sum(each[field] for each in found) for field in range(3))
    assert packets * 1e3 / wall_ns == pytest.approx(rate_mpps, rel=0.04)
    assert ticks * 1e9 / of("summary", lines)[0]["tsc_hz"] < 0.6 * wall_ns, "what it waited is none of the NF's"
    assert all(sample["counts"] == {} for sample in of("sample", lines) if sample["nf"] == 1)


def test_an_nf_alone_may_have_a_rate_as_a_competitor_of_what_is_measured_elsewhere() -> None:
    """1 Mpps is a burst of 32 every 32 us."""
    nf = load("basic-monitor")
    nf["source"]["rate_mpps"] = 1.0
    found = slices(measure({"mode": "solo", "nf": nf, "seconds": 1}), 0)
    packets, wall_ns = (sum(each[field] for each in found) for field in (0, 2))
    assert packets * 1e3 / wall_ns == pytest.approx(1.0, rel=0.04)


def test_two_nfs_of_equal_weight_share_a_core_about_equally() -> None:
    nfs = [load("router"), load("simple-forward", loops=500)]
    lines = measure({"mode": "shared-core", "nf": nfs[0], "others": nfs[1:], "seconds": 1})
    used = [sum(sample["cpu_ns"] for sample in of("sample", lines) if sample["nf"] == nf) for nf in (0, 1)]
    assert all(share > 0 for share in used)
    assert 0.2 < used[0] / sum(used) < 0.8
    wall = sum(sample["wall_ns"] for sample in of("sample", lines) if sample["nf"] == 0)
    assert sum(used) < 1.1 * wall, "there is one core only"


def test_calibration_reports_clock_distances_and_caches() -> None:
    lines = measure({"mode": "calibrate", "cores": CORES[:2], "sweep_mib": 4})
    assert [clock["core"] for clock in of("clock", lines)] == CORES[:2]
    assert all(1e8 < clock["hz"] < 1e10 for clock in of("clock", lines))
    assert [pair["cores"] for pair in of("pair", lines)] == ([CORES[:2]] if len(CORES) > 1 else [])
    steps = of("chase", lines)
    assert [steps[0]["bytes"], steps[-1]["bytes"]] == [8192, 4 * 2**20 - 64]
    # 4 MiB are beyond the second level of most cores, 8 KiB within the first of all.
    assert steps[-1]["ns"] > steps[0]["ns"] > 0
    assert 1e8 < lines[-1]["summary"]["tsc_hz"] < 1e11


@pytest.mark.parametrize(
    ("request_text", "field"),
    [
        (b"", ""),
        (b"\xff\xfe", ""),
        (b"[" * 100_000, ""),
        (b" " * (1 << 20) + b"{}", ""),
        (b'{"mode": "solo", "mode": "solo"}', ""),
        (b'{"mode": "root"}', "mode"),
        (json.dumps({"mode": "solo", "seconds": 1e9, "nf": load("router")}).encode(), "seconds"),
        (json.dumps({"mode": "solo", "seconds": 1, "nf": load("router", core=1000)}).encode(), "nf.core"),
        (json.dumps({"mode": "solo", "seconds": 1, "nf": load("router", routes=7)}).encode(), "nf.config.routes"),
        (json.dumps({"mode": "colocation", "nf": load("router"), "others": []}).encode(), "others"),
        (("{" + f'"mode": "solo", "{"é" * 200}": 1' + "}").encode(), "é" * 30),
    ],
)
def test_a_hostile_request_is_refused_with_field_and_cause(request_text: bytes, field: str) -> None:
    (line,) = measure(request_text)
    assert line["error"]["field"] == field
    assert len(line["error"]["message"]) > 10


@pytest.mark.parametrize("arguments", [["--artefacts", "relative"], ["--huge", "yes"], ["--no-such"], ["solo"]])
def test_an_unknown_argument_shows_the_usage(arguments: list[str]) -> None:
    done = subprocess.run([MEASURE, *arguments], check=False, input=b"{}", capture_output=True, timeout=30)
    assert done.returncode == 2
    assert done.stderr.startswith(b"usage: sextant-measure")


def started() -> tuple[subprocess.Popen[bytes], list[int]]:
    """A run of a minute, and its workers."""
    process = subprocess.Popen([MEASURE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps({"mode": "solo", "nf": load("router"), "seconds": 60}).encode())
    process.stdin.close()
    pids = json.loads(process.stdout.readline())["started"]["pids"]
    wait_for(lambda: Path(f"/proc/{pids[0]}/comm").read_text().strip() == "sx-router", "the worker's name")
    return process, pids


def test_a_killed_measurement_leaves_no_process() -> None:
    process, pids = started()
    assert process.stdout
    process.kill()
    process.wait(30)
    process.stdout.close()
    wait_for(lambda: not any(map(is_alive, pids)), "the workers die with it")


def test_a_reader_that_is_gone_ends_the_measurement() -> None:
    process, pids = started()
    assert process.stdout
    process.stdout.close()
    assert process.wait(30) == -signal.SIGPIPE
    wait_for(lambda: not any(map(is_alive, pids)), "the workers die with it")


def test_an_nf_that_dies_is_named() -> None:
    process, pids = started()
    assert process.stdout
    os.kill(pids[0], signal.SIGKILL)
    lines = [json.loads(line) for line in process.stdout]
    process.stdout.close()
    assert process.wait(30) == 1
    assert lines[-1]["error"]["field"] == "nf"
    assert "signal 9" in lines[-1]["error"]["message"]
