"""POST /chains/{name}/settings/predictions: what other settings would do. Nothing is planned, stored or ordered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adjust_world import FASTER, SETTINGS, adjusted, lose, patch, same
from agent_peer import chain_json
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed, plan
from httpx import Response
from outcome_world import placed as loaded
from outcome_world import promoted
from sextant_backend.kit.admission import Admission
from sextant_backend.kit.db import session_scope
from sextant_domain.console.access import Role
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction
from sqlalchemy import text

PATH = f"{SETTINGS}/predictions"


@pytest.fixture
def running(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        placed(client, "web-edge")
        yield made


def predicted(client: TestClient, **change: Any) -> SettingsPrediction:
    answer = client.post(PATH, json=change)
    assert answer.status_code == 200, answer.text
    return SettingsPrediction.model_validate_json(answer.content)


def refusal(refused: Response) -> list[tuple[str, str]]:
    """Fields and messages of a refusal."""
    return [(error["field"], error["message"]) for error in refused.json()["errors"]]


def stored() -> dict[str, int]:
    """Rows of all that an adjustment would write."""
    with session_scope() as session:
        tables = ("plans", "operations", "audit_entries", "idempotency_keys")
        return {name: session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in tables}


def test_it_is_what_the_applied_plan_carries(client: TestClient, running: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0, "basic-monitor": 20.0})
    placed(client, "old", "router", "firewall")
    change = {"traffic": {**FASTER, "rate_mpps": 4.5}, "nfs": {"router": {"cpu_share": 300}}}
    found = predicted(client, **change)
    body = plan(client, adjusted(client, **change).plan_id).body
    assert body is not None
    assert found.prediction == next(one for one in body.predictions if one.chain == "web-edge")
    assert found.prediction.throughput_mpps is not None
    assert found.before_mpps == pytest.approx(0.2)
    assert (found.effect, found.host, found.warnings) == (SettingsEffect.HOSTS, "edge-1", body.warnings)
    assert (found.adjustments, found.changes) == (body.adjustments, body.changes)
    assert [one.nf_id for one in found.changes] == ["web-edge.router"]


def test_it_names_whom_it_would_slow_down_and_not_the_chain_itself(client: TestClient, running: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0, "basic-monitor": 20.0})
    loaded(client, "old", 9.0)
    change = {"traffic": {**FASTER, "rate_mpps": 20}}
    found = predicted(client, **change)
    body = plan(client, adjusted(client, **change).plan_id).body
    assert body is not None
    worse = {one.chain: (one.before_mpps, one.after_mpps) for one in body.worse if one.chain != "web-edge"}
    assert {one.chain: (one.before_mpps, one.after_mpps) for one in found.affected} == worse != {}
    others = [one for one in body.predictions if one.chain != "web-edge"]
    lost = sum((one.throughput_mpps or 0) - (one.before_mpps or 0) for one in others)
    assert found.others_mpps == pytest.approx(lost) and lost < 0
    less = predicted(client, traffic={**FASTER, "rate_mpps": 0.1})
    assert less.prediction is not None and less.prediction.throughput_mpps == pytest.approx(0.1)
    assert less.affected == (), "the chain's own throughput stands in its prediction"


def test_nothing_is_stored_or_ordered_and_a_viewer_may_ask(sign_in: SignIn, running: Fleet) -> None:
    viewer = sign_in(Role.VIEWER, "grace")
    before, settings = stored(), same(running)
    keyed = viewer.post(PATH, json={"traffic": FASTER}, headers={"Idempotency-Key": "again-and-again"})
    assert keyed.status_code == 200, keyed.text
    assert (stored(), same(running), len(running.edge.adopted)) == (before, settings, 1)
    assert viewer.patch(SETTINGS, json={"traffic": FASTER}).status_code == 403


def test_what_was_never_measured_is_named_with_what_to_do(client: TestClient, running: Fleet) -> None:
    found = predicted(client, traffic=FASTER)
    assert found.prediction is not None and found.prediction.throughput_mpps is None
    assert found.unmeasured == ("basic-monitor", "firewall", "router")
    assert found.next_actions[0].command == "sextant profile start basic-monitor --host edge-1"


@pytest.mark.parametrize("change", [{}, {"paused": False}, {"nfs": {"router": {"cpu_share": None}}}])
def test_what_is_as_asked_already_changes_nothing(client: TestClient, running: Fleet, change: dict[str, Any]) -> None:
    assert predicted(client, **change) == SettingsPrediction.without_figures("web-edge", SettingsEffect.NOTHING)


def test_a_chain_that_runs_nowhere_is_planned_again(client: TestClient) -> None:
    assert client.post(f"{API}/chains", json=chain_json("web-edge")).status_code == 201
    found = predicted(client, traffic=FASTER)
    assert found == SettingsPrediction.without_figures("web-edge", SettingsEffect.SPECIFICATION)


def test_a_chain_that_is_unknown_is_named(client: TestClient) -> None:
    answer = client.post(f"{API}/chains/ghost/settings/predictions", json={"paused": True})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:sextant:problem:not-found")
    assert "ghost" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"traffic": {"rate_mpps": 1e300, "packet_bytes": 64}}, "traffic.rate_mpps"),
        ({"nfs": {"router": {"cpu_share": 0}}}, "nfs.router.cpu_share"),
        ({"nfs": {"ghost": {"cpu_share": 5}}}, "nfs.ghost"),
        ({"nfs": {"router": {"config": {"warp": 9}}}}, "nfs.router.config.warp"),
        ({"execution": "run-to-completion", "nfs": {"router": {"cpu_share": 5}}}, "nfs.router.cpu_share"),
        ({"paused": "yes"}, "paused"),
        ({"warp": 9}, "warp"),
    ],
)
def test_what_adjusting_would_refuse_is_refused_by_the_same_field(
    client: TestClient, running: Fleet, change: dict[str, Any], field: str
) -> None:
    refused, sent = client.post(PATH, json=change), patch(client, **change)
    assert (refused.status_code, sent.status_code) == (422, 422), refused.text
    assert refusal(refused) == refusal(sent)
    assert field in {name for name, _ in refusal(refused)}


def test_what_the_host_cannot_do_is_refused_by_the_same_field(client: TestClient, running: Fleet) -> None:
    lose(running, "run-to-completion")
    refused, sent = (
        client.post(PATH, json={"execution": "run-to-completion"}),
        patch(client, execution="run-to-completion"),
    )
    assert refused.status_code == 422, refused.text
    assert refusal(refused) == refusal(sent)


def test_those_who_type_wait_for_their_turn_and_learn_when_to_try_again(
    client: TestClient, running: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        client.app.state.new_chain_predictor,  # type: ignore[attr-defined]
        "admission",
        Admission(at_once=0, most_waiting=0),
    )
    answer = client.post(PATH, json={"traffic": FASTER})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:unavailable")
    assert answer.headers["Retry-After"]
