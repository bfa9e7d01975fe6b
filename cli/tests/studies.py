"""What the console for tests answers about searches: interference, comparisons, a snapshot, rich evidence."""

from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.comparison import ComparedPlan, Comparison
from sextant_domain.plans.consolidation import ConsolidatedChain, ConsolidatedCore, Consolidation
from sextant_domain.plans.evidence import Algorithm, Cause, Evidence, FrontierPoint, HostEvidence
from sextant_domain.plans.interference import Interference, Victim
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.snapshot import FleetSnapshot

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

EVIDENCE = Evidence(
    algorithm=Algorithm.ANYTIME,
    status="feasible",
    objective_mpps=8.0,
    score=7.9,
    bound=8.0,
    evaluations=1234,
    seconds=2.5,
    seed=7,
    models=(),
    stopped=True,
    exchanges=2,
    hosts=(
        HostEvidence(
            host="edge-1", algorithm=Algorithm.ANYTIME, status="feasible", score=7.9, bound=8.0, evaluations=1234
        ),
        HostEvidence(
            host="edge-2", algorithm=Algorithm.OCTANS, status="feasible", score=1.0, bound=None, evaluations=1,
            trusted=False,
        ),
    ),
    frontier=(
        FrontierPoint(moves=0, gain_mpps=0.0, net_mpps=0.0, proven=True),
        FrontierPoint(moves=2, gain_mpps=0.5, net_mpps=0.4, proven=False),
    ),
)  # fmt: skip
"""The gap is (8.0 - 7.9) / 8.0 = 1.25 %."""

EMPTY_FLEET = FleetSnapshot(taken_at=NOW, hosts=(), chains=(), nf_types=(), models=())


def a_consolidation(host: str, possible: bool) -> Consolidation:
    """The nat of core 2 could stand beside the router of core 1."""
    cores = (
        ConsolidatedCore(
            core=1, node=0, nf_ids=("edge.router", "edge.nat"), before_percent=20, nfs_percent=60, others_percent=4
        ),
        ConsolidatedCore(core=2, node=0, nf_ids=(), before_percent=40, nfs_percent=0, others_percent=0),
    )
    edge = ConsolidatedChain(
        chain="edge",
        before_mpps=2.0,
        before_low_mpps=1.8,
        before_high_mpps=2.2,
        mpps=1.9,
        low_mpps=None,
        high_mpps=None,
    )
    return Consolidation(
        host=host,
        slots=4 if possible else None,
        freed=(2,) if possible else (),
        proven=possible,
        moves=1 if possible else 0,
        delayed_before=2.0,
        delayed=0.0 if possible else 2.0,
        delays=HopDelays(),
        full_percent=90,
        cores=cores if possible else (),
        chains=(edge,) if possible else (),
        note=None if possible else "it runs no NF",
    )


def an_interference(host: str, lost_mpps: float) -> Interference:
    """The router loses `lost_mpps` of 10, four parts in five of it to the firewall."""
    cause = Cause(kind="neighbour", nf_id="edge.firewall", llc_drop=0.1, mem_drop=0, lost_mpps=0, share=0.8)
    parts = (
        cause.model_copy(update={"lost_mpps": lost_mpps * 0.8}),
        cause.model_copy(update={"kind": "remote", "nf_id": None, "lost_mpps": lost_mpps * 0.2, "share": 0.2}),
    )
    victim = Victim(
        nf_id="edge.router", chain="edge", nf_type="router", node=0, mpps=10 - lost_mpps, ideal_mpps=10,
        is_bottleneck=True, causes=parts,
    )  # fmt: skip
    calm = victim.model_copy(update={"nf_id": "edge.firewall", "mpps": 10.0, "is_bottleneck": False, "causes": ()})
    return Interference(host=host, provenance=Provenance.ASSUMED, victims=(calm, victim), note=None)


def a_comparison(number: int, asked: dict[str, Any]) -> Comparison:
    """Started; nothing is made yet."""
    return Comparison(
        id=number,
        label=asked.get("label", "fleet"),
        source="file" if "snapshot" in asked else "fleet",
        taken_at=NOW,
        hosts=2,
        chains=3,
        intent=asked["intent"],
        time_limit_s=asked.get("time_limit_s", 10),
        plans=tuple(
            ComparedPlan(plan_id=index, algorithm=Algorithm(name), state=PlanState.PLANNING)
            for index, name in enumerate(asked["algorithms"], start=1)
        ),
        created_at=NOW,
        created_by="admin",
    )


def one_more_made(comparison: Comparison) -> Comparison:
    """With each look the next of its plans is made: 7.9 of at most 8 Mpps."""
    plans = list(comparison.plans)
    for index, plan in enumerate(plans):
        if plan.state is PlanState.PLANNING:
            made = {"state": PlanState.PROPOSED, "status": "feasible", "score": 7.9, "bound": 8.0, "gap": 0.0125}
            plans[index] = plan.model_copy(update={**made, "seconds": 2.5, "evaluations": 1234, "placed": 3})
            break
    return comparison.model_copy(update={"plans": tuple(plans)})
