"""Levels over the API: listed, read, promoted and retired, with an audit entry each."""

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from levels_world import HOST_MODEL, a_draft
from sextant_domain.console.access import Role

LEVELS = f"{API}/levels"


def test_versions_are_listed_newest_first_and_filtered(client: TestClient) -> None:
    first, second = a_draft(1), a_draft(2, "router", (7.0, 3, 20))
    promoted = client.post(f"{LEVELS}/{first}/promotion")
    assert promoted.status_code == 200, promoted.text
    found = client.get(LEVELS).json()["items"]
    assert [one["id"] for one in found] == [second, first]
    assert found[1]["measured"]["levels"]["local"][0] == {"gbps": 4.0, "ways": 2, "mb_percent": 10}
    for query, expected in (
        ({"nf_type": "router"}, [second]),
        ({"state": "promoted"}, [first]),
        ({"host_model": HOST_MODEL, "sort": "id"}, [first, second]),
        ({"host_model": "another"}, []),
        ({"limit": 1}, [second]),
    ):
        answer = client.get(LEVELS, params=query)
        assert answer.status_code == 200, answer.text
        assert [one["id"] for one in answer.json()["items"]] == expected, query


def test_a_promotion_retires_the_version_before_it(client: TestClient) -> None:
    first, second = a_draft(1), a_draft(2)
    for levels_id, table_version in ((first, 1), (second, 3)):
        answer = client.post(f"{LEVELS}/{levels_id}/promotion")
        assert answer.status_code == 200, answer.text
        assert (answer.json()["state"], answer.json()["table_version"]) == ("promoted", table_version)
        assert answer.json()["decided_by"] == "ada"
    assert client.get(f"{LEVELS}/{first}").json()["state"] == "retired"
    retired = client.post(f"{LEVELS}/{second}/retirement")
    assert (retired.status_code, retired.json()["state"]) == (200, "retired")
    audited = client.get(f"{API}/audit", params={"limit": 3}).json()["items"]
    assert [(one["action"], one["subject"]) for one in audited] == [
        ("levels.retire", f"levels/{second}"), ("levels.promote", f"levels/{second}"),
        ("levels.promote", f"levels/{first}"),
    ]  # fmt: skip
    assert audited[1]["object_name"] == f"firewall on {HOST_MODEL}"


def test_what_cannot_be_is_refused_with_its_reason(client: TestClient) -> None:
    stale, draft = a_draft(1, nf_version=1000), a_draft(2)
    for path, status, reason in (
        (f"{stale}/promotion", 409, "profiled at version 1000"),
        (f"{draft}/retirement", 409, "they are draft"),
        ("999/promotion", 404, "There are no levels 999"),
        ("999/retirement", 404, "There are no levels 999"),
    ):
        answer = client.post(f"{LEVELS}/{path}")
        assert answer.status_code == status, answer.text
        assert reason in answer.json()["detail"]
    assert client.get(f"{LEVELS}/999").status_code == 404
    assert "profiled at version 1000" in client.get(f"{LEVELS}/{stale}").json()["stale"]


@pytest.mark.parametrize(
    "query", [{"state": "used"}, {"nf_type": "No Name"}, {"host_model": "x" * 201}, {"sort": "-x"}, {"order": "id"}]
)
def test_filters_are_bounded(client: TestClient, query: dict[str, str]) -> None:
    assert client.get(LEVELS, params=query).status_code == 422


def test_a_viewer_reads_and_decides_nothing(sign_in) -> None:  # type: ignore[no-untyped-def]
    levels_id = a_draft(1)
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.get(f"{LEVELS}/{levels_id}").status_code == 200
    for action in ("promotion", "retirement"):
        assert viewer.post(f"{LEVELS}/{levels_id}/{action}").status_code == 403
