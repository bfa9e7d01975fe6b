"""OpenNetVM's group files and start commands through the API, over stored hosts, chains and plans."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, submit, work
from opennetvm_world import group
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.console.access import Role
from sextant_domain.opennetvm.views import ChainImport, StartCommands
from sqlalchemy import func, select

IMPORTS = f"{API}/chains/imports"
ONE = group(simple_forward=["1 -d 2"], basic_monitor=["2"])


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", cores=6) as made:
        yield made


def chains_stored() -> int:
    with session_scope() as session:
        return session.scalar(select(func.count()).select_from(ChainRow)) or 0


def imported(client: TestClient, **body: Any) -> ChainImport:
    answer = client.post(IMPORTS, json={"text": ONE, **body})
    assert answer.status_code == 200, answer.text
    return ChainImport.model_validate_json(answer.content)


def test_an_import_is_a_preview_whose_chains_can_be_submitted(client: TestClient) -> None:
    [chain] = imported(client, name_prefix="web", traffic={"rate_mpps": 0.2, "packet_bytes": 64}).chains
    assert (chain.spec.name, chain.services, chain.taken, chains_stored()) == ("web", (1, 2), False, 0)
    answer = client.post(f"{API}/chains", json=chain.spec.model_dump(mode="json"))
    assert answer.status_code == 201, answer.text
    assert [one.taken for one in imported(client, name_prefix="web").chains] == [True]


def test_a_refusal_names_the_places_and_stores_nothing(client: TestClient) -> None:
    bad = {"text": group(simple_forward=["1 -d 7", "2 -d 1"], bridge=["3"])}
    problem = client.post(IMPORTS, json=bad).json()
    assert problem["type"] == "urn:sextant:problem:validation"
    assert [error["field"] for error in problem["errors"]] == ["text.bridge.0"]
    loop = client.post(IMPORTS, json={"text": group(simple_forward=["1 -d 2", "2 -d 1"])}).json()
    assert [error["field"] for error in loop["errors"]] == ["text.simple_forward.0.parameters"]
    assert chains_stored() == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "x" * (256 * 1024 + 1)}, "text"),
        ({"text": ONE, "format": "yaml"}, "format"),
        ({"text": ONE, "name_prefix": "Web"}, "name_prefix"),
        ({"text": ONE, "name_prefix": "w" * 59}, "name_prefix"),
        ({"text": ONE, "files": {str(n): "" for n in range(32)}}, "files"),
        ({"text": ONE, "traffic": {"rate_mpps": -1, "packet_bytes": 64}}, "traffic.rate_mpps"),
        ({"text": ONE, "colour": "red"}, "colour"),
        ({}, "text"),
    ],
)
def test_bad_bodies_are_refused_by_field(client: TestClient, body: dict[str, Any], field: str) -> None:
    answer = client.post(IMPORTS, json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_viewer_reads_start_commands_and_imports_nothing(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.post(IMPORTS, json={"text": ONE}).status_code == 403
    assert viewer.get(f"{API}/hosts/nowhere/start-commands").status_code == 404
    assert viewer.get(f"{API}/plans/7/start-commands").status_code == 404


def test_a_plan_and_then_its_host_are_written_as_commands(client: TestClient, fleet: Fleet) -> None:
    """A chain of two NFs planned on edge-1: its plan has the commands before it is applied, its host after."""
    made = submit(client, "web", "simple-forward", "basic-monitor")
    answer = client.get(f"{API}/plans/{made.id}/start-commands")
    assert answer.status_code == 200, answer.text
    planned = StartCommands.model_validate_json(answer.content)
    assert planned.host == "edge-1" and f"# plan {made.id} on host edge-1, generation 1\n" in planned.shell
    assert "/examples/simple_forward/build/app/simple_forward" in planned.shell
    before = StartCommands.model_validate(client.get(f"{API}/hosts/edge-1/start-commands").json())
    assert "simple_forward" not in before.shell and json.loads(before.group)["globals"][1] == {"sextant": {}}
    work(apply(client, made).id)
    after = StartCommands.model_validate(client.get(f"{API}/hosts/edge-1/start-commands").json())
    assert after.shell.replace("# host edge-1,", f"# plan {made.id} on host edge-1,") == planned.shell
    assert after.refusals == ()
    [again] = imported(client, text=after.group, files=after.group_files).chains
    assert (again.spec.name, [nf.type for nf in again.spec.nfs]) == ("web", ["simple-forward", "basic-monitor"])


def test_the_host_of_a_plan_is_checked(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web", "simple-forward")
    answer = client.get(f"{API}/plans/{made.id}/start-commands", params={"host": "edge-9"})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert (error["field"], error["message"]) == (
        "query.host",
        f"it orders nothing of edge-9: plan {made.id} is about edge-1",
    )


def test_what_has_no_placement_yet_says_so(client: TestClient, fleet: Fleet) -> None:
    plan_id = client.post(f"{API}/chains", json=chain_json("web", "simple-forward")).json()["plan_id"]
    answer = client.get(f"{API}/plans/{plan_id}/start-commands")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:nothing-to-start")
    assert plan(client, plan_id).state == "planning"
    with session_scope() as session:
        hosts.enrol(session, "edge-2", {})
    silent = client.get(f"{API}/hosts/edge-2/start-commands")
    assert (silent.status_code, silent.json()["type"]) == (409, "urn:sextant:problem:nothing-to-start")
