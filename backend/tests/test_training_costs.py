"""Trainings by the fitted costs of a host: those in force are kept with the study in the units of games; refused with
the next step where none hold, and where a file calls other costs a host's."""

from importlib.util import find_spec
from typing import Any

import pytest
from coco_world import HOST, a_host, placed
from fastapi.testclient import TestClient
from network_world import NETWORKS
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.host_costs.models import HostCostRow
from sextant_backend.modules.studies import service, tasks
from sextant_domain.base import digest_of
from sextant_domain.profiling.host_cost import HostCost
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_domain.studies.school import SchoolScenario, scenario_toml
from sextant_domain.studies.study import StudyState
from sextant_engine.seats import CoreLayout
from study_world import STUDIES, asked, now, started

BY_HOST = scenario_toml(12, 3, "short", None, HOST)


def fitted(version: int = 1, hurt: float = 0.5, drifted: bool = False) -> None:
    """A firewall beside another costs `hurt` of the other's load more, and .1 us from another node."""
    model = InflationModel(
        kinds=("firewall",),
        core=((hurt, hurt), (hurt, hurt)),
        socket=((0.0, 0.0), (0.0, 0.0)),
        weight="load",
        hand_off=HandOff(from_socket=0.01, from_remote=0.1, to_socket=0, to_remote=0.02),
        errors={"median": 0.01},
    )
    with session_scope() as session:
        at = db_now(session)
        cost = HostCost(
            version=version,
            fitted_at=at,
            fitted_by="ada",
            since=at,
            until=at,
            windows=40,
            placements=3,
            nf_types=model.kinds,
            weight="load",
            median_error=0.01,
            left_out_error=0.02,
            provenance="simulated",
        )
        kept = cost.model_dump(mode="json", exclude={"drifted_at", "drift_error"})
        drift: dict[str, Any] = {"drifted_at": at, "drift_nf": "web.a", "drift_error": 0.3} if drifted else {}
        session.add(HostCostRow(host_id=HOST, version=version, cost=kept, model=model.model_dump(mode="json"), **drift))


def scenario(client: TestClient, study: int) -> SchoolScenario:
    return SchoolScenario.model_validate(client.get(f"{STUDIES}/{study}/scenario").json()["scenario"])


def test_costs_in_force_are_kept_with_the_training(client: TestClient) -> None:
    """.1 us of a core of 2.2 GHz are 220 cycles. What is fitted later changes nothing, in a repetition neither."""
    placed()
    fitted(1, hurt=0.3)
    fitted(2, hurt=0.5)
    study = started(client, BY_HOST)
    fitted(3, hurt=0.9)
    found = scenario(client, study.id)
    assert (found.cores, found.seed, found.cost is not None) == (12, 3, True)
    assert found.cost is not None and found.cost.model is not None
    assert (found.cost.host, found.cost.version) == (HOST, 2)
    assert found.cost.model.core[0][0] == 0.5
    cycles = {"from_socket": 22, "from_remote": 220, "to_socket": 0, "to_remote": 44}
    assert found.cost.model.hand_off.model_dump() == pytest.approx(cycles)
    nodes = [unit.node for unit in CoreLayout.of(a_host()).units if unit.blocked is None]
    assert len(set(nodes)) > 1 and found.cost.socket_cores == max(map(nodes.count, nodes))
    with session_scope() as session:
        toml = service.scenario(session, study.id).toml
    again = started(client, toml)
    assert scenario(client, again.id) == found


@pytest.mark.skipif(find_spec("jax") is None, reason="the extra learn is not installed: make setup SEXTANT_LEARN=1")
def test_what_comes_of_it_says_by_which_costs(client: TestClient) -> None:
    placed()
    fitted()
    study = started(client, scenario_toml(2, 1, "short", 1_000, HOST))
    tasks.run(study.id)
    done = now(client, study)
    assert (done.state, done.error) == (StudyState.DONE, None)
    [item] = client.get(NETWORKS).json()["items"]
    cost = scenario(client, study.id).cost
    assert cost is not None and cost.model is not None
    assert item["report"]["curve"]["cost"] == {"host": HOST, "version": 1, "digest": digest_of(cost.model)}
    assert done.progress is not None and done.progress.curve is not None
    assert done.progress.curve.cost == cost.facts


def test_sockets_may_be_said(client: TestClient) -> None:
    placed()
    fitted()
    cost = scenario(client, started(client, f"{BY_HOST}socket_cores = 5\n").id).cost
    assert cost is not None and cost.socket_cores == 5


@pytest.mark.parametrize(
    ("drifted", "said"),
    [
        (None, f"Costs beside others were never fitted on {HOST}, and the training is asked to go by them."),
        (True, f"What was measured on {HOST} has left version 1 of its fitted costs, and the training"),
    ],
)
def test_without_costs_that_hold_it_is_refused_with_the_next_step(
    client: TestClient, drifted: bool | None, said: str
) -> None:
    placed()
    if drifted:
        fitted(drifted=True)
    answer = asked(client, BY_HOST)
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:costs-missing"
    assert said in answer.json()["detail"] and "Nothing was stored" in answer.json()["detail"]
    assert answer.json()["next_actions"][0]["command"] == f"sextant sfc2cpu fit {HOST}"
    assert client.get(STUDIES).json()["items"] == []


def test_a_host_that_is_not_there_is_refused_by_its_field(client: TestClient) -> None:
    answer = asked(client, scenario_toml(4, 0, "short", None, "nowhere"))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "scenario_toml.cost.host"
    assert "there is no host nowhere" in answer.json()["detail"]


def test_a_file_calls_no_other_costs_a_hosts(client: TestClient) -> None:
    """A study's own file with a coefficient changed, and of a version that never was."""
    placed()
    fitted()
    toml = client.get(f"{STUDIES}/{started(client, BY_HOST).id}/scenario").json()["toml"]
    for other in (toml.replace("[[0.5,", "[[0.25,"), toml.replace("version = 1", "version = 2")):
        assert other != toml
        answer = asked(client, other)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "scenario_toml.cost.model"
        assert f"of what was fitted on {HOST}" in answer.json()["detail"]
    nobodys = toml.replace(f'host = "{HOST}"\n', "").replace("version = 1\n", "")
    assert started(client, nobodys).kind == "school"
