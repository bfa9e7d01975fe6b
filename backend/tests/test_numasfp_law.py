"""NUMASFP's law in `control`: from reported seconds to a recommendation, and what becomes of it.

Levels (numasfp_world): a firewall carries up to 10 Gbps on node 0, where packets arrive, and up to 7 on node 1.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from numasfp_world import HOST, a_host, placed, promoted, report, second
from recommendation_world import decided, recommendations
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.laws import registry
from sextant_backend.laws.numasfp.memory import Kept
from sextant_backend.modules.control import decisions, each_second, policy_table
from sextant_backend.modules.control.gains import gained_gbps
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.laws.numasfp_view import NumasfpHost
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.plans.intents import LossBudget, ResourceIntent
from sextant_domain.plans.operation import ChainOutcome
from sextant_domain.plans.plan import PlanBody
from sextant_engine.control.frame import LawMemory
from sextant_engine.control.numasfp.state import Move
from sqlalchemy import select, text

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


def host(client: TestClient) -> NumasfpHost:
    answer = client.get(f"{API}/control/numasfp/hosts/{HOST}")
    assert answer.status_code == 200, answer.text
    return NumasfpHost.model_validate_json(answer.content)


def the_open_one(client: TestClient) -> Recommendation:
    [found] = [one for one in recommendations(client) if one.state is RecommendationState.OPEN]
    return found


def body_of(plan_id: int) -> PlanBody:
    with session_scope() as session:
        row = plans.get(session, plan_id, body=True)
        assert row is not None
        return plan_views.body_of(row)


def intent_of(plan_id: int) -> ResourceIntent:
    intent = body_of(plan_id).intent
    assert isinstance(intent, ResourceIntent)
    return intent


def put_mode(client: TestClient, mode: str, scope: str = "host", name: str = HOST) -> None:
    answer = client.put(f"{API}/policies/numasfp/{scope}/{name}", json={"mode": mode})
    assert answer.status_code == 200, answer.text


def stop(client: TestClient, *, stopped: bool) -> None:
    found = client.get(f"{API}/automation")
    tag = {"If-Match": found.headers["ETag"]}
    assert client.put(f"{API}/automation", json={"stopped": stopped}, headers=tag).status_code == 200


RATES_SWAPPED: dict[str, Any] = {"web": 8.8, "nat": 6.0}


def swapped(times: int = 2, **changes: Any) -> None:
    """web, on node 1, is offered 8.8 Gbps and carries 7; nat, on node 0, 6 Gbps, which node 1 carries as well."""
    for _ in range(times):
        second(RATES_SWAPPED, {"web": 7.0}, **changes)


def test_a_chain_that_is_offered_more_than_its_node_carries_is_recommended_to_move(client: TestClient) -> None:
    """8.8 - 7 = 1.8 Gbps are gained once it is there."""
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(1)
    assert recommendations(client) == []
    assert host(client).reason == "a gain of 1.80 Gbps stands for 1 of 2 s"
    swapped(1)
    made = the_open_one(client)
    assert (made.law, made.host, made.chains, made.gain_gbps) == ("numasfp", HOST, ("web",), 1.8)
    assert made.because == (
        "web is offered 8.8 Gbps and carries 7.0 on node 1; moved to node 0 it carries 8.8; a chain is assumed to lose"
        " 5 % of a second as it moves"
    )
    intent = intent_of(made.plan_id)
    assert intent.seats == {"web.n0": 1}, "core 0 is nat's"
    assert intent.law == "numasfp"
    assert [host(client).recommendation_id, host(client).mode] == [made.id, "recommend"]


def test_parameters_are_changed_with_their_version_and_audited(client: TestClient) -> None:
    path = f"{API}/control/numasfp/parameters"
    found = client.get(path)
    assert found.json()["hold_intervals"] == 2
    assert client.patch(path, json={"hold_intervals": 3}).status_code == 428
    answer = client.patch(path, json={"hold_intervals": 3}, headers={"If-Match": found.headers["ETag"]})
    assert (answer.status_code, answer.json()["hold_intervals"]) == (200, 3)
    assert answer.headers["ETag"] != found.headers["ETag"]
    again = client.patch(path, json={"hold_intervals": 4}, headers={"If-Match": found.headers["ETag"]})
    assert again.status_code == 412
    assert client.get(path).json()["hold_intervals"] == 3
    [entry] = client.get(f"{API}/automation/timeline", params={"event": "policy.set"}).json()["items"]
    assert (entry["law"], entry["actor"]) == ("numasfp", "ada")


def set_parameters(client: TestClient, **changes: object) -> None:
    path = f"{API}/control/numasfp/parameters"
    tag = {"If-Match": client.get(path).headers["ETag"]}
    answer = client.patch(path, json=changes, headers=tag)
    assert answer.status_code == 200, answer.text


def reasons(client: TestClient, rates: dict[str, float] | None = None) -> list[str]:
    """Of four seconds."""
    found = []
    for _ in range(4):
        second(rates or RATES_SWAPPED, {"web": 7.0})
        found.append(host(client).reason)
    return found


def test_a_move_that_is_expected_to_cost_too_much_is_not_recommended_until_it_may(client: TestClient) -> None:
    """web is ordered to send .5 Mpps; one NF moves, for which it stands still for 2.6 ms: 1300 packets."""
    placed({"web": 16, "nat": 0})
    promoted()
    set_parameters(client, most_lost_packets=1299)
    swapped()
    assert recommendations(client) == []
    why = (
        "it cannot be ordered: loss_budget: moving 1 NF of web is expected to cost 1300 packets lost, 1299 are allowed"
    )
    told = reasons(client)
    assert any(why in one for one in told), told
    assert the_open_one(client).gain_gbps == 0.0, "only ways and bandwidth are handed over where chains stand"
    set_parameters(client, most_lost_packets=1300)
    swapped()
    made = the_open_one(client)
    assert (made.chains, intent_of(made.plan_id).loss_budget) == (("web",), LossBudget(most_packets=1300))
    decided(client, made.id, "dismiss")
    set_parameters(client, most_lost_packets=None, most_pause_ms=2.5)
    why = "2.6 ms without a packet, 2.5 ms are allowed"
    assert any(why in reason for reason in reasons(client, {"web": 9.9, "nat": 2.0}))


def test_a_recommended_move_is_planned_anew_with_another_loss_budget(client: TestClient) -> None:
    """One NF stands still for 2.6 ms at .5 Mpps: 1300 packets. Of 5000 allowed that is within, of 1299 it is not."""
    placed({"web": 16, "nat": 0})
    promoted()
    set_parameters(client, most_lost_packets=5000)
    swapped()
    first = the_open_one(client)
    assert intent_of(first.plan_id).loss_budget == LossBudget(most_packets=5000)
    set_parameters(client, most_lost_packets=2000)
    swapped()
    renewed = the_open_one(client)
    assert (renewed.chains, intent_of(renewed.plan_id).loss_budget) == (("web",), LossBudget(most_packets=2000))
    [old] = [one for one in recommendations(client) if one.id == first.id]
    assert (old.state, "planned anew" in (old.reason or "")) == (RecommendationState.WITHDRAWN, True)
    swapped()
    assert the_open_one(client).id == renewed.id, "the same budget is no reason to plan anew"
    set_parameters(client, most_lost_packets=1299)
    told = reasons(client)
    assert any("expected to cost 1300 packets lost, 1299 are allowed" in one for one in told), told
    assert the_open_one(client).gain_gbps == 0.0, "only ways and bandwidth are handed over where chains stand"


def test_two_chains_exchange_their_nodes_where_only_one_fits_near(client: TestClient) -> None:
    """nat and dns fill node 0's bandwidth: 50 + 50 %. web needs 40 % there, so it changes places with one of them:
    nat's 6 Gbps are carried on node 1 as well."""
    placed({"web": 16, "nat": 0, "dns": 1})
    promoted()
    for _ in range(2):
        second({"web": 8.8, "nat": 6.0, "dns": 9.9}, {"web": 7.0})
    made = the_open_one(client)
    assert made.chains == ("nat", "web")
    assert made.because is not None
    assert made.because.startswith(
        "web is offered 8.8 Gbps and carries 7.0 on node 1; exchanged with nat it carries 8.8;"
    )
    intent = intent_of(made.plan_id)
    assert intent.seats == {"web.n0": 0, "nat.n0": 16}, "each takes the core that the other leaves"
    given = {name: (one.llc_ways, one.memory_bandwidth_percent) for name, one in intent.chains.items()}
    assert given == {"web": (3, 40), "nat": (3, 40), "dns": (4, 50)}, "at present rates; nat by its levels of node 1"
    assert intent.bounds.keys() == given.keys(), "what has no bounds yet gets them along with the move"
    body = body_of(made.plan_id)
    assert all(finding.ok for finding in body.checks)


def test_chains_whose_levels_are_known_are_handed_over_to_their_agent(client: TestClient) -> None:
    """4 Gbps need one way and 10 %, 9 Gbps three and 40 %: that is what they begin with. 1 way of 11 stays with all."""
    placed({"web": 0, "nat": 1})
    promoted()
    for _ in range(2):
        second({"web": 4.0, "nat": 9.0})
    made = the_open_one(client)
    assert (made.moves, made.gain_gbps, made.chains) == (0, 0.0, ("nat", "web"))
    assert made.because is not None and made.because.startswith("nat, web have no bounds by the levels in use")
    intent = intent_of(made.plan_id)
    given = {name: (one.llc_ways, one.memory_bandwidth_percent) for name, one in intent.chains.items()}
    assert given == {"web": (1, 10), "nat": (3, 40)}
    bounds = intent.bounds["web"]
    assert bounds is not None
    assert (bounds.law, bounds.least_ways, bounds.most_ways) == ("numasfp", 1, 10)
    assert (bounds.least_percent, bounds.most_percent) == (10, 100)
    assert [table.host_model for table in intent.tables] == ["xeon-2x16"]


def test_a_hand_over_that_was_dismissed_comes_again_only_once_it_is_another(client: TestClient) -> None:
    placed({"web": 0})
    promoted()
    for _ in range(2):
        second({"web": 4.0})
    decided(client, the_open_one(client).id, "dismiss")
    for _ in range(4):
        second({"web": 4.0})
    assert len(recommendations(client)) == 1
    assert host(client).reason.endswith("ways and bandwidth stay as ordered: an operator said so")


def test_an_accepted_move_is_an_operation_and_counts_in_the_budget(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    made = decided(client, the_open_one(client).id, "accept")
    assert (made.state, made.operation_id) == (RecommendationState.ACCEPTED, 1)
    second(RATES_SWAPPED, {"web": 7.0})
    now = host(client)
    assert now.reason == "an operation runs on this host"
    [move] = now.moves
    assert (move.chain, move.from_node) == ("web", 1)
    row = client.get(f"{API}/control/numasfp/hosts").json()["items"][0]
    assert row["budget_left"] == now.budget_moves - 1
    assert len(recommendations(client)) == 1, "while it runs nothing is recommended"


def test_a_dismissed_move_comes_again_from_half_as_much_gain_more(client: TestClient) -> None:
    """1.8 Gbps were dismissed: from 2.7 on it comes again."""
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    decided(client, the_open_one(client).id, "dismiss")
    said = set()
    for _ in range(4):
        swapped(1)
        said.add(host(client).reason)
    refused = "dismissed; offered again from a gain of 2.70 Gbps"
    assert f"recommended: hand over ways and bandwidth; {refused}" in said
    assert the_open_one(client).gain_gbps == 0.0, "only ways and bandwidth are handed over where chains stand"
    for _ in range(4):
        second({"web": 9.9, "nat": 2.0}, {"web": 7.0})
    assert the_open_one(client).gain_gbps == pytest.approx(2.9, abs=0.05)


def test_a_recommendation_is_withdrawn_once_the_gain_has_gone_for_seconds(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    number = the_open_one(client).id
    for _ in range(4):
        second({"web": 5.0, "nat": 6.0})
    assert the_open_one(client).id == number, "rates waver: four seconds are too few"
    second({"web": 5.0, "nat": 6.0})
    found = next(one for one in recommendations(client) if one.id == number)
    assert (found.state, found.reason) == (RecommendationState.WITHDRAWN, "the gain has gone: 0.00 Gbps now")


def test_manual_a_stop_and_maintenance_withdraw_what_is_open(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()

    def reason_of_the_last() -> tuple[str, str | None]:
        newest = recommendations(client)[0]
        return newest.state.value, newest.reason

    swapped()
    put_mode(client, "manual")
    swapped(1)
    assert reason_of_the_last() == ("withdrawn", "the policy is manual")
    put_mode(client, "recommend")
    swapped()
    stop(client, stopped=True)
    swapped(1)
    assert reason_of_the_last() == ("withdrawn", "all control laws are stopped")
    assert host(client).stopped == "all control laws are stopped"
    stop(client, stopped=False)
    swapped()
    the_open_one(client)
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    window = {"host": HOST, "ends_at": until, "reason": "new memory"}
    assert client.post(f"{API}/maintenance-windows", json=window).status_code == 201
    swapped(1)
    state, why = reason_of_the_last()
    assert state == "withdrawn" and why is not None and "by ada: new memory" in why


def test_a_chain_whose_policy_is_manual_stays_and_holds_its_place(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    put_mode(client, "manual", "chain", "web")
    swapped(4)
    made = the_open_one(client)
    assert made.chains == ("nat",), "handed over, and web is not"
    [web] = [one for one in host(client).chains if one.chain == "web"]
    assert web.note == "its policy is manual"


def test_more_chains_than_classes_of_service_leave_out_those_that_need_least(client: TestClient) -> None:
    """Two classes, three chains of equal rates as ordered: by name."""
    placed({"a": 0, "b": 1, "c": 2}, a_host(groups=2))
    promoted()
    for _ in range(2):
        second({"a": 4.0, "b": 4.0, "c": 4.0})
    made = the_open_one(client)
    assert made.chains == ("a", "b")
    why = "all 2 classes of service of its host are taken by chains that need them more"
    assert made.because is not None and made.because.endswith(f". c stays out: {why}")
    assert [one.note for one in host(client).chains] == [None, None, why]


def test_a_host_that_cannot_divide_its_cache_is_only_placed_on(client: TestClient) -> None:
    placed({"web": 16, "nat": 0}, a_host(without="no resctrl file system"))
    promoted()
    swapped()
    made = the_open_one(client)
    intent = intent_of(made.plan_id)
    assert (intent.seats, intent.bounds, intent.chains) == ({"web.n0": 1}, {}, {})
    assert made.because is not None
    assert made.because.endswith("ways and bandwidth cannot be given here: no resctrl file system")
    assert host(client).reason.endswith("; placement only: no resctrl file system")


def test_late_lacking_and_absurd_measurements_hold_the_law_still(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    second(RATES_SWAPPED, {"web": 7.0}, after_s=-9.0)
    said = r"the measurement is \d+\.\d s old; at most 2\.5 s are acted on"
    assert re.fullmatch(said, host(client).reason), host(client).reason
    report({"web": 5000.0, "nat": 2.0})
    each_second.tick()
    assert host(client).reason == "web is said to be offered 5000 Gbps; 0 to 1000 are believed"
    second({"nat": 2.0})
    assert host(client).reason == "the measurement lacks chains, or has others: web"
    assert recommendations(client) == []


def test_a_second_that_is_seen_twice_counts_once(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(1)
    for _ in range(3):
        each_second.tick()
    assert host(client).held_intervals == 1
    assert recommendations(client) == []


def test_a_rate_beyond_the_levels_is_marked(client: TestClient) -> None:
    placed({"web": 0})
    promoted()
    second({"web": 12.0}, {"web": 10.0})
    [web] = host(client).chains
    assert web.note == "offered 12.0 Gbps, more than the highest level, 10: the law reckons with that"
    assert (web.violations, web.in_full) == (1, False)


def test_an_automatic_policy_applies_it_by_itself_unless_all_is_stopped_meanwhile(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    put_mode(client, "automatic")
    swapped()
    [made] = recommendations(client)
    assert (made.state, made.automatic, made.operation_id) == (RecommendationState.ACCEPTED, True, 1)
    events = client.get(f"{API}/automation/timeline").json()["items"]
    assert [one["event"] for one in events[:2]] == ["recommendation.accept", "recommendation.make"]
    assert events[1]["text"].startswith("recommended 1 move of web on numa-1, for a gain of 1.80 Gbps: web is offered")


def test_no_promoted_levels_no_law(client: TestClient) -> None:
    placed({"web": 16})
    second({"web": 8.8}, {"web": 7.0})
    assert client.get(f"{API}/control/numasfp/hosts").json()["items"] == []
    assert host(client).reason.startswith("no levels are promoted for xeon-2x16")
    with session_scope() as session:
        assert not session.scalar(select(each_second.any_due())), "nothing is rung for"
    assert client.get(f"{API}/control/numasfp/hosts/nobody").status_code == 404


def test_hosts_are_listed_by_what_they_are_short_of_and_filtered(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(4)
    for query, found in (("sort=-short_gbps", 1), ("violated=true", 1), ("violated=false", 0), ("mode=manual", 0)):
        assert len(client.get(f"{API}/control/numasfp/hosts?{query}").json()["items"]) == found, query


def test_a_chain_that_moved_there_and_back_is_said_to_have_gone_to_both_nodes(client: TestClient) -> None:
    """web stands on node 1: it left node 1 for 0 first, and then 0, where packets arrive, for 1."""
    placed({"web": 16, "nat": 0})
    promoted()
    with session_scope() as session:
        now_s = db_now(session).timestamp()
        kept = Kept(moves=(Move(now_s - 20, "web", "1"), Move(now_s - 10, "web", "local")))
        row = policy_table.law_row(session, NUMASFP, HOST, lock=True)
        decisions.remember(registry.law_named(NUMASFP), row, LawMemory(kept))
    assert [(move.from_node, move.to_node) for move in host(client).moves] == [(0, 1), (1, 0)]


def test_another_process_begins_anew_but_remembers_moves(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(1)
    with session_scope() as session:
        session.execute(text("UPDATE paced_turns SET turns = turns + 1"))
    swapped(1)
    assert recommendations(client) == [], "the gain has stood for one second that this process has seen"


def outcome(before: float, offered_before: float, after: float, offered_after: float) -> ChainOutcome:
    return ChainOutcome(
        chain="web",
        before_gbps=before,
        after_gbps=after,
        offered_before_gbps=offered_before,
        offered_after_gbps=offered_after,
    )


def test_a_gain_is_counted_at_the_load_of_after() -> None:
    """It carried 7 of 8.8; offered 8 now it would still carry 7 there, offered 6 all of it."""
    assert gained_gbps(outcome(7.0, 8.8, 8.0, 8.0)) == 1.0
    assert gained_gbps(outcome(7.0, 8.8, 6.0, 6.0)) == 0.0
    assert gained_gbps(outcome(5.0, 5.0, 6.5, 7.0)) == -0.5, "it carried all before, and does not any more"
    assert gained_gbps(outcome(7.0, 8.8, 8.0, 8.0).model_copy(update={"before_gbps": None})) is None
