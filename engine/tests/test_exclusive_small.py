"""A host of four CPUs whose operator lets no core be shared: the law of one node holds there, and chooses its plans."""

import pytest
from engine_fleets import chain, host, measured, snapshot
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import Core, HostInventory, NumaNode, Port, ReservedFor
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.profiling.model import DropCoefficients, PerformanceModel
from sextant_engine.check import check
from sextant_engine.plan import make_plan

MODEL = "small-1x4"
WEB = chain("web", "router", "firewall")


def inventory(*, exclusive: bool) -> HostInventory:
    """As an agent reports it with SEXTANT_AGENT_SHARED_CORES=never, or without."""
    slots = (0, 1, 1, 1) if exclusive else (2, 8, 8, 8)
    source = 0 if exclusive else 3
    return HostInventory(
        host_id="edge-1",
        hostname="edge-1",
        host_model=MODEL,
        driver="testbed",
        kernel="6.1.0",
        agent_version="0.1.0",
        nodes=(NumaNode(id=0, socket=0, memory_bytes=2**30),),
        cores=tuple(
            Core(
                id=core, node=0, socket=0, physical_core=core, slots=slots[core],
                last_choice=not exclusive and core == 0,
                reserved_for=ReservedFor.RX if exclusive and core == source else None,
            )
            for core in range(4)
        ),
        ports=(Port(name="src0", node=0, kind="source"), Port(name="snk0", node=0, kind="sink")),
    )  # fmt: skip


def fitted(nf_type: str, ideal: float) -> PerformanceModel:
    """By the law of one node: drop = alpha f + c, nothing of memory, and the same on every node. Weight 1 / 4."""
    drops = DropCoefficients(alpha=0.6, beta=0.0, c=0.02)
    return measured(nf_type, ideal, MODEL, local=drops, remote=drops, stalls=4.0, provenance=Provenance.PREDICTED)


def planned(*, exclusive: bool) -> PlanBody:
    fleet = snapshot([host(inventory(exclusive=exclusive))], [WEB], [fitted("router", 4.0), fitted("firewall", 3.0)])
    body = make_plan(fleet, PlaceIntent(chain="web"), Solving(algorithm=Algorithm.EXACT), clock=lambda: 0.0)
    assert all(finding.ok for finding in check(body, fleet))
    return body


def test_where_no_core_is_shared_the_law_of_one_node_predicts() -> None:
    """The firewall beside the router: f = .25, so it loses .6 x .25 + .02 = 17 % of 3 Mpps. It limits the chain, which
    carries its offer of 1."""
    body = planned(exclusive=True)
    (prediction,) = body.predictions
    assert (prediction.predictor, prediction.bottleneck, prediction.provenance) == (
        "octans",
        "web.firewall",
        Provenance.PREDICTED,
    )
    assert (prediction.capacity_mpps, prediction.throughput_mpps) == pytest.approx((3.0 * 0.83, 1.0))
    assert [nf.seat.core for nf in body.after] == [1, 2], "a core each, and not that of source and sink"
    (chosen,) = body.evidence.hosts
    assert (chosen.algorithm, chosen.trusted, body.evidence.objective_mpps) == (Algorithm.EXACT, True, 1.0)
    assert not any("shared cores" in warning for warning in body.warnings)


def test_where_cores_are_shared_it_does_not() -> None:
    """Time sharing on the same models: what the firewall does alone, nothing of its neighbour's pressure."""
    body = planned(exclusive=False)
    (prediction,) = body.predictions
    assert (prediction.predictor, prediction.capacity_mpps) == ("time-sharing", pytest.approx(3.0))
    assert not body.evidence.hosts[0].trusted and body.evidence.objective_mpps is None


def test_more_nfs_than_cores_of_their_own_do_not_fit() -> None:
    fleet = snapshot([host(inventory(exclusive=True))], [chain("long", *["router"] * 4)])
    (rejected,) = make_plan(fleet, PlaceIntent(chain="long"), Solving(), clock=lambda: 0.0).rejected
    assert rejected.reason == "needs 4 slots on one host: edge-1 has 3 of 4 free"
