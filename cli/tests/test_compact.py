"""A plan by CoCo as it is shown: shared cores, hops, and the engine's own choice beside it."""

from pathlib import Path

import pytest
from sextant_cli.output import Format, Printer
from sextant_cli.show_plan import show_rejections
from sextant_domain.plans.assumptions import Assumption, AssumptionKind, Relaxation
from sextant_domain.plans.compact import CompactChain, CompactCore, CompactEvidence, CompactHop, HopDelays
from sextant_domain.plans.evidence import Algorithm, Evidence, HostEvidence, Solving
from sextant_domain.plans.plan import Rejection

COMPACT = CompactEvidence(
    delayed=3.0,
    automatic=6.0,
    moves=1,
    move_price=3.0,
    cost=6.0,
    bound=6.0,
    delays=HopDelays(),
    full_percent=90,
    cores=(
        CompactCore(core=1, node=0, before_percent=0, nfs_percent=90, others_percent=0),
        CompactCore(core=2, node=0, before_percent=15, nfs_percent=15, others_percent=3.6),
        CompactCore(core=3, node=0, before_percent=0, nfs_percent=0, others_percent=0),
    ),
    hops=(
        CompactHop(chain="edge", source="edge.nat", target="edge.router", rate_mpps=3, distance="same_core"),
        CompactHop(chain="edge", source="edge.router", target="edge.nids", rate_mpps=3, distance="same_node"),
    ),
    chains=(CompactChain(chain="edge", mpps=3.0, automatic_mpps=2.9),),
)


def evidence(compact: CompactEvidence, status: str = "optimal") -> Evidence:
    host = HostEvidence.model_validate(
        {
            "host": "edge-1",
            "algorithm": "coco",
            "status": status,
            "score": -compact.cost,
            "bound": -compact.bound,
            "evaluations": 0,
            "trusted": False,
            "compact": compact,
        }
    )
    return Evidence.model_validate(
        {
            "algorithm": "coco",
            "status": status,
            "objective_mpps": None,
            "score": None,
            "bound": None,
            "evaluations": 0,
            "seconds": 0.002,
            "seed": 0,
            "models": (),
            "solving": Solving(algorithm=Algorithm.COCO),
            "hosts": (host,),
        }
    )


@pytest.fixture
def shown(sextant, console, chain_file: Path):
    def show(compact: CompactEvidence, status: str = "optimal") -> list[str]:
        console.evidence = evidence(compact, status)
        assert sextant("chains", "submit", str(chain_file)).exit_code == 0
        assert sextant("plans", "ask", "--chain", "edge", "--algorithm", "coco").exit_code == 0
        assert console.plans[2].solving.algorithm is Algorithm.COCO
        return [" ".join(line.split()) for line in sextant("plans", "show", "2").stdout.splitlines()]

    return show


def test_a_plan_says_what_changes_cores_and_what_cores_need(shown) -> None:
    lines = shown(COMPACT)
    assert any(line.startswith("found by coco: best under untested models, searched in 0.002 s") for line in lines)
    told = "3.0000 Mpps x hops, 1 moves at 3.0000 each, proved least; 6.0000 by the engine's own choice"
    assert f"shared cores of edge-1: {told}" in lines
    assert any("assumed: what a hop costs here was not measured" in line for line in lines)
    assert not any(line.startswith("3 0 0 %") for line in lines)  # nothing is needed there
    assert "1 0 0 % 90 % 0 % 90 %" in lines and "2 0 15 % 15 % 4 % 19 %" in lines
    assert "edge nat router same core 3.0000" in lines and "edge router nids another core 3.0000" in lines
    assert "edge 3.0000 2.9000" in lines


def test_what_is_not_proved_says_how_far_it_may_be_off(shown) -> None:
    lines = shown(COMPACT.model_copy(update={"bound": 4.5, "automatic": None}), "feasible")
    assert "shared cores of edge-1: 3.0000 Mpps x hops, 1 moves at 3.0000 each, at most 1.5000 above the least" in lines


def test_what_fewer_cores_would_free_is_a_preview(sextant) -> None:
    printed = sextant("plans", "consolidation", "1", "--host", "edge-1")
    lines = [" ".join(line.split()) for line in printed.stdout.splitlines()]
    assert lines[0] == "edge-1: 1 moves would free 1 cores (2); no fewer cores suffice"
    assert "its NFs have cores of their own now: sextant hosts slots edge-1 4 lets them share" in lines
    assert "passes from core to core: 2.0000 -> 0.0000 Mpps x hops" in lines
    assert "1 0 20 % 60 % 4 % edge.router, edge.nat" in lines and "2 0 40 % 0 % 0 % freed" in lines
    assert "edge 2.0000 1.8000 to 2.2000 1.9000 -" in lines
    before = sextant("plans", "consolidation", "1", "--host", "edge-1", "--before")
    assert before.stdout == "edge-1: nothing can be freed: it runs no NF\n"
    assert '"freed": [' in sextant("plans", "consolidation", "1", "--host", "edge-1", "-o", "json").stdout


def test_chains_that_are_refused_in_the_same_words_are_named_together(capsys) -> None:
    """b can be previewed for itself; a and c cannot, and want the same."""
    helps = Relaxation(text="add a host")
    for_itself = Relaxation(text="without old", assume=(Assumption(kind=AssumptionKind.WITHOUT, name="old"),))
    rejected = [
        Rejection(chain=name, reason="no core left", short=None, relax=None, relaxations=(way,))
        for name, way in (("a", helps), ("b", for_itself), ("c", helps))
    ]
    show_rejections(Printer(Format.TABLE), rejected, "place")
    told = capsys.readouterr().out
    assert "no room for a, c: no core left" in told and "no room for b: no core left" in told
    assert told.count("next: add a host") == 1
