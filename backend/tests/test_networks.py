"""Trained networks: weights of a stranger are refused by field; what is stored never changes; who promotes and reverts,
and what is in force then."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet
from network_world import NETWORKS, PROMOTIONS, document, report, trained, weights
from outcome_world import promoted
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.networks import contents, service
from sextant_backend.modules.networks.models import NetworkRow, PromotionRow
from sextant_backend.modules.networks.views import REST
from sextant_domain.console.access import Role
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Weights
from sextant_engine.laws.sfc2cpu.trained import digest_of_weights
from sqlalchemy import func, select, update


def poisoned(change: Callable[[dict[str, Any]], object], honest: bool = True) -> bytes:
    """The document with changed weights; `honest`: and the digest of these, where they have one."""
    raw = json.loads(document())
    change(raw["weights"])
    if honest:
        with suppress(ValueError):
            raw["digest"] = digest_of_weights(Weights.model_validate_json(json.dumps(raw["weights"])))
    return json.dumps(raw).encode()


def put(path: str, *at: int, value: object) -> Callable[[dict[str, Any]], object]:
    def change(given: dict[str, Any]) -> None:
        target = given[path]
        for index in at[:-1]:
            target = target[index]
        target[at[-1]] = value

    return change


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b"", "document"),
        (b"[" * 100_000, "document"),
        (b"\xff\xfe", "document"),
        (b" " * (contents.MAX_BYTES + 1), "document"),
        (document(4), "weights"),
        (poisoned(put("second", 3, 4, value=0.5), honest=False), "digest"),
        (poisoned(put("second", 3, 4, value=float("nan"))), "weights.second.3.4"),
        (poisoned(put("head", 0, 0, value=float("inf"))), "weights.head.0.0"),
        (poisoned(put("first_bias", 0, value=1e300)), "weights.first_bias.0"),
        (poisoned(put("key", 0, 0, value="0")), "weights.key.0.0"),
        (poisoned(lambda given: given["second"].pop()), "weights.second"),
        (poisoned(lambda given: given["second"][0].pop()), "weights.second"),
        (poisoned(lambda given: given["head_bias"].append(0.0)), "weights.head_bias"),
        (poisoned(lambda given: given.update(extra=1)), "weights.extra"),
        (poisoned(lambda given: given.update(cores=10**9)), "weights"),
        (json.dumps({"weights": {"seed": 1, "cores": 2}, "digest": f"sha256:{'0' * 64}"}).encode(), "weights.query"),
    ],
)
def test_weights_of_a_stranger_are_refused_by_field_and_nothing_is_stored(
    client: TestClient, raw: bytes, field: str
) -> None:
    with session_scope() as session, pytest.raises(BadEngineInput) as refused:
        service.keep(session, raw, report(), None, "ada")
    assert refused.value.field == field
    with session_scope() as session:
        assert session.scalar(select(func.count()).select_from(NetworkRow)) == 0


def test_what_is_stored_stays_as_it_is_and_is_listed_with_its_report(client: TestClient) -> None:
    """The same weights from another training are the same network."""
    one = trained()
    with session_scope() as session:
        assert service.keep(session, document(), report().model_copy(update={"seed": 9}), 7, "bob") == one
    [item] = client.get(NETWORKS).json()["items"]
    assert (item["weights"], item["report"]["seed"], item["trained_by"], item["study"]) == (one, 1, "ada", None)
    assert item["report"]["exam"]["over_lpt"]["value"] == -5.5
    assert not item["in_force"]
    other = trained(4)
    assert [item["weights"] for item in client.get(NETWORKS, params={"cores": 4}).json()["items"]] == [other]
    assert len(client.get(NETWORKS).json()["items"]) == 2


def test_beyond_so_many_the_oldest_that_nobody_promoted_go(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, gone = trained(2), trained(3)
    assert client.put(f"{NETWORKS}/{kept}/promotion").status_code == 200
    monkeypatch.setattr(service, "MAX_NETWORKS", 2)
    new = trained(4)
    assert {item["weights"] for item in client.get(NETWORKS).json()["items"]} == {kept, new}
    assert client.put(f"{NETWORKS}/{gone}/promotion").status_code == 404


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """NFs may share cores 0 to 2, of which core 0 is kept for last: a network for 3 cores."""
    with a_fleet(tmp_path, "edge-1", cores=3) as made:
        promoted({"router": 10.0, "firewall": 5.0})
        yield made


def offered(client: TestClient) -> tuple[str, str | None]:
    found = client.get(f"{API}/control/sfc2cpu/assigner").json()
    return found["algorithm"], found.get("network")


@pytest.mark.usefixtures("fleet")
def test_only_a_promoted_network_is_offered_and_revert_goes_back_to_what_was_before(client: TestClient) -> None:
    """One, then another in its place; back to the first, then to the basic assigners."""
    first, second, foreign = trained(3), trained(3, first_core=True), trained(2)
    assert client.get(f"{API}/control/sfc2cpu/hosts/edge-1").json()["assignable"] == 3
    assert offered(client) == ("min_max", None)
    client.put(f"{NETWORKS}/{foreign}/promotion")
    assert offered(client) == ("min_max", None), "no host has two cores"
    answer = client.put(f"{NETWORKS}/{first}/promotion")
    assert answer.status_code == 200 and answer.json()["before"] is None
    assert client.put(f"{NETWORKS}/{first}/promotion").json() == answer.json(), "a repeat changes nothing"
    assert offered(client) == ("network", first)
    assert client.get(f"{API}/control/sfc2cpu/hosts/edge-1").json()["assigner"]["network"] == first
    assert client.put(f"{NETWORKS}/{second}/promotion").json()["before"] == first
    assert offered(client) == ("network", second)
    assert client.delete(f"{NETWORKS}/{first}/promotion").status_code == 409, "it is not in force"
    ended = client.delete(f"{NETWORKS}/{second}/promotion").json()
    assert (ended["ended"], ended["ended_by"], ended["rests_until"]) == ("reverted", "ada", None)
    assert offered(client) == ("network", first)
    assert client.delete(f"{NETWORKS}/{first}/promotion").status_code == 200
    assert offered(client) == ("min_max", None)
    ends = [item["ended"] for item in client.get(PROMOTIONS, params={"cores": 3}).json()["items"]]
    assert ends == ["reverted", "reverted", "replaced"]
    entries = [one for one in client.get(f"{API}/audit").json()["items"] if one["subject"] == f"network/{second}"]
    assert [one["action"] for one in entries] == ["network.revert", "network.promote"]
    assert entries[0]["after"] == {"assigner": f"network {first[7:19]}"}


def test_a_viewer_may_see_and_not_promote(sign_in: SignIn) -> None:
    one, viewer = trained(), sign_in(Role.VIEWER, "vic")
    assert viewer.get(NETWORKS).status_code == viewer.get(PROMOTIONS).status_code == 200
    for answer in (viewer.put(f"{NETWORKS}/{one}/promotion"), viewer.delete(f"{NETWORKS}/{one}/promotion")):
        assert answer.status_code == 403


@pytest.mark.usefixtures("fleet")
def test_a_plan_by_a_network_that_nobody_promoted_is_refused(client: TestClient) -> None:
    trained(3)
    asked = {"intent": {"kind": "replace", "host": "edge-1"}, "algorithm": "network"}
    refused = client.post(f"{API}/plans", json=asked)
    assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (409, "network-missing")
    assert "may share 3 cores" in refused.json()["detail"]


@pytest.mark.usefixtures("fleet")
def test_weights_that_were_changed_in_the_database_are_passed_over(client: TestClient) -> None:
    """Not promoted, and no plan goes by them."""
    one = trained(3)
    assert client.put(f"{NETWORKS}/{one}/promotion").status_code == 200
    with session_scope() as session:
        assert len(service.in_force(session)) == 1
        session.execute(update(NetworkRow).values(document=document(3, first_core=True)))
    with session_scope() as session:
        assert service.in_force(session) == ()
    client.delete(f"{NETWORKS}/{one}/promotion")
    refused = client.put(f"{NETWORKS}/{one}/promotion")
    assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (409, "network-refused")


def test_none_is_promoted_while_one_that_was_worse_rests(client: TestClient) -> None:
    one, other = trained(2), trained(3)
    client.put(f"{NETWORKS}/{one}/promotion")
    verdict = {"host": "edge-1", "served": 0.5, "round_robin": 0.9, "at": "2026-01-01T00:00:00Z"}
    ended = {"ended": "worse", "ended_by": "system", "verdict": verdict}
    with session_scope() as session:
        session.execute(update(PromotionRow).values(**ended, ended_at=func.now()))
    refused = client.put(f"{NETWORKS}/{one}/promotion")
    assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (409, "networks-rest")
    assert client.put(f"{NETWORKS}/{other}/promotion").status_code == 200, "that is for other hosts"
    with session_scope() as session:
        session.execute(update(PromotionRow).where(PromotionRow.cores == 2).values(ended_at=func.now() - REST))
    assert client.put(f"{NETWORKS}/{one}/promotion").status_code == 200
    assert weights(2)["cores"] == 2
