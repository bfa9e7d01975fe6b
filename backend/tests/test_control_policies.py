"""Policies by law and scope, the switch that stops all laws, and the timeline."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, plan
from recommendation_world import (
    AT_ONCE,
    FAR_CORE,
    a_far_firewall,
    came_of_predictions,
    carried_out,
    decided,
    move,
    recommendations,
    set_policy,
    status,
    tick,
)
from sextant_backend.domain_events import ChainRemoved, HostsLeave
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.control import event_handlers, policy_table, service
from sextant_backend.modules.control.errors import PolicyChanged
from sextant_backend.modules.control.recommending import SYSTEM
from sextant_backend.modules.outcomes import outcome_evaluation, trust
from sextant_backend.modules.outcomes import service as outcomes
from sextant_backend.modules.outcomes.outcome_evaluation import Key, ModelTest
from sextant_backend.settings import Settings
from sextant_domain.laws.recommendation import RecommendationState
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.trust import TrustVerdict

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as one:
        yield one


def put_mode(client: TestClient, scope: str, name: str, mode: str) -> Any:
    return client.put(f"{API}/policies/octans/{scope}/{name}", json={"mode": mode})


def switch(client: TestClient, stopped: bool) -> Any:
    found = client.get(f"{API}/automation")
    return client.put(f"{API}/automation", json={"stopped": stopped}, headers={"If-Match": found.headers["ETag"]})


def scoped(client: TestClient) -> list[tuple[str, str | None, str]]:
    items = client.get(f"{API}/policies", params={"law": "octans"}).json()["items"]
    return [(one["scope"], one["name"], one["mode"]) for one in items]


def test_a_manual_host_is_left_alone_and_what_is_open_there_is_withdrawn(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    assert put_mode(client, "host", "edge-1", "manual").status_code == 200
    tick()
    [now] = recommendations(client)
    assert (now.state, now.reason) == (RecommendationState.WITHDRAWN, "the policy is manual")
    tick()
    assert status(client) == "nothing is to be gained"
    assert scoped(client) == [("fleet", None, "recommend"), ("host", "edge-1", "manual")]
    assert client.delete(f"{API}/policies/octans/host/edge-1").status_code == 204
    tick()
    assert recommendations(client)[0].state is RecommendationState.OPEN


def test_the_narrowest_scope_wins(client: TestClient, fleet: Fleet) -> None:
    """Manual in the fleet and on its host, and the chain that stands alone there is recommended for all the same."""
    set_policy(client, mode="manual", **AT_ONCE)
    put_mode(client, "host", "edge-1", "manual")
    tick()
    assert recommendations(client) == [] and status(client) == "the policy is manual"
    put_mode(client, "chain", "web", "recommend")
    tick()
    [made] = recommendations(client)
    assert made.chains == ("web",)


def test_a_manual_chain_stays_while_the_rest_of_its_host_is_re_placed(client: TestClient, fleet: Fleet) -> None:
    """mail keeps its far firewall; what is recommended for web knows mail's load, and names it as kept."""
    spec = chain_json("mail", "router", "firewall")
    spec["traffic"] = {**spec["traffic"], "rate_mpps": 9.0}
    carried_out(client, client.post(f"{API}/chains", json=spec).json()["plan_id"])
    move(client, FAR_CORE + 1, "mail.firewall")
    set_policy(client, **AT_ONCE)
    put_mode(client, "chain", "mail", "manual")
    tick()
    [made] = recommendations(client)
    assert (made.chains, made.hosts, made.moves) == (("web",), ("edge-1",), 1)
    assert plan(client, made.plan_id).intent == ReplaceIntent(keep=("mail",))


def test_a_chain_that_becomes_manual_takes_its_recommendation_back(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    put_mode(client, "chain", "web", "manual")
    tick()
    [now] = recommendations(client)
    assert (now.state, now.reason) == (RecommendationState.WITHDRAWN, "the policy is manual")
    tick()
    assert status(client) == "nothing is to be gained"


def test_only_where_it_is_automatic_is_anything_applied(client: TestClient, fleet: Fleet) -> None:
    """The fleet is automatic and its models are trusted, but the host's policy is to recommend."""
    came_of_predictions("router", 4.9)
    came_of_predictions("firewall", 4.9)
    set_policy(client, mode="automatic", **AT_ONCE)
    put_mode(client, "host", "edge-1", "recommend")
    tick()
    [made] = recommendations(client)
    assert made.state is RecommendationState.OPEN
    assert status(client) == "recommended, for a gain of 2.44 value x Mpps"
    assert plan(client, made.plan_id).state is PlanState.PROPOSED


def test_automatic_is_refused_on_a_host_while_a_predictor_is_distrusted(client: TestClient, fleet: Fleet) -> None:
    came_of_predictions("firewall", 4.0)
    answer = put_mode(client, "host", "edge-1", "automatic")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:not-trusted")


@pytest.mark.parametrize("predictor", ["curves", "gaussian-process"])
def test_what_chooses_only_while_it_holds_takes_nothing_back(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch, predictor: str
) -> None:
    """Octans' equations choose where it does not hold."""
    failed = [ModelTest(number, "web", 5.0, None, None, 2.0) for number in range(3)]
    lost = outcome_evaluation.trust_of(Key("firewall", "xeon-2x16", predictor, "fit-1"), failed, 0, None, 5.0)
    assert lost.verdict is TrustVerdict.DISTRUSTED
    monkeypatch.setattr(trust, "tested", lambda *_: {"it": lost})
    monkeypatch.setattr(outcomes, "trust", lambda *_: (lost,))
    set_policy(client, **AT_ONCE)
    assert put_mode(client, "host", "edge-1", "automatic").status_code == 200
    tick()
    assert scoped(client) == [("fleet", None, "recommend"), ("host", "edge-1", "automatic")]


def test_automatic_hosts_take_themselves_back_too(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    put_mode(client, "host", "edge-1", "automatic")
    came_of_predictions("firewall", 4.0)
    tick()
    assert scoped(client) == [("fleet", None, "recommend"), ("host", "edge-1", "recommend")]


def test_what_is_not_there_has_no_policy(client: TestClient, fleet: Fleet) -> None:
    for scope, name in (("host", "nobody"), ("chain", "nothing")):
        answer = put_mode(client, scope, name, "manual")
        assert answer.status_code == 404 and f"There is no {scope} {name}" in answer.json()["detail"]
    assert client.delete(f"{API}/policies/octans/host/edge-1").status_code == 404
    assert put_mode(client, "rack", "r1", "manual").status_code == 422
    assert put_mode(client, "host", "edge-1", "sometimes").status_code == 422


def test_policies_go_with_their_host_and_chain(client: TestClient, fleet: Fleet) -> None:
    put_mode(client, "host", "edge-1", "manual")
    put_mode(client, "chain", "web", "manual")
    with session_scope() as session:
        event_handlers.chain_removed(session, ChainRemoved("web"))
        event_handlers.hosts_leave(session, HostsLeave(("edge-1",)))
    assert [scope for scope, _, _ in scoped(client)] == ["fleet"]


def test_one_switch_stops_all_laws(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    assert switch(client, True).json()["stopped"] is True
    tick()
    [now] = recommendations(client)
    assert (now.state, now.reason) == (RecommendationState.WITHDRAWN, "all control laws are stopped")
    tick()
    assert status(client) == "all control laws are stopped"
    assert len(recommendations(client)) == 1
    assert switch(client, False).json()["stopped"] is False
    tick()
    assert recommendations(client)[0].state is RecommendationState.OPEN


def test_nothing_is_applied_by_itself_once_all_laws_are_stopped(client: TestClient, fleet: Fleet) -> None:
    """Decided to apply, then stopped before it was: it is left to an operator, who may."""
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    with session_scope() as session:
        version = policy_table.law_row(session, "octans").version
    switch(client, True)
    with pytest.raises(PolicyChanged), session_scope() as session:
        service.accept(session, made.id, SYSTEM, decided_under=version)
    assert decided(client, made.id, "accept").state is RecommendationState.ACCEPTED


def test_the_timeline_lists_decisions_and_outcomes_newest_first(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    decided(client, made.id, "dismiss")
    put_mode(client, "host", "edge-1", "manual")
    switch(client, True)
    found = client.get(f"{API}/automation/timeline").json()["items"]
    assert [(one["event"], one["law"], one["text"]) for one in found] == [
        ("automation.stop", None, "all control laws stopped"),
        ("policy.set", "octans", "policy of host edge-1: mode manual"),
        ("recommendation.dismiss", "octans", "dismissed"),
        (
            "recommendation.make",
            "octans",
            "recommended 1 move of web on edge-1, for a predicted gain of 2.44 value x Mpps",
        ),
        ("policy.set", "octans", "policy of the fleet: hold_s 0.0, rest_s 0.0"),
    ]
    assert (found[2]["recommendation_id"], found[2]["plan_id"], found[2]["actor"]) == (made.id, made.plan_id, "ada")
    ids = [one["id"] for one in found]
    assert ids_of_law(client, law="octans") == ids
    assert ids_of_law(client, law="numasfp") == ids[:1]  # the stop, which is of all laws
    page = client.get(f"{API}/automation/timeline", params={"limit": 2}).json()
    after = client.get(f"{API}/automation/timeline", params={"limit": 2, "after": page["next"]}).json()
    assert [one["id"] for one in page["items"] + after["items"]] == [one["id"] for one in found[:4]]


def ids_of_law(client: TestClient, **asked: str) -> list[int]:
    return [one["id"] for one in client.get(f"{API}/automation/timeline", params=asked).json()["items"]]


def test_the_switch_is_changed_by_version(client: TestClient, clean: Settings) -> None:
    stale = client.put(f"{API}/automation", json={"stopped": True}, headers={"If-Match": '"99"'})
    assert stale.status_code == 412
    assert client.put(f"{API}/automation", json={"stopped": True}).status_code == 428
    assert client.get(f"{API}/automation").json()["stopped"] is False
