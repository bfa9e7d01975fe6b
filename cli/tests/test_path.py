"""The path of a chain whose packets measure themselves, as `sextant chains show` has it."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_cli.output import Format, Printer
from sextant_cli.show_path import show_path, show_path_then, show_ways
from sextant_domain.console.history import PastHop
from sextant_domain.hosts.chain_way import ChainWay, WayState
from sextant_domain.hosts.telemetry import ChainSample, PathHop, Transit

from .answers import a_chain


def shown(
    capsys: pytest.CaptureFixture[str], console, chain_file, sextant, path: tuple[PathHop, ...] | None,
    transits: tuple[Transit, ...] = (),
) -> str:  # fmt: skip
    sextant("chains", "submit", str(chain_file))
    sample = ChainSample(chain="edge", offered_mpps=0.1, delivered_mpps=0.1, drop_mpps=0, path=path, transits=transits)
    now = {"sample": sample, "sampled_at": datetime.now(UTC)}
    chain = a_chain(console.chains["edge"]).model_copy(update=now)
    capsys.readouterr()
    show_path(Printer(Format.TABLE), [chain])
    return capsys.readouterr().out


def test_hops_are_listed_in_order_and_the_slowest_is_named(console, sextant, chain_file, capsys) -> None:
    path = (
        PathHop(device="edge-1", nf_id="edge.router", latency_us=40, p95_us=90, most_us=400),
        PathHop(device="edge-1", nf_id="edge.firewall", latency_us=55, p95_us=180, most_us=12_000, queue_packets=17),
        PathHop(device="edge-2", nf_id="edge.nids", waits_us=3_200_000),
    )
    _, first, second, third = shown(capsys, console, chain_file, sextant, path).splitlines()
    assert first.split() == ["edge.router", "edge-1", "40.0", "us", "90.0", "us", "400.0", "us", "-", "-"]
    assert "180.0 us slowest" in second and "12.0 ms" in second and second.split()[-1] == "17"
    assert third.split() == ["edge.nids", "edge-2", "-", "-", "-", "3200.0", "ms", "-"]


def test_ways_between_hops_have_their_times_unless_clocks_are_apart(console, sextant, chain_file, capsys) -> None:
    transits = (
        Transit(to="edge.firewall", p50_us=3, p95_us=9.5),
        Transit(to="edge-part-2.nids", p50_us=None, p95_us=None),
        Transit(to=None, p50_us=4, p95_us=5.5),
    )
    _, first, second, last = shown(capsys, console, chain_file, sextant, None, transits).splitlines()
    assert first.split() == ["edge.firewall", "3.0", "us", "9.5", "us"]
    assert " ".join(second.split()) == "edge-part-2.nids clocks apart: NF latencies only -"
    assert " ".join(last.split()) == "out of the chain 4.0 us 5.5 us"


def test_hops_of_the_past_are_listed_alike(capsys) -> None:
    device = {"nf_id": None, "waits_us": None, "queue_packets": None}
    then = PastHop(device="leaf-1", latency_us=4.25, p95_us=9.5, most_us=40, **device)
    show_path_then(Printer(Format.TABLE), [then])
    (_, hop) = capsys.readouterr().out.splitlines()
    assert hop.split() == ["leaf-1", "leaf-1", "4.2", "us", "9.5", "us", "slowest", "40.0", "us", "-", "-"]
    show_path_then(Printer(Format.TABLE), [])
    assert capsys.readouterr().out == ""


def test_where_packets_measure_nothing_there_is_no_table(console, sextant, chain_file, capsys) -> None:
    assert shown(capsys, console, chain_file, sextant, None) == ""


def test_by_which_link_it_goes_on_is_said_with_since_when_and_why(console, sextant, chain_file, capsys) -> None:
    sextant("chains", "submit", str(chain_file))
    since = datetime.now(UTC) - timedelta(minutes=5)
    ways = (
        ChainWay(
            to="edge-part-2.nids", links=("lab-2", "lab-3"), link="lab-3", state=WayState.OTHER, since=since,
            why="lab-2 has no carrier",
        ),
        ChainWay(to=None, links=("lab-4",), link="lab-4", state=WayState.CUT, why="lab-4 has no carrier"),
    )  # fmt: skip
    sample = ChainSample(chain="edge", offered_mpps=0.1, delivered_mpps=0.1, drop_mpps=0, ways=ways)
    now = {"sample": sample, "sampled_at": datetime.now(UTC)}
    chain = a_chain(console.chains["edge"]).model_copy(update=now)
    capsys.readouterr()
    show_ways(Printer(Format.TABLE), [chain, a_chain(console.chains["edge"])])
    _, first, second = capsys.readouterr().out.splitlines()
    for words in ("edge-part-2.nids", "lab-3", "lab-2, lab-3", "other", "5 min ago", "lab-2 has no carrier"):
        assert words in first
    assert "its end" in second and "CUT" in second
