"""Shares over the API: listed, read, promoted and retired, with an audit entry each."""

from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.shares.in_use import promoted
from sextant_backend.modules.snapshots import service as snapshots
from shares_world import HOST_MODEL, a_draft, hop, measured

SHARES = f"{API}/shares"


def test_versions_are_listed_newest_first_and_filtered(client: TestClient) -> None:
    first, second = a_draft(1), a_draft(2, "router")
    promoted = client.post(f"{SHARES}/{first}/promotion")
    assert promoted.status_code == 200, promoted.text
    found = client.get(SHARES).json()["items"]
    assert [one["id"] for one in found] == [second, first]
    assert (found[1]["measured"]["line"]["slope"], found[1]["measured"]["line"]["intercept"]) == (0.1, 0.05)
    for query, expected in (
        ({"nf_type": "router"}, [second]),
        ({"state": "promoted"}, [first]),
        ({"host_model": HOST_MODEL, "sort": "id"}, [first, second]),
        ({"host_model": "another"}, []),
        ({"limit": 1}, [second]),
    ):
        answer = client.get(SHARES, params=query)
        assert answer.status_code == 200, answer.text
        assert [one["id"] for one in answer.json()["items"]] == expected, query


def test_a_promotion_retires_the_version_before_it(client: TestClient) -> None:
    first, second = a_draft(1), a_draft(2)
    for shares_id in (first, second):
        answer = client.post(f"{SHARES}/{shares_id}/promotion")
        assert answer.status_code == 200, answer.text
        assert (answer.json()["state"], answer.json()["decided_by"]) == ("promoted", "ada")
    assert client.get(f"{SHARES}/{first}").json()["state"] == "retired"
    retired = client.post(f"{SHARES}/{second}/retirement")
    assert (retired.status_code, retired.json()["state"]) == (200, "retired")
    audited = client.get(f"{API}/audit", params={"limit": 3}).json()["items"]
    assert [(one["action"], one["subject"]) for one in audited] == [
        ("shares.retire", f"shares/{second}"), ("shares.promote", f"shares/{second}"),
        ("shares.promote", f"shares/{first}"),
    ]  # fmt: skip
    assert audited[1]["object_name"] == f"firewall on {HOST_MODEL}"


def test_hops_are_promoted_though_there_is_no_line_but_take_none_out_of_use(client: TestClient) -> None:
    """The first has hops to another core, and points that are on no line: plans go by these hops, laws by no line."""
    near, far = hop("same_core", 8.0), hop("same_node", 12.5)
    hops_alone, useless = (
        a_draft(1, measured=measured(refused="it falls", hops=(near, far))),
        a_draft(2, measured=measured(refused="it falls", hops=(near,))),
    )
    answer = client.post(f"{SHARES}/{useless}/promotion")
    assert (answer.status_code, "it falls; no hop to another core" in answer.json()["detail"]) == (409, True)
    assert client.post(f"{SHARES}/{hops_alone}/promotion").status_code == 200
    with session_scope() as session:
        [known], lines = snapshots.measured_shares(session, {HOST_MODEL})
        assert (known.delays.same_node, lines) == (12.5, ())
        by_laws = promoted(session, {HOST_MODEL})
        assert (dict(by_laws.lines), by_laws.delays) == ({}, {HOST_MODEL: known.delays})
    with_line, again = a_draft(3), a_draft(4, measured=measured(refused="it falls", hops=(near, far)))
    assert client.post(f"{SHARES}/{with_line}/promotion").status_code == 200
    answer = client.post(f"{SHARES}/{again}/promotion")
    assert (answer.status_code, "retire it first" in answer.json()["detail"]) == (409, True)
    assert client.get(f"{SHARES}/{with_line}").json()["state"] == "promoted"


def test_what_cannot_be_is_refused_with_its_reason(client: TestClient) -> None:
    stale, draft, odd = a_draft(1, nf_version=1000), a_draft(2), a_draft(3, measured=measured(refused="it falls"))
    for path, status, reason in (
        (f"{stale}/promotion", 409, "profiled at version 1000"),
        (f"{odd}/promotion", 409, "it falls"),
        (f"{draft}/retirement", 409, "they are draft"),
        ("999/promotion", 404, "There are no shares 999"),
        ("999/retirement", 404, "There are no shares 999"),
    ):
        answer = client.post(f"{SHARES}/{path}")
        assert answer.status_code == status, answer.text
        assert reason in answer.json()["detail"]
    assert client.get(f"{SHARES}/999").status_code == 404
