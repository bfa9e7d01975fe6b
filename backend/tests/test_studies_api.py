"""Studies over the API: taken or refused with the field, cancelled, removed. Nobody runs them here."""

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.studies import limits, repository, service
from sextant_domain.console.access import Role
from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES
from sextant_domain.studies.study import StudyScenario, StudyState
from study_world import SMALL, STUDIES, asked, now, started


def test_a_study_waits_with_its_file(client: TestClient) -> None:
    study = started(client)
    assert (study.name, study.kind, study.machine, study.runs) == ("small", "prediction", "xeon-e5-2650-v4", 2)
    assert (study.state, study.attempts, study.created_by, study.progress) == (StudyState.QUEUED, 0, "ada", None)
    found = StudyScenario.model_validate_json(client.get(f"{STUDIES}/{study.id}/scenario").content)
    assert found.toml == SMALL and found.scenario.placements == 2
    assert client.get(STUDIES).json()["items"] == [study.model_dump(mode="json")]
    assert client.get(STUDIES, params={"state": "done"}).json()["items"] == []


def test_the_same_key_starts_one_study(client: TestClient) -> None:
    answers = [asked(client, **{"Idempotency-Key": "k"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[0].headers["Location"] == f"{STUDIES}/{answers[0].json()['id']}"
    assert len(client.get(STUDIES).json()["items"]) == 1


@pytest.mark.parametrize(
    ("toml", "field", "message"),
    [
        ("name = ", "scenario_toml", "is no TOML"),
        ("a = " + "9" * 5000, "scenario_toml", "is no TOML"),
        ("a = " + "[" * 5000, "scenario_toml", "is no TOML"),
        (SMALL.replace("seeds", "sedes"), "scenario_toml.sedes", "is unknown"),
        (SMALL.replace("placements = 2", "placements = 0"), "scenario_toml.placements", "must be at least 1"),
        (SMALL.replace('"small"', '"A B"'), "scenario_toml.name", "must match ^[a-z0-9]"),
        (SMALL.replace("Two", "\\u0000"), None, "cannot be stored"),
        # 100 seeds of 1000 placements of one chain of 2 NFs: 100 x 1000 x (10 + 2) = 1,200,000.
        (
            SMALL.replace("[1, 2]", str(list(range(100)))).replace("placements = 2", "placements = 1000"),
            "scenario_toml.seeds",
            "about 1200000 figures; the most is 1000000",
        ),
        (SMALL + "#" * MAX_SCENARIO_BYTES, "scenario_toml", "65536"),
        (SMALL + "#" + "é" * (MAX_SCENARIO_BYTES // 2), "scenario_toml", "the most is 65536"),
    ],
    ids=["syntax", "digits", "depth", "unknown", "bound", "name", "nul", "figures", "characters", "bytes"],
)
def test_a_scenario_that_cannot_be_is_refused_with_its_field(
    client: TestClient, toml: str, field: str | None, message: str
) -> None:
    answer = asked(client, toml)
    assert answer.status_code == 422
    assert message in answer.text
    if field is not None:
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert client.get(STUDIES).json()["items"] == []


def test_there_is_room_for_so_many(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_STUDIES", 1)
    started(client)
    refused = asked(client)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:sextant:problem:too-many-studies")
    assert limits.MAX_STUDIES > 1


def test_one_that_waits_is_cancelled_at_once_and_can_be_removed_then(client: TestClient) -> None:
    study = started(client)
    assert client.delete(f"{STUDIES}/{study.id}", headers={"If-Match": f'"{study.version}"'}).status_code == 409
    cancelled = client.post(f"{STUDIES}/{study.id}/cancellation")
    assert (cancelled.status_code, cancelled.json()["state"]) == (202, "cancelled")
    again = client.post(f"{STUDIES}/{study.id}/cancellation")
    assert (again.status_code, again.json()["type"]) == (409, "urn:sextant:problem:action-not-allowed")
    assert client.delete(f"{STUDIES}/{study.id}").status_code == 428, "which version is meant?"
    version = now(client, study).version
    assert client.delete(f"{STUDIES}/{study.id}", headers={"If-Match": f'"{version}"'}).status_code == 204
    assert client.get(f"{STUDIES}/{study.id}").status_code == 404


@pytest.mark.parametrize("what", ["result", "summary"])
def test_what_is_not_done_has_no_result_and_cannot_be_repeated(client: TestClient, what: str) -> None:
    study = started(client)
    for answer in (client.get(f"{STUDIES}/{study.id}/{what}"), client.post(f"{STUDIES}/{study.id}/repetition")):
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:study-without-result")


def test_viewers_read_only(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER)
    assert viewer.get(STUDIES).status_code == 200
    assert asked(viewer).status_code == 403


def test_the_sweep_rings_for_the_oldest_alone_and_not_while_one_is_run(client: TestClient) -> None:
    """Of two that wait it rings for the first. While that is held, for none: the second waits for its end."""
    first, _second = started(client), started(client)

    def to_ring() -> list[int]:
        with session_scope() as session:
            return list(repository.to_ring(session))

    assert to_ring() == [first.id]
    assert to_ring() == [], "it has just rung"
    with session_scope() as session:
        row = service.found(session, first.id, lock=True)
        row.claim_token, row.rung_at = "held", None
        row.lease_until = row.created_at.replace(year=row.created_at.year + 1)
    assert to_ring() == []
