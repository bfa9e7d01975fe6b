"""A chain file that asks for lanes: what is submitted, what is shown, what is refused."""

import pytest
from sextant_cli.named_nfs import chains_of_nf
from sextant_cli.output import Format, Printer
from sextant_cli.show_lanes import show_lanes
from sextant_domain.base import Provenance
from sextant_domain.chains.chain_file import ChainFile

from .answers import a_chain


def in_lanes(chain_file, lanes: str) -> str:
    chain_file.write_text(chain_file.read_text() + f"lanes: {lanes}\n")
    return str(chain_file)


def test_lanes_are_chains_of_one_plan(console, sextant, chain_file) -> None:
    """0.1 Mpps at 3 : 1 are 0.075 and 0.025."""
    assert sextant("chains", "submit", in_lanes(chain_file, "[3, 1]"), "--apply", "--wait").exit_code == 0
    assert {name: spec.traffic.rate_mpps for name, spec in console.chains.items()} == {
        "edge": pytest.approx(0.075),
        "edge-lane-2": pytest.approx(0.025),
    }
    assert [plan.intent.chains for plan in console.plans.values()] == [("edge", "edge-lane-2")]
    assert "lane 2 of 2 of edge, 25 % of the flows by weight" in sextant("chains", "show", "edge-lane-2").stdout


def test_each_lane_is_pinned_to_the_host_that_the_file_names(console, sextant, chain_file) -> None:
    pinned = "[{weight: 3, host: edge-1}, {weight: 1, host: demo-2}]"
    sextant("chains", "submit", in_lanes(chain_file, pinned))
    assert {name: spec.ingress.host for name, spec in console.chains.items()} == {
        "edge": "edge-1",
        "edge-lane-2": "demo-2",
    }


def test_a_wrong_lane_is_refused_with_its_field(console, sextant, chain_file) -> None:
    result = sextant("chains", "submit", in_lanes(chain_file, "[{weight: 3, host: edge-1}, {host: demo-2}]"))
    assert result.exit_code == 2
    assert "lanes.1.weight" in result.stderr and "line 8" in result.stderr
    assert console.chains == {}


def test_a_lane_is_shown_with_all_of_them(console, sextant, chain_file) -> None:
    """The console's sample of each chain delivers the same: twice that in all; another chain is none of them."""
    sextant("chains", "submit", in_lanes(chain_file, "[3, 1]"))
    chain_file.write_text(chain_file.read_text().replace("name: edge", "name: other").replace("lanes: [3, 1]", ""))
    sextant("chains", "submit", str(chain_file))
    shown = sextant("chains", "show", "edge").stdout.splitlines()
    (head,) = (at for at, line in enumerate(shown) if line.startswith("LANE") or line.lstrip().startswith("LANE"))
    first, second, total = (line.split() for line in shown[head + 1 : head + 4])
    assert first[:4] == ["1", "edge", "75", "%"] and second[:4] == ["2", "edge-lane-2", "25", "%"]
    assert total[:2] == ["all", "lanes"]
    assert float(total[-2]) == pytest.approx(float(first[-2]) + float(second[-2]))


def test_figures_that_no_packet_gave_are_marked(console, sextant, chain_file, capsys) -> None:
    """One lane of two is on a simulated host: its own figure is marked, and that of both together."""
    sextant("chains", "submit", in_lanes(chain_file, "[3, 1]"))
    first, second = (a_chain(console.chains[name]) for name in ("edge", "edge-lane-2"))
    chains = (first, second.model_copy(update={"provenance": Provenance.SIMULATED}))
    show_lanes(Printer(Format.TABLE), [(chain, chain.spec.traffic.lane) for chain in chains])
    lines = capsys.readouterr().out.splitlines()[1:4]
    assert ["(simulated)" in line for line in lines] == [False, True, True]


def test_a_lane_over_several_hosts_is_one_row(capsys) -> None:
    """The console's sample of each chain is the same: 2 lanes carry twice that, and 3 chains drop three times that."""
    path = [{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["nids"], "host": "lab-2"}]
    asked = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "path": path, "lanes": 2}
    specs = ChainFile.model_validate({**asked, "traffic": {"rate_mpps": 0.01, "packet_bytes": 600}}).specs()
    chains = [a_chain(spec) for spec in specs]
    show_lanes(Printer(Format.TABLE), [(chain, chain.spec.traffic.lane) for chain in chains])
    first, second, total = (line.split() for line in capsys.readouterr().out.splitlines()[1:4])
    assert (first[:4], second[:4]) == (["1", "web", "50", "%"], ["2", "web-lane-2", "50", "%"])
    assert total[:2] == ["all", "lanes"]
    assert float(total[2]) == pytest.approx(2 * float(first[-3]))


def test_an_nf_of_one_part_is_named_of_that_and_of_further_lanes() -> None:
    path = [{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["nids"], "host": "lab-2"}]
    asked = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "path": path, "lanes": 2}
    specs = ChainFile.model_validate({**asked, "traffic": {"rate_mpps": 0.01, "packet_bytes": 600}}).specs()
    assert chains_of_nf(specs, "nids") == {"web-part-2", "web-lane-2"}


def test_one_lane_is_a_chain_as_ever(console, sextant, chain_file) -> None:
    assert sextant("chains", "submit", in_lanes(chain_file, "1")).exit_code == 0
    assert console.chains["edge"].traffic.lane is None
    assert "lane" not in sextant("chains", "show", "edge").stdout


def test_what_is_no_number_of_lanes_is_refused_with_its_line(console, sextant, chain_file) -> None:
    result = sextant("chains", "submit", in_lanes(chain_file, "9"))
    assert result.exit_code == 2
    assert "a chain has 1 to 8 lanes, not 9" in result.stderr and "line 8" in result.stderr
    assert console.chains == {}


def test_a_prediction_is_of_one_chain(console, sextant, chain_file) -> None:
    result = sextant("chains", "predict", in_lanes(chain_file, "2"))
    assert result.exit_code == 2 and "edge has 2 lanes" in result.stderr
