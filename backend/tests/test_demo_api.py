"""The demonstration fleet: asked for where somebody serves it, of one size at a time."""

from collections.abc import Iterator

import pytest
from console_world import SignIn
from enrolment_world import audited
from fastapi.testclient import TestClient
from sextant_backend.settings import get_settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.demo import DemoFleet

DEMO = "/api/v1/demo"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SEXTANT_DEMO", "1")
    get_settings.cache_clear()
    yield
    monkeypatch.undo()
    get_settings.cache_clear()


@pytest.mark.usefixtures("served")
def test_it_is_asked_for_and_taken_away(client: TestClient) -> None:
    assert client.get(DEMO).json() == {"hosts": 0}
    for _ in range(2):  # a repeat changes nothing
        assert client.put(DEMO, json={"hosts": 20}).json() == {"hosts": 20}
    assert client.get(DEMO).json() == {"hosts": 20}
    assert client.put(DEMO, json={"hosts": 0}).status_code == 200
    assert client.get(DEMO).json() == {"hosts": 0}
    assert [detail["hosts"] for _, _, detail in audited("demo.ask")] == ["20", "0"]


@pytest.mark.usefixtures("served")
def test_another_size_is_refused_since_names_follow_it(client: TestClient) -> None:
    client.put(DEMO, json={"hosts": 20})
    answer = client.put(DEMO, json={"hosts": 100})
    assert answer.status_code == 409
    assert "20 hosts, demo-01 to demo-20" in answer.json()["detail"]
    assert answer.json()["next_actions"][0]["command"] == "sextant demo --remove"


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("body", [{"hosts": -1}, {"hosts": 1001}, {"hosts": "2"}, {}, {"hosts": 2, "more": 1}])
def test_what_is_no_size_is_refused(client: TestClient, body: dict[str, object]) -> None:
    assert client.put(DEMO, json=body).status_code == 422


@pytest.mark.usefixtures("served")
def test_a_viewer_may_look_only(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER)
    assert viewer.get(DEMO).status_code == 200
    assert viewer.put(DEMO, json={"hosts": 2}).status_code == 403


def test_where_nobody_serves_it_the_next_step_is_named(client: TestClient) -> None:
    answer = client.put(DEMO, json={"hosts": 2})
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:demo-unavailable"


def test_names_have_as_many_digits_as_the_last() -> None:
    assert DemoFleet(hosts=0).names == ()
    assert DemoFleet(hosts=2).names == ("demo-1", "demo-2")
    assert DemoFleet(hosts=1000).names[0] == "demo-0001"
