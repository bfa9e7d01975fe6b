"""GET /automation/hosts/{host_id}: what Sextant does by itself there."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from large_world import a_numa_host, a_stored_host
from recommendation_world import AT_ONCE, a_far_firewall, recommendations, set_policy, tick
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import STUCK_MANAGERS, Capability
from sextant_domain.laws.host_automation import HostAutomation, LawOnHost
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as one:
        yield one


def asked(client: TestClient) -> HostAutomation:
    answer = client.get(f"{API}/automation/hosts/edge-1")
    assert answer.status_code == 200, answer.text
    return HostAutomation.model_validate_json(answer.content)


def octans(client: TestClient) -> LawOnHost:
    return next(one for one in asked(client).laws if one.law == "octans")


def put_mode(client: TestClient, scope: str, name: str, mode: str) -> Any:
    answer = client.put(f"{API}/policies/octans/{scope}/{name}", json={"mode": mode})
    assert answer.status_code == 200, answer.text


def test_it_says_what_the_law_recommends_and_when_it_is_evaluated_again(client: TestClient, fleet: Fleet) -> None:
    before = octans(client)
    assert (before.mode, before.source) == ("recommend", "default")
    set_policy(client, **AT_ONCE, every_s=20.0)
    tick()
    law = octans(client)
    assert (law.mode, law.source, law.changed_by) == ("recommend", "fleet", "ada")
    assert [one.id for one in law.recommendations] == [one.id for one in recommendations(client)]
    assert law.status.startswith("recommended, for a gain of")
    assert law.evaluated_at is not None
    assert law.next_at is not None
    assert (law.next_at - law.evaluated_at).total_seconds() == 20.0
    assert law.status == client.get(f"{API}/automation").json()["laws"][0]["status"], "one source of both"


def test_the_narrowest_policy_is_named_with_who_set_it(client: TestClient, fleet: Fleet) -> None:
    put_mode(client, "host", "edge-1", "manual")
    law = octans(client)
    assert (law.mode, law.source, law.held_back) == ("manual", "host", ())
    assert law.policy.startswith("Off: the policy of this host is manual, set by ada.")
    put_mode(client, "chain", "web", "recommend")
    law = octans(client)
    assert (law.mode, law.source, [one.name for one in law.chains]) == ("recommend", "chain", ["web"])
    put_mode(client, "chain", "web", "manual")
    put_mode(client, "host", "edge-1", "recommend")
    law = octans(client)
    assert (law.mode, law.source) == ("manual", "chain")


def test_it_names_the_operation_that_holds_the_host_and_the_rest_after_one(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        session.execute(text("UPDATE operation_hosts SET holding = true WHERE operation_id = 1"))
    assert "Operation 1 is at work on this host: nothing is evaluated until it has ended." in octans(client).held_back
    assert any("Operation 1 holds this host now." in one.text for one in asked(client).others)
    tick()
    with session_scope() as session:
        session.execute(text("UPDATE operation_hosts SET holding = false"))
    assert any(one.startswith("The fleet settles after an operation, for ") for one in octans(client).held_back)


def test_a_host_that_is_away_and_a_stop_of_all_laws(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        hosts.mark_unreachable(session, "edge-1", "no answer")
    assert "edge-1 is unreachable (no answer): nothing can be ordered there." in octans(client).held_back
    found = client.get(f"{API}/automation")
    client.put(f"{API}/automation", json={"stopped": True}, headers={"If-Match": found.headers["ETag"]})
    view = asked(client)
    assert (view.stopped, view.laws[0].policy) == (True, "Off: all control laws are stopped, by ada.")
    assert (view.laws[0].held_back, view.laws[0].next_at) == ((), None)


def test_where_no_chain_runs_it_is_said_whose_evaluation_is_shown(client: TestClient, fleet: Fleet) -> None:
    """A law of single hosts says of each its own."""
    with session_scope() as session:
        session.add(a_stored_host(a_numa_host("idle-1"), DesiredHostConfig.of(1, HostContent(host_id="idle-1"))))
    answer = client.get(f"{API}/automation/hosts/idle-1")
    laws = {one.law: one for one in HostAutomation.model_validate_json(answer.content).laws}
    nothing = "No chain runs here: there is nothing to move."
    assert laws["octans"].held_back == (nothing, "What was evaluated last is of the fleet's other hosts.")
    assert laws["numasfp"].held_back == (nothing,)


def test_a_driver_that_ends_stuck_managers_says_so_itself(client: TestClient, fleet: Fleet) -> None:
    assert [one.kind for one in asked(client).others] == ["restart", "operation", "profiling"]
    with session_scope() as session:
        inventory = hosts.one(session, "edge-1").inventory
        assert inventory is not None
        ends = Capability(name=STUCK_MANAGERS, available=True, reason="a manager is ended")
        hosts.register(session, inventory.model_copy(update={"capabilities": (ends,)}), fleet.edge.url)
    assert [one.text for one in asked(client).others if one.kind == "manager"] == ["A manager is ended."]


def test_a_host_that_does_not_exist_is_named_and_a_viewer_may_read(
    client: TestClient, fleet: Fleet, sign_in: SignIn
) -> None:
    refused = client.get(f"{API}/automation/hosts/nowhere")
    assert refused.status_code == 404
    assert refused.json()["detail"] == "There is no host nowhere; `sextant hosts` lists those that there are."
    assert asked(sign_in(Role.VIEWER, "vera")).host == "edge-1"


def test_it_needs_as_many_queries_for_forty_chains_as_for_one(
    client: TestClient, fleet: Fleet, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    """With a policy of each chain: rows that a query by chain would be asked for one by one."""
    asked(client)
    with count_queries() as one:
        asked(client)
    with session_scope() as session:
        desired = hosts.ordered(session, "edge-1")
        [web] = desired.content.chains
        more = tuple(web.model_copy(update={"chain": f"web-{n}"}) for n in range(40))
        content = desired.content.model_copy(update={"chains": (web, *more)})
        hosts.set_desired(session, DesiredHostConfig.of(desired.generation, content))
        for n in range(40):
            row = {"name": f"web-{n}"}
            session.execute(
                text(
                    "INSERT INTO policies (law, scope, name, mode, changed_by, version)"
                    " VALUES ('octans', 'chain', :name, 'manual', 'ada', 1)"
                ),
                row,
            )
    with count_queries() as many:
        law = octans(client)
    assert len(law.chains) == 40
    assert len(many) == len(one)
