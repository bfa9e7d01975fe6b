"""From a profiling job's records to models that plans use: by the engine, on what agents measured."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, submit
from model_world import HOST_MODEL
from profiling_world import started, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.models import fitting, repository
from sextant_backend.sweep import sweep
from sextant_domain.profiling.fit import FitState, FitView
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", cores=6) as made:
        yield made


def made(client: TestClient, fit_id: int) -> FitView:
    fitting.make(fit_id)
    return FitView.model_validate_json(client.get(f"{API}/fits/{fit_id}").content)


def test_a_job_ends_with_a_fit_whose_models_an_operator_promotes(client: TestClient, fleet: Fleet) -> None:
    """The tests' agent measures 10 Mpps alone, and 5 % less for every competitor."""
    job = work(started(client, competitors=["router", "nat", "dpi"]).id)
    assert job.fit_id is not None
    fit = made(client, job.fit_id)
    assert (fit.state, fit.job_id, fit.host_model, fit.basis) == (FitState.DONE, job.id, HOST_MODEL, "measured")
    assert fit.fit is not None and "firewall" in fit.nf_types
    found = next(model for model in fit.fit.models if model.nf_type == "firewall")
    assert found.model is not None, found.refusals
    assert found.model.version == f"fit-{fit.id}" and found.method in ("one-node", "solo")
    assert found.model.ideal_mpps.local == pytest.approx(10.0)

    answer = client.post(
        f"{API}/fits/{fit.id}/promotion", json={"nf_types": ["firewall"]}, headers={"If-Match": f'"{fit.version}"'}
    )
    assert answer.status_code == 200, answer.text
    body = submit(client, "web", "firewall").body
    assert body is not None
    assert [(use.nf_type, use.version) for use in body.evidence.models] == [("firewall", f"fit-{fit.id}")]
    assert body.predictions[0].capacity_mpps == pytest.approx(10.0)


def test_a_fit_is_made_once_and_asked_for_again_by_the_sweep(client: TestClient, fleet: Fleet) -> None:
    work(started(client).id)
    with session_scope() as session:
        session.execute(text("DELETE FROM fits"))
    asked = client.post(f"{API}/fits", json={"host_model": HOST_MODEL})
    assert asked.status_code == 202, asked.text
    fit_id = asked.json()["id"]
    assert asked.headers["Location"] == f"{API}/fits/{fit_id}"
    again = client.post(f"{API}/fits", json={"host_model": HOST_MODEL}).json()["id"]
    assert again == fit_id, "nobody has begun it: it will see all that is stored"
    with session_scope() as session:
        assert sweep(session) >= 1
    first = made(client, fit_id)
    assert first.state is FitState.DONE
    assert made(client, fit_id) == first, "making it again changes nothing"
    with session_scope() as session:
        assert fitting.to_ring(session) == []


def test_what_goes_wrong_is_the_fits_error_and_plans_keep_their_models(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(started(client).id)
    fit_id = client.post(f"{API}/fits", json={"host_model": HOST_MODEL}).json()["id"]

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of course")

    monkeypatch.setattr("sextant_engine.modelling.fitting.fit", broken)
    fit = made(client, fit_id)
    assert fit.state is FitState.FAILED and fit.error is not None
    assert "ZeroDivisionError: of course" in fit.error.detail and "models they used before" in fit.error.detail
    refused = client.post(
        f"{API}/fits/{fit_id}/promotion", json={"nf_types": None}, headers={"If-Match": f'"{fit.version}"'}
    )
    assert refused.status_code == 409 and "the fit failed" in refused.json()["detail"]


def test_a_fit_that_kills_its_workers_is_given_up(client: TestClient, fleet: Fleet) -> None:
    work(started(client).id)
    fit_id = client.post(f"{API}/fits", json={"host_model": HOST_MODEL}).json()["id"]
    with session_scope() as session:
        row = repository.get(session, fit_id, lock=True)
        assert row is not None
        row.tries = fitting.MAX_TRIES
    fit = made(client, fit_id)
    assert fit.error is not None and "3 workers died" in fit.error.detail
