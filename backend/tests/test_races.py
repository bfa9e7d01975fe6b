"""Other algorithms on the snapshots of plans that are recommended or applied, scored later."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, apply, plan, work
from race_world import an_outcome, came_of, changed, race_of, ranking, turns
from recommendation_world import AT_ONCE, a_far_firewall, decided, move, recommendations, set_policy, tick
from sextant_backend import faults
from sextant_backend.faults import InjectedFaultError
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.plans import planner
from sextant_backend.modules.predictions import tasks as prediction_tasks
from sextant_backend.modules.races import race_legs
from sextant_backend.modules.races import tasks as race_tasks
from sextant_domain.base import Provenance
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan
from sextant_domain.plans.race import Race, RaceBegin, RaceState
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""

LEASE_ENDS = "UPDATE races SET lease_until = clock_timestamp() - interval '1 second'"
KEPT = "SELECT plan_id, length(snapshot) FROM kept_snapshots ORDER BY plan_id"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Plan 1 placed the chain, plan 2 moved its firewall away; no race has begun with them."""
    with a_far_firewall(client, tmp_path) as made:
        changed("DELETE FROM kept_snapshots")
        yield made


def kept() -> list[tuple[int, int]]:
    with session_scope() as session:
        return [(row[0], row[1]) for row in session.execute(text(KEPT))]


def asked(client: TestClient, **solving: object) -> Plan:
    """A re-placement: exactly the firewall comes home, which gains 2.44 Mpps."""
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}, **solving})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def carried_out(client: TestClient, made: Plan) -> int:
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    return made.id


def recommended(client: TestClient) -> Race:
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    return race_of(client, made.plan_id)


# -- with a recommendation


def test_every_algorithm_has_a_turn_while_nobody_waits_for_a_plan(client: TestClient, fleet: Fleet) -> None:
    """`exact` finds the recommended placement, 9 Mpps, proved best."""
    begun = recommended(client)
    assert (begun.begun_by, begun.state) == (RaceBegin.RECOMMENDATION, RaceState.PLANNING)
    assert (begun.waiting, begun.host_models) == (race_tasks.CONTENDERS, ("xeon-2x16",))
    waits = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()["id"]
    race_tasks.turn()
    assert race_of(client, begun.plan_id).waiting == race_tasks.CONTENDERS, "a plan waits to be made"
    assert client.post(f"{API}/plans/{waits}/reject").status_code == 200
    turns()
    found = race_of(client, begun.plan_id)
    assert (found.waiting, found.predicted_mpps, found.measured_mpps) == ((), pytest.approx(9.0), None)
    assert found.state is RaceState.MEASURING
    assert [one.algorithm for one in found.entries] == list(race_tasks.CONTENDERS)
    assert all(one.error is None for one in found.entries)
    exact = found.entries[0]
    assert (exact.differs, exact.moves, exact.predicted_mpps) == (0, 1, pytest.approx(9.0))
    assert exact.chains[0].basis is None, "nothing was measured yet"
    assert client.get(f"{API}/races?host_model=other").json()["items"] == []
    assert (ranking(client).open, ranking(client).scored, ranking(client).provenance) == (1, 0, None)


def test_it_is_scored_once_the_plan_was_measured_and_stays_so(client: TestClient, fleet: Fleet) -> None:
    """8.1 Mpps of 9 were measured. Who plans the same has carried them, with a margin of 0; outcomes may be forgotten
    then."""
    begun = recommended(client)
    [made] = recommendations(client)
    operation_id = decided(client, made.id, "accept").operation_id
    assert operation_id is not None
    assert work(operation_id).state is OperationState.COMPLETED
    turns()
    came_of(begun.plan_id, an_outcome("web", "firewall", 9.0, 8.1))
    seen = race_of(client, begun.plan_id)
    assert (seen.state, seen.measured_mpps) == (RaceState.MEASURING, pytest.approx(8.1))
    race_tasks.turn()
    changed("DELETE FROM outcomes")
    found = race_of(client, begun.plan_id)
    assert found == seen.model_copy(update={"state": RaceState.SCORED})
    same = [one for one in found.entries if one.differs == 0]
    assert Algorithm.EXACT in {one.algorithm for one in same}
    assert all((one.later_mpps, one.chains[0].basis) == (pytest.approx(8.1), "measured") for one in same)
    assert {(one.provenance.value, str(one.later_provenance)) for one in same} == {("assumed", "simulated")}
    assert found.measured_provenance is Provenance.SIMULATED
    ranked = ranking(client, "xeon-2x16")
    assert (ranked.scored, ranked.provenance, ranked.host_models) == (1, Provenance.SIMULATED, ("xeon-2x16",))
    assert (ranked.ranks[0].margin_percent, ranked.ranks[0].wins) == (pytest.approx(0.0), 1)
    assert ranking(client, "other").scored == 0


def test_a_plan_that_is_rejected_ends_its_race(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    [made] = recommendations(client)
    decided(client, made.id, "dismiss")
    race_tasks.turn()
    found = race_of(client, begun.plan_id)
    assert (found.state, found.waiting) == (RaceState.ENDED, ())
    assert found.why == f"plan {begun.plan_id} was rejected: nothing of it was measured"
    assert ranking(client).ended == 1


# -- with an apply


def test_every_applied_plan_has_a_race_on_the_snapshot_it_was_made_from(client: TestClient, fleet: Fleet) -> None:
    """Before the re-placement the firewall stood on node 1: algorithms that move it home plan one move, as it did."""
    made = asked(client)
    [(plan_id, size)] = kept()
    assert (plan_id, size < 20_000) == (made.id, True), f"{size} bytes of one host"
    race_tasks.turn()
    assert kept() == [(plan_id, size)], "it is proposed only"
    carried_out(client, made)
    turns()
    assert kept() == []
    found = race_of(client, made.id)
    assert (found.begun_by, found.state, found.hosts) == (RaceBegin.APPLY, RaceState.MEASURING, ("edge-1",))
    assert found.predicted_mpps == pytest.approx(9.0)
    assert (found.entries[0].moves, found.entries[0].differs) == (1, 0)


def test_a_placed_chain_is_placed_by_every_algorithm(client: TestClient, tmp_path: Path) -> None:
    """Plan 1 placed the chain on an empty host, plan 2 moved one NF, by hand: others may move one as well, and `exact`
    moves none, since 9.0 Mpps cannot be bettered."""
    with a_far_firewall(client, tmp_path):
        turns()
        placed, moved = race_of(client, 1), race_of(client, 2)
    assert [one.error for one in (*placed.entries, *moved.entries)] == [None] * 2 * len(race_tasks.CONTENDERS)
    assert [one.predicted_mpps for one in placed.entries] == [pytest.approx(9.0)] * len(race_tasks.CONTENDERS)
    assert {one.left_out for one in placed.entries} == {()}
    assert (moved.predicted_mpps, moved.entries[0].predicted_mpps) == (pytest.approx(6.56), pytest.approx(9.0))
    assert (moved.entries[0].moves, moved.entries[0].differs) == (0, 1)


def test_a_recommended_plan_has_one_race(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    changed(f"INSERT INTO kept_snapshots SELECT plan_id, snapshot FROM races WHERE plan_id = {begun.plan_id}")
    [made] = recommendations(client)
    decided(client, made.id, "accept")
    turns()
    assert kept() == []
    assert race_of(client, begun.plan_id).begun_by is RaceBegin.RECOMMENDATION


def test_the_policy_switches_them_off(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, races=False, **AT_ONCE)
    tick()
    carried_out(client, asked(client))
    turns(2)
    assert kept() == []
    assert client.get(f"{API}/races").json()["items"] == []
    assert not ranking(client).wanted


@pytest.mark.parametrize(
    "why",
    [
        "UPDATE plans SET state = 'superseded' WHERE id = 3",
        "UPDATE kept_snapshots SET created_at = clock_timestamp() - interval '8 days'",
    ],
)
def test_what_no_race_will_begin_with_is_forgotten(client: TestClient, fleet: Fleet, why: str) -> None:
    made = asked(client)
    with session_scope() as session:
        assert race_tasks.forget_old(session) == 0
    assert (made.id, len(kept())) == (3, 1)
    changed(why)
    with session_scope() as session:
        assert race_tasks.forget_old(session) == 1
    assert kept() == []


def test_a_snapshot_that_cannot_be_read_holds_up_no_other_race(client: TestClient, fleet: Fleet) -> None:
    """As one of an earlier version: `{}`, packed."""
    first = carried_out(client, asked(client))
    changed(f"UPDATE kept_snapshots SET snapshot = '\\x789cabae0500017500f9' WHERE plan_id = {first}")
    move_id = move(client, 16).plan_id
    turns()
    assert client.get(f"{API}/races?plan={first}").json()["items"] == []
    assert race_of(client, move_id).state is RaceState.MEASURING


# -- what goes wrong


def test_a_search_gives_way_to_somebody_who_waits_for_a_plan(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan is asked for while an algorithm searches: that is stopped, and has its turn later; no try counts."""
    begun = recommended(client)
    monkeypatch.setattr(race_legs, "CHECK_EVERY_S", 0.0)

    def ask(point: str) -> None:
        if point == "race.claimed":
            client.post(f"{API}/plans", json={"intent": {"kind": "replace"}})

    with faults.replaced(ask):
        race_tasks.turn()
    assert race_of(client, begun.plan_id).waiting == race_tasks.CONTENDERS
    with session_scope() as session:
        row = session.execute(text("SELECT tries, claim_token FROM races")).one()
    assert (row.tries, row.claim_token) == (0, None)


def die_at(point: str) -> None:
    """A worker that dies there; its lease runs out."""

    def stop(reached: str) -> None:
        if reached == point:
            raise InjectedFaultError(point)

    with faults.replaced(stop), pytest.raises(InjectedFaultError):
        race_tasks.turn()
    changed(LEASE_ENDS)


def test_an_algorithm_whose_workers_die_again_and_again_has_failed(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    race_tasks.turn()
    for _ in range(race_tasks.MAX_TRIES):
        die_at("race.claimed")
    turns()
    found = race_of(client, begun.plan_id)
    errors = {one.algorithm: one.error for one in found.entries}
    assert errors.pop(Algorithm.ANYTIME) == "3 workers died while it planned"
    assert set(errors.values()) == {None}
    assert (found.state, found.entries[1].left_out) == (RaceState.MEASURING, ())


def test_a_worker_that_dies_once_is_followed_by_another(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    die_at("race.before_store")
    turns()
    found = race_of(client, begun.plan_id)
    assert [one.error for one in found.entries] == [None] * len(race_tasks.CONTENDERS)


def test_a_plan_whose_own_prediction_kills_workers_ends_its_race(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    for _ in range(race_tasks.MAX_TRIES):
        die_at("race.claimed")
    race_tasks.turn()
    found = race_of(client, begun.plan_id)
    assert (found.state, found.why) == (
        RaceState.ENDED,
        "nothing is predicted of the plan itself: the workers that tried died",
    )


def test_a_worker_that_was_taken_over_stores_nothing(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)

    def overtake(point: str) -> None:
        if point == "race.before_store":
            changed("UPDATE races SET claim_token = 'another'")

    with faults.replaced(overtake):
        race_tasks.turn()
    assert race_of(client, begun.plan_id).entries == ()


def test_who_has_not_planned_by_the_deadline_has_failed(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    race_tasks.turn()
    changed("UPDATE races SET deadline_at = clock_timestamp()")
    race_tasks.turn()
    found = race_of(client, begun.plan_id)
    assert (found.state, found.waiting) == (RaceState.MEASURING, ())
    assert found.entries[0].error is None
    assert all("no turn before the race's deadline" in str(one.error) for one in found.entries[1:])


def test_a_race_in_which_nobody_had_a_turn_ends(client: TestClient, fleet: Fleet) -> None:
    begun = recommended(client)
    changed("UPDATE races SET deadline_at = clock_timestamp()")
    race_tasks.turn()
    found = race_of(client, begun.plan_id)
    assert (found.state, found.why) == (RaceState.ENDED, "no algorithm had a turn before the race's deadline")


def test_what_is_not_measured_within_an_hour_is_not_scored(client: TestClient, fleet: Fleet) -> None:
    made = carried_out(client, asked(client))
    turns()
    assert race_of(client, made).state is RaceState.MEASURING
    changed("UPDATE plans SET decided_at = decided_at - interval '61 minutes'")
    race_tasks.turn()
    found = race_of(client, made)
    assert (found.state, found.why) == (
        RaceState.ENDED,
        f"plan {made} was applied, but not all of its chains were measured within an hour",
    )


def test_a_plan_that_is_not_tested_any_more_ends_its_race(client: TestClient, fleet: Fleet) -> None:
    """Its prediction is tested until a later order of its host; then nothing will be measured of it."""
    made = carried_out(client, asked(client))
    turns()
    with session_scope() as session:
        prediction_tasks.turn(session)
    race_tasks.turn()
    assert race_of(client, made).state is RaceState.MEASURING
    move(client, 16)
    with session_scope() as session:
        prediction_tasks.turn(session)
    race_tasks.turn()
    found = race_of(client, made)
    assert found.state is RaceState.ENDED
    assert str(found.why).startswith(f"plan {made} was applied, but its hosts were ordered anew")
