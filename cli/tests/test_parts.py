"""A chain file with a path over several hosts: what is submitted, what is shown, what is refused."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_cli.output import Format, Printer
from sextant_cli.show_parts import show_parts
from sextant_cli.show_path import show_path
from sextant_domain.hosts.telemetry import ChainSample, PathHop

from .answers import a_chain

PATH = "[{nfs: [router], host: edge-1}, {nfs: [nids], host: demo-2}]"


def with_path(chain_file, path: str = PATH) -> str:
    lines = [line for line in chain_file.read_text().splitlines() if not line.startswith("nfs:")]
    chain_file.write_text("\n".join([*lines, f"path: {path}"]) + "\n")
    return str(chain_file)


def test_parts_are_chains_of_one_plan(console, sextant, chain_file) -> None:
    assert sextant("chains", "submit", with_path(chain_file), "--apply", "--wait").exit_code == 0
    assert {name: (spec.ingress.host, spec.part.text) for name, spec in console.chains.items()} == {
        "edge": ("edge-1", "part 1 of 2 of edge"),
        "edge-part-2": ("demo-2", "part 2 of 2 of edge"),
    }
    assert [plan.intent.chains for plan in console.plans.values()] == [("edge", "edge-part-2")]
    shown = sextant("chains", "show", "edge").stdout
    assert "1 of 2" in shown and "2 of 2" in shown and "whole way" in shown


def test_a_wrong_path_is_refused_with_its_line(console, sextant, chain_file) -> None:
    result = sextant("chains", "submit", with_path(chain_file, "[{nfs: [router], host: edge-1}, {nfs: [nids]}]"))
    assert result.exit_code == 2 and "path.1.host" in result.stderr
    assert console.chains == {}


def test_a_prediction_is_of_one_chain(console, sextant, chain_file) -> None:
    result = sextant("chains", "predict", with_path(chain_file))
    assert result.exit_code == 2 and "edge has 2 parts" in result.stderr


@pytest.fixture
def members(console, sextant, chain_file):
    """0.1 Mpps enter, the router drops 0.01, 0.09 come to the second host, where the nids filters 0.02: 0.07 leave."""
    sextant("chains", "submit", with_path(chain_file))
    now = datetime.now(UTC)
    first = ChainSample(
        chain="edge", offered_mpps=0.1, delivered_mpps=0.09, drop_mpps=0.01,
        path=(PathHop(device="edge-1", nf_id="edge.router", latency_us=40, p95_us=300),),
    )  # fmt: skip
    second = ChainSample(
        chain="edge-part-2", offered_mpps=0.09, delivered_mpps=0.07, drop_mpps=0, filtered_mpps=0.02, p50_us=150,
        p95_us=410, path=(PathHop(device="demo-2", nf_id="edge-part-2.nids", latency_us=50, p95_us=90),),
    )  # fmt: skip
    chains = [
        a_chain(console.chains[sample.chain]).model_copy(update={"sample": sample, "sampled_at": now})
        for sample in (first, second)
    ]
    return [(chain, chain.spec.part) for chain in chains]


def test_the_whole_way_is_from_the_first_to_the_last(members, capsys) -> None:
    """0.1 - 0.07 - 0.02 are 0.01 lost."""
    show_parts(Printer(Format.TABLE), members)
    whole = capsys.readouterr().out.splitlines()[-1].split()
    assert whole == ["whole", "way", "0.1000", "0.0700", "0.0100", "150.0", "us", "410.0", "us"]


def test_hops_of_all_hosts_are_one_path(members, capsys) -> None:
    show_path(Printer(Format.TABLE), [chain for chain, _ in members])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["edge.router", "edge-1"], ["edge-part-2.nids", "demo-2"]]
    assert "slowest" in lines[1] and "slowest" not in lines[2]


def test_a_host_that_is_silent_is_said_to_be_stale(members, capsys) -> None:
    """Of its hops none is named the slowest: nobody knows."""
    (first, part), last = members
    old = first.model_copy(update={"sampled_at": first.sampled_at - timedelta(seconds=4)})
    show_parts(Printer(Format.TABLE), [(old, part), last])
    show_path(Printer(Format.TABLE), [old, last[0]])
    shown = capsys.readouterr().out
    assert shown.count("edge-1 (stale)") == 2 and "demo-2 (stale)" not in shown
    assert [line.split()[0] for line in shown.splitlines() if "slowest" in line] == ["edge-part-2.nids"]


WITH_VPN = "[{nfs: [router], host: edge-1}, {nfs: [vpn, nids], host: demo-2}]"


def test_secrets_and_ties_go_to_the_part_that_has_the_nf(console, sextant, chain_file, tmp_path) -> None:
    """The first part has neither, and is submitted as it is."""
    (tmp_path / "tunnel.key").write_text("deadbeef\n")
    done = sextant(
        "chains", "submit", with_path(chain_file, WITH_VPN), "--secret", "vpn.key=tunnel.key", "--tied", "nids=scanner"
    )
    assert done.exit_code == 0, done.stderr
    first, second = (console.chains[name] for name in ("edge", "edge-part-2"))
    assert [nf.config for nf in first.nfs] == [{}]
    assert [nf.config.get("key") for nf in second.nfs] == ["deadbeef", None]
    assert (first.ties, second.ties) == ({}, {"edge-part-2.nids": "scanner"})


@pytest.mark.parametrize("option", ["--secret=nat.key=tunnel.key", "--tied=nat=scanner"])
def test_an_nf_that_no_part_has_is_refused_with_those_of_all_parts(console, sextant, chain_file, option) -> None:
    refused = sextant("chains", "submit", with_path(chain_file, WITH_VPN), option)
    assert refused.exit_code == 2
    assert "edge has no NF 'nat'; it has router, vpn, nids" in " ".join(refused.stderr.replace("│", "").split())
    assert console.chains == {}


@pytest.mark.parametrize("option", ["--secret=vpn.key=tunnel.key", "--tied=vpn=scanner"])
def test_an_nf_of_two_parts_is_refused_with_what_to_do(console, sextant, chain_file, option) -> None:
    twice = "[{nfs: [vpn], host: edge-1}, {nfs: [vpn], host: demo-2}]"
    refused = sextant("chains", "submit", with_path(chain_file, twice), option)
    assert refused.exit_code == 2
    assert "NFs of edge and edge-part-2 are called 'vpn': give them names of their own" in " ".join(
        refused.stderr.replace("│", "").split()
    )
    assert console.chains == {}
