"""SRv6-INT's global loop in `control`: from reported seconds to lanes on other hosts, and what becomes of them (the
world: srv6_world)."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
import srv6_world
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, work
from recommendation_world import carried_out, decided, recommendations
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.laws.srv6.law import Srv6Module
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.laws.srv6_view import Srv6Host
from sextant_domain.plans.intents import LaneIntent, RelocateIntent
from sextant_domain.plans.operation import OperationKind, OperationState, StepName
from sextant_domain.plans.plan import PlanBody
from sqlalchemy import select
from srv6_world import HOST, OTHER, a_host, placed, second, spec_of

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""

WELL = {"mpps": 0.02, "p95_us": 300.0}
FULL = {"mpps": 0.03, "p95_us": 4000.0, "saturated": 1}


def host(client: TestClient, name: str = HOST) -> Srv6Host:
    answer = client.get(f"{API}/control/srv6/hosts/{name}")
    assert answer.status_code == 200, answer.text
    return Srv6Host.model_validate_json(answer.content)


def open_ones(client: TestClient) -> list[Recommendation]:
    return [one for one in recommendations(client) if one.state is RecommendationState.OPEN]


def planned(recommended: Recommendation) -> PlanBody:
    with session_scope() as session:
        row = plans.get(session, recommended.plan_id, body=True)
        assert row is not None
        return plan_views.body_of(row)


def short_times(client: TestClient, **more: float) -> None:
    """Seconds of a test are milliseconds apart: what must stand for a second stands for none."""
    wanted, at = {"hold_s": 0, "surplus_s": 1, "rest_s": 0, **more}, f"{API}/control/srv6/parameters"
    answer = client.patch(at, json=wanted, headers={"If-Match": client.get(at).headers["ETag"]})
    assert answer.status_code == 200, answer.text


def test_hosts_are_looked_at_once_an_agent_sets_quotas(client: TestClient) -> None:
    placed()
    with session_scope() as session:
        assert not session.scalar(select(Srv6Module().due()))
    second(web=WELL)
    with session_scope() as session:
        assert session.scalar(select(Srv6Module().due()))


def test_a_chain_that_its_host_cannot_serve_is_recommended_a_lane_on_the_other(client: TestClient) -> None:
    """A lane was well at .02 Mpps: .03 / (.8 x .02) = 1.9, two lanes. The second host has four idle cores, the first
    one that is 40 % busy and three that are idle."""
    short_times(client)
    placed()
    second(web=WELL)
    assert host(client).reason == "no NF needs more than its host has"
    second(web=FULL)
    [found] = open_ones(client)
    assert (found.law, found.gain_gbps) == ("srv6", 0.0)
    assert found.because == (
        "web.fw has its packets longer than tolerated, and its host has no more for it; web in 2 lanes: web-lane-2 on "
        "edge-2"
    )
    body = planned(found)
    assert isinstance(body.intent, LaneIntent)
    assert (body.intent.weights, body.intent.hosts, body.intent.law) == ((1, 1), {"web-lane-2": OTHER}, "srv6")
    assert [one.check for one in body.checks if not one.ok] == []
    orders = {target.content.host_id: [one.chain for one in target.content.chains] for target in body.target}
    assert orders == {HOST: ["web"], OTHER: ["web-lane-2"]}
    newest, *_ = client.get(f"{API}/automation/timeline?law=srv6").json()["items"]
    assert newest["text"] == f"recommended a change of web, web-lane-2 on edge-1, edge-2: {found.because}"


def test_cpu_time_that_is_not_measured_stops_no_lane(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of an NF in the kernel: what a lane needs is then that of the others, at least, and whoever is to accept the
    lane is told."""
    monkeypatch.setattr(srv6_world, "CPU", None)
    short_times(client)
    placed()
    second(web=WELL)
    second(web=FULL)
    [found] = open_ones(client)
    assert found.because.endswith(
        "web in 2 lanes: web-lane-2 on edge-2; what web.fw will take of cores there is not counted, since nobody "
        "measures it"
    )
    newest, *_ = client.get(f"{API}/automation/timeline?law=srv6").json()["items"]
    assert newest["text"].endswith(found.because)
    [chain] = host(client).chains
    assert (chain.uncounted, chain.need_cores) == (("web.fw",), 0)


def test_a_page_shows_lanes_figures_and_what_is_recommended(client: TestClient) -> None:
    short_times(client)
    placed()
    second(web=WELL)
    second(web=FULL)
    [chain] = host(client).chains
    assert (chain.chain, chain.best_mpps, chain.recommended_lanes) == ("web", 0.02, 2)
    assert chain.recommended_hosts == {"web-lane-2": OTHER}
    [lane] = chain.lanes
    assert (lane.host, lane.offered_mpps, lane.worst, lane.saturated) == (HOST, 0.03, 4.0, "web.fw")
    [row] = client.get(f"{API}/control/srv6/hosts?saturated=true").json()["items"]
    assert (row["host"], row["chains"], row["lanes"], row["saturated"]) == (HOST, 1, 1, 1)
    assert client.get(f"{API}/control/srv6/hosts?saturated=false").json()["items"] == []
    assert host(client, OTHER).reason.startswith("no chain has quota bounds here")


def test_an_nf_that_its_host_can_still_help_is_left_to_it(client: TestClient) -> None:
    short_times(client)
    placed()
    for _ in range(3):
        second(web={"mpps": 0.03, "p95_us": 4000.0})
    assert open_ones(client) == []
    assert host(client).reason == "no NF needs more than its host has"


def test_it_must_have_stood_for_the_hold_time(client: TestClient) -> None:
    placed()
    second(web=WELL)
    second(web=FULL)
    assert open_ones(client) == []
    assert host(client).reason.endswith("for 0.0 of 1 s")


def test_what_an_operator_dismisses_comes_again_once_much_more_arrives(client: TestClient) -> None:
    """.03 Mpps of 1000 bytes on the wire are .24 Gbps; half as much again is .36."""
    short_times(client)
    placed()
    second(web=WELL)
    second(web=FULL)
    [found] = open_ones(client)
    decided(client, found.id, "dismiss")
    second(web=FULL)
    assert open_ones(client) == []
    assert host(client).reason.endswith("dismissed; offered again once 0.36 Gbps arrive")
    second(web={**FULL, "mpps": 0.046})
    assert len(open_ones(client)) == 1


def test_a_recommendation_is_taken_back_once_all_has_been_well_for_seconds(client: TestClient) -> None:
    short_times(client)
    placed()
    second(web=WELL)
    second(web=FULL)
    assert len(open_ones(client)) == 1
    for _ in range(5):
        second(web=WELL)
    assert open_ones(client) == []
    assert recommendations(client)[0].reason == "web needs no more than its hosts have any more"


def test_a_lane_that_is_not_needed_goes(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lanes that were well at .02 each carry .006 now: .012 together, and .8 x .02 = .016 is planned for one."""
    short_times(client)
    placed(HOST, OTHER)
    second(web=WELL, web_lane_2=WELL)
    calm = {"mpps": 0.006, "p95_us": 200.0}
    second(web=calm, web_lane_2=calm)
    assert open_ones(client) == []
    assert "web would do with one lane less: for 0 of 1 s" in host(client).reason
    later(monkeypatch, seconds=2)
    second(web=calm, web_lane_2=calm)
    [found] = open_ones(client)
    assert found.because == "web in one lane would have done for long"
    orders = {target.content.host_id: [one.chain for one in target.content.chains] for target in planned(found).target}
    assert orders == {HOST: ["web"], OTHER: []}


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """What is reported from now on was measured so much later."""
    import srv6_world

    monkeypatch.setattr(srv6_world, "db_now", lambda session: db_now(session) + timedelta(seconds=seconds))


def test_hosts_that_are_kept_by_hand_take_no_lane(client: TestClient) -> None:
    """Neither does the chain's own where its policy is manual: nothing is done there at all."""
    short_times(client)
    placed()
    second(web=WELL)
    assert client.put(f"{API}/policies/srv6/host/{OTHER}", json={"mode": "manual"}).status_code == 200
    second(web=FULL)
    [found] = open_ones(client)
    assert found.because is not None and found.because.endswith("web in 2 lanes: web-lane-2 on edge-1")


def test_a_chain_whose_policy_is_manual_keeps_its_lanes(client: TestClient) -> None:
    short_times(client)
    placed()
    assert client.put(f"{API}/policies/srv6/chain/web", json={"mode": "manual"}).status_code == 200
    second(web=WELL)
    second(web=FULL)
    assert open_ones(client) == []


def test_a_lane_that_was_not_measured_holds_its_chain_still(client: TestClient) -> None:
    short_times(client)
    placed(HOST, OTHER)
    second(web=FULL)
    assert open_ones(client) == []
    view = host(client)
    assert view.unseen == {"web": f"web-lane-2 was not measured on {OTHER}"}
    assert view.reason.endswith(f"of some chains nothing is known: web: web-lane-2 was not measured on {OTHER}")


SHORT = {"mpps": 0.02, "p95_us": 4000.0, "saturated": 1, "quota": 20.0}
"""At a rate at which it was well, with 20 % of a core where its bounds grant 50."""


def test_a_chain_is_moved_off_a_host_that_gives_it_less_than_its_bounds(client: TestClient) -> None:
    """Other work has all that NFs leave of the cores of the first host; the second has four idle ones."""
    short_times(client)
    placed()
    second(web=WELL)
    second({HOST: 100.0}, web=SHORT)
    [found] = open_ones(client)
    assert found.because == (
        "web.fw has its packets longer than tolerated, and edge-1 has no more for it, though its bounds grant more; "
        "all of web goes from edge-1 to edge-2, which has most left"
    )
    body = planned(found)
    assert body.intent == RelocateIntent(chain="web", host=OTHER)
    assert [one.check for one in body.checks if not one.ok] == []
    orders = {target.content.host_id: [one.chain for one in target.content.chains] for target in body.target}
    assert orders == {HOST: [], OTHER: ["web"]}
    [chain] = host(client).chains
    assert (chain.recommended_host, chain.recommended_lanes, chain.recommended_hosts) == (OTHER, None, {})
    second({HOST: 100.0}, web=SHORT)
    assert host(client).reason.startswith("web on edge-2 is recommended")
    newest, *_ = client.get(f"{API}/automation/timeline?law=srv6").json()["items"]
    assert newest["text"] == f"recommended 1 move of web on edge-1, edge-2: {found.because}"


@pytest.mark.parametrize("end", ["ingress", "egress"])
def test_a_chain_whose_end_names_a_host_stays_there(client: TestClient, end: str) -> None:
    short_times(client)
    placed()
    with session_scope() as session:
        row = session.query(ChainRow).one()
        row.spec = row.spec | {end: {**row.spec[end], "host": HOST}}
    second(web=WELL)
    second({HOST: 100.0}, web=SHORT)
    why = f"web stays on edge-1: its {end} is edge-1: its packets arrive or leave there"
    assert why in host(client).reason
    assert not any(isinstance(planned(one).intent, RelocateIntent) for one in open_ones(client))


def test_a_chain_whose_move_cannot_be_ordered_gets_a_lane_elsewhere(client: TestClient) -> None:
    """edge-2 has room and sets no CPU shares, of which the law knows nothing. With a quota of 10 % the NF lacks the
    other 30 of the 40 % that it uses; its own host has 3 x 7 % left: too little for that, enough for the 20 % of a
    lane."""
    short_times(client)
    placed(share=200, other_without=["cpu-share"])
    second(web=WELL)
    short = {**SHORT, "quota": 10.0}
    second({HOST: 93.0}, web=short)
    assert open_ones(client) == []
    second({HOST: 93.0}, web=short)
    why = "web stays on edge-1: its move to edge-2 cannot be ordered: "
    assert why in host(client).reason and "edge-2 cannot do cpu-share" in host(client).reason
    [found] = open_ones(client)
    assert planned(found).intent.model_dump()["hosts"] == {"web-lane-2": HOST}


def test_a_chain_is_not_moved_to_a_host_that_is_kept_by_hand(client: TestClient) -> None:
    short_times(client)
    placed()
    second(web=WELL)
    assert client.put(f"{API}/policies/srv6/host/{OTHER}", json={"mode": "manual"}).status_code == 200
    second({HOST: 100.0}, web=SHORT)
    assert open_ones(client) == []
    assert "web stays on edge-1: no other host has room for it" in host(client).reason


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Both hosts with agents that take orders; the first runs web."""
    with a_fleet(tmp_path, HOST, OTHER) as made:
        with session_scope() as session:
            for name in (HOST, OTHER):
                hosts.register(session, a_host(name), made[name].url)
        assert client.post(f"{API}/hosts/{OTHER}/cordon", json={"reason": "not yet"}).status_code == 200
        answer = client.post(f"{API}/chains", json=spec_of(1, 1).model_dump(mode="json"))
        assert answer.status_code == 201, answer.text
        carried_out(client, answer.json()["plan_id"])
        assert client.post(f"{API}/hosts/{OTHER}/uncordon").status_code == 200
        yield made


def chains_on(fleet: Fleet) -> dict[str, set[str]]:
    """By what agents were ordered."""
    return {name: {chain.chain for chain in fleet[name].ledger.content.chains} for name in (HOST, OTHER)}


def test_an_accepted_move_is_carried_out_first_up_there_then_down_here(client: TestClient, fleet: Fleet) -> None:
    short_times(client)
    second(web=WELL)
    second({HOST: 100.0}, web=SHORT)
    [found] = open_ones(client)
    accepted = decided(client, found.id, "accept")
    assert accepted.operation_id is not None
    second({HOST: 100.0}, web=SHORT)
    assert host(client).reason == "an operation runs on this host"
    done = work(accepted.operation_id)
    assert (done.state, done.kind) == (OperationState.COMPLETED, OperationKind.RELOCATE), done.error
    steps = {(of.host, step.name): step for of in done.hosts for step in of.steps}
    verified, stopped = steps[OTHER, StepName.VERIFY].finished_at, steps[HOST, StepName.PUT].started_at
    assert verified is not None and stopped is not None and verified <= stopped
    assert chains_on(fleet) == {HOST: set(), OTHER: {"web"}}
    second(web=WELL)
    assert host(client, OTHER).reason == "no NF needs more than its host has"
    assert [one.state for one in recommendations(client)] == [RecommendationState.ACCEPTED]


def test_an_automatic_law_has_lanes_come_and_go_by_itself(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody accepts anything. The lane comes as in the recommendation above, and goes as the one above does."""
    short_times(client)
    for name in (HOST, OTHER):
        assert client.put(f"{API}/policies/srv6/host/{name}", json={"mode": "automatic"}).status_code == 200
    second(web=WELL)
    came = decided_by_itself(client, 1, web=FULL)
    assert chains_on(fleet) == {HOST: {"web"}, OTHER: {"web-lane-2"}}
    calm = {"mpps": 0.006, "p95_us": 200.0}
    second(web=calm, web_lane_2=calm)
    later(monkeypatch, seconds=2)
    went = decided_by_itself(client, 2, web=calm, web_lane_2=calm)
    assert went.because == "web in one lane would have done for long"
    assert chains_on(fleet) == {HOST: {"web"}, OTHER: set()}
    said = [one["text"] for one in client.get(f"{API}/automation/timeline?law=srv6").json()["items"]]
    for one in (came, went):
        assert any(f"{one.because}" in text for text in said)


def decided_by_itself(client: TestClient, count: int, **reports: Mapping[str, float]) -> Recommendation:
    """The newest of so many, carried out. A busy console may leave a plan to the next second."""
    for _ in range(10):
        second(**reports)
        if len(found := recommendations(client)) == count:
            break
    is_done = (len(found), found[0].state, found[0].automatic)
    assert is_done == (count, RecommendationState.ACCEPTED, True), host(client).reason
    assert found[0].operation_id is not None
    done = work(found[0].operation_id)
    assert (done.state, done.kind) == (OperationState.COMPLETED, OperationKind.LANES), done.error
    return found[0]


def test_what_is_known_of_a_chain_goes_with_it_from_host_to_host(client: TestClient, fleet: Fleet) -> None:
    """An operator moves it there and back. It stays for 100 s after the first move, and for 200 after the second, which
    came within ten times that. That .02 Mpps were well in one lane is known on either host: else it would
    get a lane."""
    short_times(client, surplus_s=100)
    second(web=WELL)
    moved(client, OTHER)
    second({OTHER: 100.0}, web=SHORT)
    assert 0 < stays_s(client, OTHER) <= 100
    moved(client, HOST)
    second({HOST: 100.0}, web=SHORT)
    assert 100 < stays_s(client, HOST) <= 200


def moved(client: TestClient, to: str) -> None:
    """By an operator."""
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "relocate", "chain": "web", "host": to}})
    assert answer.status_code == 202, answer.text
    carried_out(client, answer.json()["id"])


def stays_s(client: TestClient, name: str) -> float:
    """For how long it does not move again, as its host's page says."""
    found = re.search(r"it has moved, and does not again for (\d+) s", host(client, name).reason)
    assert found is not None, host(client, name).reason
    return float(found[1])
