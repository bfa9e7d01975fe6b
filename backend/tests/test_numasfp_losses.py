"""What NUMASFP's law reckons a move with: the median of what completed moves lost, or what is assumed."""

from collections.abc import Sequence

import pytest
from fastapi.testclient import TestClient
from numasfp_world import HOST, a_host, placed, promoted, second
from recommendation_world import recommendations
from sextant_backend.kit.db import session_scope
from sextant_backend.laws.numasfp import describe
from sextant_backend.laws.numasfp.losses import ASSUMED, MoveLosses
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.laws.recommendation import MoveLoss
from sextant_domain.plans.operation import ChainOutcome, MoveOutcome


def moved(
    shares: Sequence[float],
    host: str = HOST,
    state: str = "COMPLETED",
    provenance: str = "measured",
    chain: str = "dns",
) -> None:
    """Operations that have ended, each with one chain that lost such a share of a second and one that stayed."""
    for share in shares:
        went = ChainOutcome(chain=chain, before_gbps=8.0, after_gbps=8.0, lost_packets=1, lost_share=share)
        stayed = ChainOutcome(chain="nat", before_gbps=8.0, after_gbps=8.0, lost_packets=0)
        outcome = MoveOutcome(
            chains=(went, stayed), before_gbps=16.0, after_gbps=16.0, lost_packets=1, pause_ms=None,
            within_budget=None, worse=False, provenance=Provenance(provenance), text="",
        )  # fmt: skip
        record = {"outcome": outcome.model_dump(mode="json")}
        with session_scope() as session:
            subject = {"kind": "resources", "subject": "web", "chains": ["web"], "hosts": [host]}
            plan = PlanRow(**subject, intent={}, solving={"algorithm": "exact"}, created_by="ada")
            session.add(plan)
            session.flush()
            row = OperationRow(kind="apply", state=state, plan_id=plan.id, title="", requested_by="ada")
            session.add(row)
            session.flush()
            of_host = {"host_id": host, "holding": False, "chains": ["web"], "record": record}
            session.add(OperationHostRow(operation_id=row.id, base="", target="", former="", **of_host))


def read(losses: MoveLosses, *inventories: HostInventory) -> MoveLoss:
    """What is reckoned with on the first of these hosts."""
    with session_scope() as session:
        losses.read(session, {one.host_id: one for one in inventories})
    return losses.of(inventories[0])


def test_two_moves_say_nothing_and_three_their_median(client: TestClient) -> None:
    moved([0.3, 0.0])
    assert read(MoveLosses(), a_host()) == ASSUMED
    moved([0.01])
    found = read(MoveLosses(), a_host())
    assert found == MoveLoss(share=0.01, moves=3, moves_of="host", provenance=Provenance.MEASURED)
    told = "a chain loses 1 % of a second as it moves, measured in 3 moves of this host (median)"
    assert describe.loss_of_move(found, "testbed") == told


def test_only_the_last_nine_completed_moves_count(client: TestClient) -> None:
    """Of nine, 0.1 to 0.9, the fifth is 0.5; what was undone, and what was before them, says nothing."""
    moved([0.0] * 20)
    moved([share / 10 for share in range(1, 10)])
    moved([1.0] * 20, state="ROLLED_BACK")
    assert read(MoveLosses(), a_host()).share == pytest.approx(0.5)
    moved([7.0] * 9)
    assert read(MoveLosses(), a_host()).share == 1.0, "no chain loses more than the second in which it moves, and on"


def test_a_host_without_moves_goes_by_those_of_its_driver(client: TestClient) -> None:
    moved([0.1, 0.2, 0.3], host="numa-2", provenance="simulated")
    host, other = a_host(), a_host("numa-2")
    found = read(MoveLosses(), host, other)
    assert found == MoveLoss(share=0.2, moves=3, moves_of="driver", provenance=Provenance.SIMULATED)
    told = "a chain loses 20 % of a second as it moves, as the twin computed in 3 moves of hosts of driver"
    assert describe.loss_of_move(found, host.driver) == f"{told} {host.driver} (median)"
    assert read(MoveLosses(), host, other.model_copy(update={"driver": "opennetvm"})) == ASSUMED


def test_a_host_is_read_again_once_an_operation_has_ended(client: TestClient) -> None:
    losses, host = MoveLosses(), a_host()
    assert read(losses, host) == ASSUMED
    moved([0.1, 0.1, 0.1])
    assert read(losses, host) == ASSUMED, "nothing has been seen to end"
    losses.followed(HOST, 7)
    assert read(losses, host) == ASSUMED, "it is at work"
    losses.followed(HOST, None)
    assert read(losses, host).share == 0.1
    moved([0.4] * 9)
    losses.forget()
    assert read(losses, host).share == 0.4


def test_a_chain_goes_by_its_own_moves_once_there_are_three(client: TestClient) -> None:
    """web lost .4, .6 and .5: .5; nat moved twice only, and goes by the last nine of the host: .1 six times, so .1."""
    losses, host = MoveLosses(), a_host()
    moved([0.4, 0.6, 0.5], chain="web")
    moved([0.9, 0.9], chain="nat")
    moved([0.1] * 6)
    assert read(losses, host) == MoveLoss(share=0.1, moves=9, moves_of="host", provenance=Provenance.MEASURED)
    found = losses.of_chains(host, ["nat", "web"])
    assert found == {"web": MoveLoss(share=0.5, moves=3, moves_of="chain", chain="web", provenance=Provenance.MEASURED)}
    told = "web loses 50 % of a second as it moves, measured in 3 moves of its own (median)"
    assert describe.loss_of_move(found["web"], "testbed") == told


def test_a_recommendation_says_what_was_measured(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    moved([0.25, 0.25, 0.25])
    for _ in range(2):
        second({"web": 8.8, "nat": 6.0}, {"web": 7.0})
    [made] = recommendations(client)
    assert made.move_loss == MoveLoss(share=0.25, moves=3, moves_of="host", provenance=Provenance.MEASURED)
    assert made.because is not None
    assert made.because.endswith(
        "a chain loses 25 % of a second as it moves, measured in 3 moves of this host (median)"
    )
