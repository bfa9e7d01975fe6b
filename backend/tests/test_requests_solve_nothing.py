"""While the engine computes for a request, the request holds no transaction; and it never opens a second one beside."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sextant_engine.consolidation
import sextant_engine.interference
import sextant_engine.new_chain
import sextant_engine.plan
import sextant_engine.targets
from adjust_world import FASTER, SETTINGS, patch
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed
from httpx import Response
from sextant_backend.kit import db
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import drafts
from sextant_domain.hosts.desired import DesiredHostConfig
from sqlalchemy import event


@pytest.fixture
def running(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        placed(client, "web-edge")
        yield made


def _delete(client: TestClient) -> Response:
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    return client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})


def _adjust(client: TestClient) -> Response:
    return patch(client, traffic=FASTER)


def _targets(client: TestClient) -> Response:
    return client.get(f"{API}/nfs/web-edge.router/targets")


def _interference(client: TestClient) -> Response:
    return client.get(f"{API}/hosts/edge-1/interference")


def _consolidation(client: TestClient) -> Response:
    return client.get(f"{API}/plans/1/consolidation", params={"host": "edge-1"})


def _predict(client: TestClient) -> Response:
    return client.post(f"{API}/chains/predictions", json=chain_json("drawn"))


def _predict_settings(client: TestClient) -> Response:
    return client.post(f"{SETTINGS}/predictions", json={"traffic": FASTER})


@contextmanager
def connections() -> Iterator[list[int]]:
    """How many of the process are in use, whenever one is taken."""
    used: list[int] = []
    engine = db.session_factory().kw["bind"]

    def note(*_: object) -> None:
        used.append(engine.pool.checkedout())

    event.listen(engine, "checkout", note)
    try:
        yield used
    finally:
        event.remove(engine, "checkout", note)


@pytest.mark.parametrize(
    ("ask", "module", "name"),
    [
        (_delete, sextant_engine.plan, "check"),
        (_adjust, sextant_engine.plan, "check"),
        (_predict, sextant_engine.new_chain, "propose"),
        (_predict_settings, sextant_engine.plan, "check"),
        (_targets, sextant_engine.targets, "targets_of"),
        (_interference, sextant_engine.interference, "interference_of"),
        (_consolidation, sextant_engine.consolidation, "consolidation_of"),
    ],
)
def test_the_engine_computes_in_no_transaction(
    client: TestClient,
    running: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[TestClient], Response],
    module: Any,
    name: str,
) -> None:
    held: list[int] = []
    compute = getattr(module, name)

    def noted(*arguments: Any) -> Any:
        held.append(db.session_factory().kw["bind"].pool.checkedout())
        return compute(*arguments)

    monkeypatch.setattr(module, name, noted)
    with connections() as used:
        answer = ask(client)
    assert answer.is_success, answer.text
    assert held == [0], "a connection in use is an open transaction"
    assert max(used) == 1, "one session at a time"


@pytest.mark.parametrize("ask", [_delete, _adjust])
def test_a_host_that_is_ordered_while_the_engine_computes_refuses_the_request(
    client: TestClient, running: Fleet, monkeypatch: pytest.MonkeyPatch, ask: Callable[[TestClient], Response]
) -> None:
    check = sextant_engine.plan.check

    def meanwhile(*arguments: Any) -> Any:
        with session_scope() as session:
            present = hosts.ordered(session, "edge-1")
            hosts.set_desired(session, DesiredHostConfig.of(present.generation + 1, present.content))
        return check(*arguments)

    monkeypatch.setattr(sextant_engine.plan, "check", meanwhile)
    answer = ask(client)
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (409, "urn:sextant:problem:fleet-moved-on"), answer.text
    assert problem["detail"] == "edge-1 got another order while this was computed. Nothing was changed."
    assert problem["difference"]["edge-1"]["actual"]["generation"] == 2
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"
    assert [one["id"] for one in client.get(f"{API}/plans").json()["items"]] == [1], "no plan of it is stored"


@pytest.mark.parametrize("ask", [_delete, _adjust, _predict_settings])
def test_what_takes_too_long_is_refused(
    client: TestClient, running: Fleet, monkeypatch: pytest.MonkeyPatch, ask: Callable[[TestClient], Response]
) -> None:
    monkeypatch.setattr(drafts, "LIMIT_S", -1.0)
    answer = ask(client)
    assert (answer.status_code, client.get(f"{API}/chains/web-edge").json()["state"]) == (503, "running"), answer.text
