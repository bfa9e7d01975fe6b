"""What a plan by an assigner of sfc2cpu says of shared cores, as text."""

import pytest
from sextant_cli.output import Format, Printer
from sextant_cli.show_assigned import show_assigned
from sextant_domain.plans.assigned import AssignedEvidence, CostUsed
from sextant_domain.plans.compact import CompactChain, CompactCore
from sextant_domain.plans.evidence import HostEvidence

from .answers import NOW

ASSIGNED = AssignedEvidence(
    fullest_percent=60,
    bound_percent=60,
    served_mpps=3.0,
    bound_mpps=None,
    offered_mpps=3.0,
    usable_percent=97,
    moves=0,
    most_moves=0,
    cores=(CompactCore(core=1, node=0, before_percent=10, nfs_percent=58, others_percent=2),),
    chains=(CompactChain(chain="edge", mpps=3.0, automatic_mpps=None),),
)


@pytest.fixture
def shown(capsys):
    def show(status="optimal", **changed) -> list[str]:
        assigned = ASSIGNED.model_copy(update=changed)
        given = {"host": "edge-1", "algorithm": "min_max", "status": status, "score": -60, "bound": -60}
        host = HostEvidence.model_validate({**given, "evaluations": 0, "trusted": False, "assigned": assigned})
        show_assigned(Printer(Format.TABLE), host, assigned)
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return show


def test_cores_packets_and_moves_are_said(shown) -> None:
    lines = shown()
    told = "the fullest is asked for 60 %, proved least; an ideal host serves 3.0000 of 3.0000 Mpps"
    assert lines[0] == f"shared cores of edge-1: {told}; nothing that runs moves"
    assert "1 0 10 % 58 % 2 % 60 %" in lines
    assert "edge 3.0000 -" in lines


def test_what_is_not_proved_says_its_bound(shown) -> None:
    assert "at least 50 % whatever is chosen" in shown("feasible", bound_percent=50)[0]
    lines = shown("feasible", bound_percent=None, bound_mpps=3.0, served_mpps=2.5, moves=2)
    assert (
        "at most 3.0000 Mpps can be served; an ideal host serves 2.5000 of 3.0000 Mpps; 2 NFs that run move" in lines[0]
    )


def test_fitted_costs_are_named_with_version_age_and_error(shown) -> None:
    cost = CostUsed(version=3, fitted_at=NOW, age_s=7200, left_out_error=0.054, guessed=("nat",))
    lines = shown("feasible", bound_percent=None, bound_mpps=3.0, cost=cost)
    assert "by fitted costs it serves 3.0000 of 3.0000 Mpps" in lines[0]
    told = "by fitted costs, version 3, 2 h old when the plan was made; up to 5.4 % off in nine of ten"
    assert lines[1] == f"{told} of what the fit did not use; it does not know nat"
