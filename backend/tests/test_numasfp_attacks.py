"""NUMASFP's operations under attack: figures that cannot be, rights that somebody has not, many answers at once, and
stops at bad moments."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API
from numasfp_world import HOST, a_host, placed, promoted, report, second
from recommendation_world import decided, recommendations
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.laws.numasfp import evaluation
from sextant_backend.modules.control import each_second, service
from sextant_backend.modules.hosts.models import Host
from sextant_domain.console.access import Role
from sextant_domain.hosts.telemetry import ChainSample
from sextant_domain.laws.recommendation import RecommendationState
from sextant_engine.errors import BadEngineInput
from test_numasfp_law import host, put_mode, stop, swapped, the_open_one

pytestmark = pytest.mark.as_admin
PARAMETERS = f"{API}/control/numasfp/parameters"
ADA = Principal("ada", Role.OPERATOR)
RIVALS = 6


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (b'{"margin_percent": "2"}', "margin_percent", "must be a number"),
        (b'{"margin_percent": true}', "margin_percent", "must be a number"),
        (b'{"margin_percent": NaN}', "margin_percent", "must be a finite number"),
        (b'{"margin_percent": 1e308}', "margin_percent", "must be at most 1000"),
        (b'{"margin_percent": 1e999}', "margin_percent", "must be a finite number"),
        (b'{"margin_percent": -0.1}', "margin_percent", "must be at least 0"),
        (b'{"hold_intervals": 2.5}', "hold_intervals", "must be a whole number"),
        (b'{"hold_intervals": 0}', "hold_intervals", "must be at least 1"),
        (b'{"budget_moves": 1000000000000000000000000000000}', "budget_moves", "must be at most 1000"),
        (b'{"most_pause_ms": []}', "most_pause_ms", "must be a number"),
        (b'{"law": "octans"}', "law", "is unknown: remove it"),
        (b'{"late_s": 3600}', "late_s", "is unknown: remove it"),
        (b"[]", "body", "must be an object of named values"),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_plain_words(
    client: TestClient, body: bytes, field: str, message: str
) -> None:
    found = client.get(PARAMETERS)
    headers = {"If-Match": found.headers["ETag"], "Content-Type": "application/json"}
    answer = client.patch(PARAMETERS, content=body, headers=headers)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"] == [{"field": field, "message": message}]
    assert client.get(PARAMETERS).json() == found.json()


def test_parameters_of_the_other_law_are_no_texts_either(client: TestClient) -> None:
    path = f"{API}/control/coco/parameters"
    found = client.get(path)
    for wrong in ({"lost_percent": "2"}, {"rest_s": True}, {"move_price": "1"}):
        answer = client.patch(path, json=wrong, headers={"If-Match": found.headers["ETag"]})
        assert (answer.status_code, answer.json()["errors"][0]["message"]) == (422, "must be a number")
    assert client.get(path).json() == found.json()


def test_a_viewer_sees_all_and_changes_nothing(client: TestClient, sign_in: SignIn) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    number = the_open_one(client).id
    viewer, tag = sign_in(Role.VIEWER, "vera"), {"If-Match": '"1"'}
    assert viewer.get(PARAMETERS).status_code == 200
    assert viewer.get(f"{API}/control/numasfp/hosts/{HOST}").status_code == 200
    refused = (
        viewer.patch(PARAMETERS, json={"budget_moves": 1000}, headers=tag),
        viewer.put(f"{API}/automation", json={"stopped": True}, headers=tag),
        viewer.put(f"{API}/policies/numasfp/host/{HOST}", json={"mode": "automatic"}),
        viewer.put(f"{API}/policies/numasfp/fleet", json={"mode": "automatic"}, headers=tag),
        viewer.delete(f"{API}/policies/numasfp/host/{HOST}"),
        viewer.post(f"{API}/recommendations/{number}/actions", json={"action": "accept"}),
    )
    assert [answer.status_code for answer in refused] == [403] * len(refused)
    swapped(1)
    assert the_open_one(client).id == number


@pytest.mark.parametrize("name", ["..%2f..%2fetc", "%2e%2e", "a%00b", "A", "x" * 64, "web'--", "-1"])
def test_names_that_are_none_are_refused(client: TestClient, name: str) -> None:
    for answer in (
        client.get(f"{API}/control/numasfp/hosts/{name}"),
        client.put(f"{API}/policies/numasfp/chain/{name}", json={"mode": "automatic"}),
    ):
        assert answer.status_code in {404, 405, 422}, answer.text


def at_once(work: Callable[[], object]) -> Counter[str]:
    def one(_: int) -> str:
        try:
            work()
        except SextantError as error:
            return error.kind
        return "done"

    with ThreadPoolExecutor(RIVALS) as pool:
        return Counter(pool.map(one, range(RIVALS)))


def test_of_many_who_accept_one_recommendation_one_is_heard(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    number = the_open_one(client).id

    def accept() -> None:
        with session_scope() as session:
            service.accept(session, number, ADA)

    assert at_once(accept) == {"done": 1, "recommendation-decided": RIVALS - 1}
    assert len(client.get(f"{API}/operations").json()["items"]) == 1
    second({"web": 8.8, "nat": 6.0}, {"web": 7.0})
    assert [move.chain for move in host(client).moves] == ["web"], "it counts once"


def test_what_is_accepted_after_its_host_has_changed_is_refused(client: TestClient) -> None:
    """Somebody's order came between: the plan was made of another one."""
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    number = the_open_one(client).id
    with session_scope() as session:
        row = session.get_one(Host, HOST)
        row.desired_generation = 2
        row.desired = {**row.desired, "generation": 2}
    answer = client.post(f"{API}/recommendations/{number}/actions", json={"action": "accept"})
    assert answer.status_code == 409, answer.text
    assert answer.json()["detail"]
    assert client.get(f"{API}/operations").json()["items"] == []


@pytest.mark.parametrize("mpps", [1e308, 1e300, 1.7e10])
def test_an_absurd_figure_holds_the_law_and_the_page_still_answers(client: TestClient, mpps: float) -> None:
    """8 Gbps a Mpps: the largest is infinite on the wire."""
    placed({"web": 16, "nat": 0})
    promoted()
    for _ in range(3):
        absurd(mpps)
        found = host(client)
        assert found.reason.startswith("web is said to be offered ")
        assert client.get(f"{API}/control/numasfp/hosts").status_code == 200
        swapped(1)
        assert host(client).reason == "a gain of 1.80 Gbps stands for 1 of 2 s"
    assert recommendations(client) == []
    swapped(1)
    assert the_open_one(client).chains == ("web",), "it goes on with the next that can be"


def absurd(mpps: float) -> None:
    """A second in which web is said to be offered, and to carry, so much."""
    chains = tuple(
        ChainSample(chain=name, offered_mpps=rate, delivered_mpps=rate, drop_mpps=0.0)
        for name, rate in (("web", mpps), ("nat", 0.75))
    )
    report({}, chains=chains)
    each_second.tick()


def test_what_is_carried_absurdly_is_not_believed_either(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    second({"web": 8.8, "nat": 6.0}, {"web": 1e9})
    assert host(client).reason == "web is said to carry 1e+09 Gbps"
    assert recommendations(client) == []


def test_a_host_that_a_law_cannot_evaluate_takes_no_other_hosts_second(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another host's step fails as no figure should make it fail."""
    placed({"web": 16, "nat": 0})
    promoted()
    placed({"far": 16}, a_host("numa-0"))
    step = evaluation.evaluated

    def failing(state: evaluation.HostState, now: evaluation.Second) -> object:
        if now.given.host == "numa-0":
            raise BadEngineInput("rates_gbps.far", "nobody foresaw this")
        return step(state, now)

    monkeypatch.setattr(evaluation, "evaluated", failing)
    swapped()
    assert the_open_one(client).host == HOST
    monkeypatch.undo()
    swapped(1)
    hosts = client.get(f"{API}/control/numasfp/hosts").json()["items"]
    assert [one["host"] for one in hosts] == ["numa-0", HOST], "it is evaluated again"


def test_seconds_out_of_order_are_not_acted_on(client: TestClient) -> None:
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(1)
    second({"web": 8.8, "nat": 6.0}, {"web": 7.0}, after_s=-1.5)
    assert host(client).held_intervals <= 1
    assert recommendations(client) == []


def test_a_stop_while_a_swap_is_under_way_lets_it_end_and_begins_no_other(client: TestClient) -> None:
    """Half a swap would be worse than either end: the operation goes on, and may be cancelled like any."""
    placed({"web": 16, "nat": 0})
    promoted()
    put_mode(client, "automatic")
    swapped()
    [made] = recommendations(client)
    assert (made.state, made.automatic, made.operation_id) == (RecommendationState.ACCEPTED, True, 1)
    before = client.get(f"{API}/operations/1").json()
    stop(client, stopped=True)
    swapped(4)
    now = host(client)
    assert now.stopped == "all control laws are stopped"
    assert client.get(f"{API}/operations/1").json()["state"] == before["state"]
    assert [one.id for one in recommendations(client)] == [made.id]
    answer = client.post(f"{API}/recommendations/{made.id}/actions", json={"action": "accept"})
    assert answer.status_code == 409
    assert len(client.get(f"{API}/operations").json()["items"]) == 1


def test_what_is_open_when_all_is_stopped_is_decided_once(client: TestClient) -> None:
    """An operator may still accept it before the next turn takes it back; afterwards nobody can."""
    placed({"web": 16, "nat": 0})
    promoted()
    swapped()
    number = the_open_one(client).id
    stop(client, stopped=True)
    swapped(1)
    answer = client.post(f"{API}/recommendations/{number}/actions", json={"action": "accept"})
    assert (answer.status_code, answer.json()["type"].rsplit(":", 1)[-1]) == (409, "recommendation-decided")
    stop(client, stopped=False)
    swapped()
    assert decided(client, the_open_one(client).id, "dismiss").state is RecommendationState.DISMISSED
