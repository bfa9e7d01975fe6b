"""Lists and single resources: tables for people, the API's JSON for programs."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from sextant_cli.show_rules import rule_words
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainView, NfView
from sextant_domain.hosts.host import Capability, HostStatus, ThreadThrottleMode
from sextant_domain.hosts.telemetry import LoadBasis, RuleCounts
from sextant_domain.plans.operation import ActionOffer, OperationAction, OperationKind, OperationState

from . import console_state
from .answers import NOW, a_chain, nfs_of


@pytest.fixture
def placed(sextant, chain_file: Path):
    assert sextant("chains", "submit", str(chain_file), "--apply", "--wait").exit_code == 0
    return sextant


def test_hosts_show_measured_throughput_slots_and_status(placed) -> None:
    # core 0 offers 2 slots and core 1 offers 8; 3 NFs stand on them
    header, row = placed("hosts").stdout.splitlines()
    assert header.split()[:3] == ["HOST", "STATUS", "MEASURED"]
    assert row.split()[:4] == ["edge-1", "up", "0.0987", "3/10"]
    assert row.split()[4:7] == ["3", "4", "%"], "its NFs, and how full the fullest is"


def test_a_silent_host_shows_its_last_figure_as_such(placed, console) -> None:
    console.host_status = HostStatus.UNREACHABLE
    row = placed("hosts").stdout.splitlines()[1]
    assert row.split()[:5] == ["edge-1", "unreachable", "0.0987", "(last", "known)"]


def test_one_host_is_shown_core_by_core(placed) -> None:
    lines = placed("hosts", "edge-1").stdout.splitlines()
    assert lines[-2].split()[:9] == ["0", "0", "0/2", "-", "60", "%", "measuring", "58", "%"], "no other work"
    assert lines[-1].split()[:9] == ["1", "0", "3/8", "12", "%", "42", "%", "30", "%"], (
        "three NFs of 4 %; busy with more than packets"
    )
    assert "edge.router, edge.firewall, edge.basic-monitor" in lines[-1]


def test_chains_show_measured_throughput_and_p95(placed) -> None:
    row = placed("chains", "list").stdout.splitlines()[1]
    assert "router -> firewall -> basic-monitor" in row
    assert "0.0987" in row and "123.4 us" in row


def test_a_chain_shows_where_its_nfs_stand(placed) -> None:
    assert "edge-1 core 1 slot 2" in placed("chains", "show", "edge").stdout


def test_a_chain_shows_how_full_its_nfs_are(placed, console) -> None:
    lines = placed("chains", "show", "edge").stdout.splitlines()
    row = next(line for line in lines if line.startswith("edge.router"))
    assert row.split()[-4:] == ["4", "%", "2.4000", "-"]


@pytest.mark.parametrize(
    ("mode", "limits", "says"),
    [
        (ThreadThrottleMode.MAX, True, True),
        (ThreadThrottleMode.MAX, False, False),  # memory bandwidth cannot be limited there
        (ThreadThrottleMode.PER_THREAD, True, False),
        (None, True, False),
    ],
)
def test_a_host_says_where_threads_of_a_core_share_the_smallest_limit(
    placed, console, monkeypatch: pytest.MonkeyPatch, mode: ThreadThrottleMode | None, limits: bool, says: bool
) -> None:
    host = console.host()
    able = Capability(name="resctrl-mba", available=limits, reason="of this test")
    found = {"thread_throttle_mode": mode, "capabilities": (able,)}
    inventory = host.inventory.model_copy(update=found)
    monkeypatch.setattr(console, "host", lambda: host.model_copy(update={"inventory": inventory}))
    said = " ".join(placed("hosts", "edge-1").stdout.split())
    assert ("throttled together" in said) is says


def test_what_is_not_reported_is_no_figure(placed, console, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of NFs that poll nothing counts the time of packets: neither 0 nor what CPU time says."""
    not_reported = {"utilisation_percent": None, "utilisation_basis": None, "headroom_mpps": None}

    def polling(chains: Iterable[ChainSpec]) -> list[NfView]:
        return [nf.model_copy(update={"sample": nf.sample.model_copy(update=not_reported)}) for nf in nfs_of(chains)]

    monkeypatch.setattr(sys.modules[type(console).__module__], "nfs_of", polling)
    assert placed("hosts", "edge-1").stdout.splitlines()[-1].split()[:8] == ["1", "0", "3/8", "-", "42", "%", "30", "%"]
    assert placed("hosts").stdout.splitlines()[1].split()[4:6] == ["3", "-"]
    row = placed("chains", "show", "edge").stdout
    assert "2.4000" not in row


def test_where_only_a_bound_is_known_the_bound_is_shown(placed, console, monkeypatch: pytest.MonkeyPatch) -> None:
    """An NF that polls was at least 35 % busy. Three of them on a core are together 105 at least."""
    bound = {"utilisation_percent": None, "utilisation_basis": None, "utilisation_low_percent": 35.0}

    def polling(chains: Iterable[ChainSpec]) -> list[NfView]:
        return [nf.model_copy(update={"sample": nf.sample.model_copy(update=bound)}) for nf in nfs_of(chains)]

    monkeypatch.setattr(sys.modules[type(console).__module__], "nfs_of", polling)
    assert placed("hosts", "edge-1").stdout.splitlines()[-1].split()[2:6] == ["3/8", ">=", "105", "%"]
    assert placed("hosts").stdout.splitlines()[1].split()[4:8] == ["3", ">=", "35", "%"]
    row = next(line for line in placed("chains", "show", "edge").stdout.splitlines() if line.startswith("edge.router"))
    assert ">= 35 %" in row
    assert ">= 35 %" in placed("nfs").stdout


def test_cpu_time_is_the_most_that_an_nf_uses_for_packets(placed, console, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleeping(chains: Iterable[ChainSpec]) -> list[NfView]:
        by_cpu = {"utilisation_basis": LoadBasis.CPU_TIME}
        return [nf.model_copy(update={"sample": nf.sample.model_copy(update=by_cpu)}) for nf in nfs_of(chains)]

    monkeypatch.setattr(sys.modules[type(console).__module__], "nfs_of", sleeping)
    assert "<= 4 %" in placed("nfs").stdout
    assert placed("hosts", "edge-1").stdout.splitlines()[-1].split()[2:6] == ["3/8", "<=", "12", "%"]


def test_cpu_time_of_an_nf_in_the_kernel_is_not_measured(placed, console, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither 0 nor a dash, which would be an NF that nothing is known of."""

    def walls(chains: Iterable[ChainSpec]) -> list[NfView]:
        return [
            nf.model_copy(update={"sample": nf.sample.model_copy(update={"cpu_percent": None})})
            for nf in nfs_of(chains)
        ]

    assert "not measured" not in placed("nfs").stdout
    monkeypatch.setattr(sys.modules[type(console).__module__], "nfs_of", walls)
    rows = placed("nfs").stdout.splitlines()[1:]
    assert rows and all(" not measured " in row for row in rows)


def test_rules_show_what_each_has_decided(placed, console, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"since": NOW, "rules": [{"packets": 1200, "bytes": 120_000}], "default": {"packets": 7, "bytes": 700}}

    def counting(chains: Iterable[ChainSpec]) -> list[NfView]:
        counts = {"rule_counts": RuleCounts.model_validate(counted)}
        return [nf.model_copy(update={"sample": nf.sample.model_copy(update=counts)}) for nf in nfs_of(chains)][:1]

    assert "SINCE" not in placed("chains", "show", "edge").stdout
    monkeypatch.setattr(sys.modules[type(console).__module__], "nfs_of", counting)
    lines = placed("chains", "show", "edge").stdout.splitlines()
    head = next(number for number, line in enumerate(lines) if "SINCE" in line)
    first, last = (line.split() for line in lines[head + 1 : head + 3])
    assert first[1:6] == ["1", "-", "1200", "120.0", "kB"], "its type has no rules in the chain's words"
    assert last[1:9] == ["-", "allow", "what", "no", "rule", "matches", "7", "700"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"action": "deny"}, "deny all"),
        ({"action": "deny", "protocol": "udp", "dst_port": [53, 53]}, "deny udp to port 53"),
        (
            {"action": "allow", "src": "10.0.0.0/8", "dst": "10.1.0.0/16", "dst_port": [1, 9]},
            "allow all from 10.0.0.0/8 to 10.1.0.0/16 to ports 1-9",
        ),
    ],
)
def test_rules_have_words(rule: dict[str, object], words: str) -> None:
    assert rule_words(rule) == words


def test_a_chain_shows_its_traffic_and_the_figures_of_it(placed) -> None:
    """0.1 Mpps x 128 B x 8 = 0.102 Gbps offered, 0.101 measured."""
    lines = placed("chains", "show", "edge").stdout.splitlines()
    assert lines[3].split() == ["udp", "10.0.0.0/8", "->", "192.168.0.0/16", "the", "engine", "chooses"]
    assert lines[5].split() == ["0.1000", "0.102", "128", "B", "constant", "1000,", "round-robin", "zero"]
    assert lines[7].split() == ["0.0987", "0.101", "-", "123.4", "us", "-", "12.3", "ms"]


def test_a_chain_shows_what_its_match_left_out_of_a_capture(placed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "UNMATCHED" not in placed("chains", "show", "edge").stdout

    def leaving_out(spec: ChainSpec) -> ChainView:
        chain = a_chain(spec)
        left_out = {"unmatched_mpps": 0.02, "malformed_mpps": 0.001}
        return chain.model_copy(update={"sample": chain.sample.model_copy(update=left_out)})

    monkeypatch.setattr(console_state, "a_chain", leaving_out)
    assert placed("chains", "show", "edge").stdout.splitlines()[9].split() == ["0.0200", "0.0010"]


def test_nfs_show_core_state_and_figures(placed) -> None:
    row = placed("nfs").stdout.splitlines()[1].split()
    assert row[:7] == ["edge.router", "router", "2", "edge-1", "1", "0", "running"]


def test_json_is_what_the_api_answered(placed, console) -> None:
    assert json.loads(placed("hosts", "edge-1", "-o", "json").stdout) == console.host().model_dump(mode="json")


def test_lists_follow_the_pages_to_the_end(placed, console) -> None:
    console.page_size = 1
    page = json.loads(placed("nfs", "-o", "json").stdout)
    assert [nf["nf_id"] for nf in page["items"]] == ["edge.router", "edge.firewall", "edge.basic-monitor"]
    assert page["next"] is None


def test_lists_stop_at_the_number_asked_for(placed, console) -> None:
    placed("chains", "delete", "edge")
    page = json.loads(placed("operations", "list", "--most", "1", "-o", "json").stdout)
    assert [operation["kind"] for operation in page["items"]] == ["remove"]


def test_an_operation_says_what_it_changed_the_way_back_and_once_why_nothing_else_is_possible(placed, console) -> None:
    ended = "the operation has ended: COMPLETED"
    offers = tuple(ActionOffer(action=action, allowed=False, reason=ended) for action in OperationAction)
    done = console.operations[1].model_copy(update={"state": OperationState.COMPLETED, "actions": offers})
    console.operations[1] = done
    out = placed("operations", "show", "1").stdout
    assert out.count(ended) == 1
    assert f"{', '.join(OperationAction)}: not possible, {ended}" in " ".join(out.split())
    assert f"sextant plans show {done.plan_id}" in out and "sextant operations undo 1" in out
    console.operations[1] = done.model_copy(update={"kind": OperationKind.REMOVE})
    assert "operations undo" not in placed("operations", "show", "1").stdout


def test_text_from_outside_cannot_drive_the_terminal(placed, console) -> None:
    console.operations[1] = console.operations[1].model_copy(update={"title": "a\x1b[31mb\x9bc [bold]d[/bold]"})
    out = placed("operations", "show", "1").stdout
    assert "\x1b" not in out and "\x9b" not in out
    assert "[bold]d[/bold]" in out


def test_a_name_is_one_segment_of_the_path(sextant, console) -> None:
    assert sextant("chains", "show", "../hosts").exit_code == 2
    assert [path for _, path, _ in console.requests] == ["/api/v1/chains/..%2Fhosts"]


def test_a_pipe_gets_whole_lines_without_colour(console, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from sextant_cli.main import app; app()", "--url", console.url, "hosts"],
        env={"SEXTANT_TOKEN": "sxt_good", "TERM": "xterm-256color", "COLUMNS": "40"},
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 2
