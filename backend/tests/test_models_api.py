"""Fits and models through the API: promoted by an operator, refused with reasons, used by plans."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, submit
from model_world import HOST_MODEL, stored
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.models import repository
from sextant_backend.modules.models import service as models
from sextant_backend.modules.models.models import FitRow
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.console.access import Role
from sextant_domain.profiling.curves import ChainRole, CurveModel
from sextant_domain.profiling.fit import FitView, ModelState, ModelVersion, PromotionPreview
from sextant_domain.profiling.model import LocalRemote, PerformanceModel
from sextant_domain.profiling.process import ProcessFit, ProcessModel, ProcessSample, ProcessShape
from sextant_engine.parameters import assumed_models
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def fit(client: TestClient, fit_id: int) -> FitView:
    answer = client.get(f"{API}/fits/{fit_id}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == f'"{answer.json()["version"]}"'
    return FitView.model_validate_json(answer.content)


def promote(client: TestClient, fit_id: int, *nf_types: str) -> Any:
    headers = {"If-Match": f'"{fit(client, fit_id).version}"'}
    body = {"nf_types": list(nf_types) or None}
    return client.post(f"{API}/fits/{fit_id}/promotion", json=body, headers=headers)


def states(client: TestClient) -> dict[tuple[int, str], str]:
    """(fit, NF type) -> state."""
    items = client.get(f"{API}/models").json()["items"]
    return {(one["fit_id"], one["nf_type"]): one["state"] for one in items}


def in_use() -> dict[str, PerformanceModel]:
    with session_scope() as session:
        return {model.nf_type: model for model in snapshots.take(session).models}


def test_a_fit_is_shown_with_its_models(client: TestClient, clean: object) -> None:
    made = stored({"router": 10.0, "firewall": 5.0})
    shown = fit(client, made)
    assert (shown.state, shown.nf_types, shown.promoted, shown.metric) == ("done", ("firewall", "router"), (), "cycles")
    assert shown.fit is not None
    assert [(one.nf_type, one.state, one.fit_id) for one in shown.fit.models] == [
        ("firewall", ModelState.CANDIDATE, made),
        ("router", ModelState.CANDIDATE, made),
    ]
    one = client.get(f"{API}/models/{shown.fit.models[0].id}")
    assert ModelVersion.model_validate_json(one.content) == shown.fit.models[0]
    assert [found["id"] for found in client.get(f"{API}/fits", params={"host_model": HOST_MODEL}).json()["items"]] == [
        made
    ]
    assert client.get(f"{API}/fits", params={"host_model": "other"}).json()["items"] == []
    assert client.get(f"{API}/fits/99").status_code == client.get(f"{API}/models/99").status_code == 404


def test_a_promoted_model_is_what_plans_use_and_the_others_stay_assumed(client: TestClient, fleet: Fleet) -> None:
    """Router 10 and firewall 5 Mpps alone, both on core 1 with source and sink: 1 / (1/10 + 1/5 + .062) = 2.76 Mpps."""
    assert {model.version for model in in_use().values()} == {"assumed-1"}
    made = stored({"router": 10.0, "firewall": 5.0})
    answer = promote(client, made)
    assert answer.status_code == 200, answer.text
    assert FitView.model_validate_json(answer.content).promoted == ("firewall", "router")
    found = in_use()
    assert {name: model.version for name, model in found.items() if name in ("router", "nat")} == {
        "router": f"fit-{made}",
        "nat": "assumed-1",
    }
    body = submit(client, "web-edge", "router", "firewall").body
    assert body is not None
    (prediction,) = body.predictions
    assert (prediction.capacity_mpps, prediction.predictor) == (pytest.approx(1 / 0.362), "time-sharing")
    assert {use.nf_type: use.version for use in body.evidence.models} == {"router": "fit-1", "firewall": "fit-1"}


def test_promoted_curves_are_in_what_plans_are_made_from(client: TestClient, fleet: Fleet) -> None:
    """Of the promoted version alone, and without those of types that the catalogue has no more."""
    curve = CurveModel(nf_type="router", host_model=HOST_MODEL, version="fit-1", near=1.0, far=0.5, curves=())
    made = stored({"router": 10.0, "firewall": 5.0}, router={"curves": curve})
    with session_scope() as session:
        assert snapshots.take(session).curves == ()
    assert promote(client, made).status_code == 200
    with session_scope() as session:
        assert snapshots.take(session).curves == (curve,)


def test_a_process_is_kept_with_its_model_and_is_in_no_list(client: TestClient, clean: object) -> None:
    """To the last digit, as its digest says; tiny figures and thirds included."""
    sample = ProcessSample(role=ChainRole.HEAD, load=(1.0, 1 / 3, 1e-7, 0.1 + 0.2, 2.5e8), drop=-1e-9, variance=1.6e-5)
    process = ProcessModel.of(
        ProcessFit(
            nf_type="router",
            host_model=HOST_MODEL,
            version="fit-1",
            shape=ProcessShape(level=0.3, bend=0.0125, slope=0.015, lengths=(1.8, 1.3, 1.8, 1.95, 2.7), shared=0.9),
            ideal_mpps=LocalRemote(local=10.0, remote=9.1),
            references=1e-05,
            average_mpps=8.123456789012345,
            samples=(sample,),
        )
    )
    made = stored({"router": 10.0, "firewall": 5.0}, router={"process": process})
    shown = fit(client, made).fit
    assert shown is not None
    assert {one.nf_type: one.process for one in shown.models} == {"router": process, "firewall": None}
    assert all("process" not in one for one in client.get(f"{API}/models").json()["items"])


def test_assumed_models_follow_the_scale_of_those_in_use(client: TestClient, fleet: Fleet) -> None:
    """The fit's scale makes router weigh an eighth of what is assumed, 12 -> 96 stalls: nat follows, 13 -> 104."""
    assert in_use()["nat"].stalls == pytest.approx(13.0)
    assumed = next(model for model in assumed_models(HOST_MODEL) if model.nf_type == "router")
    promote(client, stored({"router": 10.0}, router={"model": assumed.model_copy(update={"stalls": 96.0})}))
    found = in_use()
    assert (found["router"].stalls, found["nat"].stalls) == (96.0, pytest.approx(104.0))
    assert found["nat"].local.beta > assumed.local.beta


def test_the_former_version_retires_in_the_same_transaction(client: TestClient, clean: object) -> None:
    first, second = stored({"router": 10.0, "firewall": 5.0}), stored({"router": 11.0, "firewall": 6.0})
    assert promote(client, first).status_code == 200
    former = fit(client, first).version
    assert promote(client, second, "router").status_code == 200
    assert states(client) == {
        (first, "router"): "retired",
        (first, "firewall"): "promoted",
        (second, "router"): "promoted",
        (second, "firewall"): "candidate",
    }
    assert fit(client, first).version == former + 1, "whoever decides by the former state is told"
    assert promote(client, first, "router").status_code == 200, "back to what was in use"
    assert states(client)[first, "router"] == "promoted" and states(client)[second, "router"] == "retired"
    with session_scope() as session:
        entries = session.scalars(select(AuditRow).where(AuditRow.action == "fit.promote").order_by(AuditRow.id)).all()
    assert [(one.subject, one.detail["promoted"], one.detail["retired"]) for one in entries] == [
        (f"fit/{first}", "firewall, router", "none"),
        (f"fit/{second}", "router", f"router of fit {first}"),
        (f"fit/{first}", "router", f"router of fit {second}"),
    ]


def test_a_model_of_another_scale_is_promoted_with_its_whole_fit_only(client: TestClient, clean: object) -> None:
    """An index sums 1 / x over NF types: x of two scales are of no one sum. nat, of the first fit only, retires."""
    first = stored({"router": 10.0, "firewall": 5.0, "nat": 7.0})
    second = stored({"router": 11.0, "firewall": 6.0}, scale=2.0)
    assert promote(client, first).status_code == 200
    refused = promote(client, second, "router")
    assert refused.status_code == 409
    problem = refused.json()
    assert problem["errors"][0]["field"] == "nf_types.router"
    assert "cycles / 2" in problem["detail"] and "firewall (fit 1)" in problem["detail"]
    assert states(client)[first, "router"] == "promoted"
    assert promote(client, second).status_code == 200
    assert {key: state for key, state in states(client).items() if state == "promoted"} == {
        (second, "router"): "promoted",
        (second, "firewall"): "promoted",
    }


def test_what_a_promotion_would_do_is_shown_before(client: TestClient, clean: object) -> None:
    """The second fit has another scale: nat, of the first only, would go back to assumed figures. monitor is stale."""
    first = stored({"router": 10.0, "nat": 7.0})
    second = stored({"router": 11.0, "dpi": 3.0, "basic-monitor": 12.0}, scale=2.0, basic_monitor={"nf_version": 99})
    assert promote(client, first).status_code == 200
    answer = client.get(f"{API}/fits/{second}/promotion")
    assert answer.headers["ETag"] == f'"{fit(client, second).version}"'
    preview = PromotionPreview.model_validate_json(answer.content)
    assert {one.nf_type: one.fit_id for one in preview.promotes} == {"dpi": None, "router": first}
    assert {one.nf_type: one.fit_id for one in preview.retires} == {"nat": first}
    assert [skip.nf_type for skip in preview.skips] == ["basic-monitor"]
    assert preview.takes_back(second), "nat would be without a model"
    assert states(client)[first, "router"] == "promoted", "nothing was done"
    only = client.get(f"{API}/fits/{second}/promotion", params={"nf_type": "router"})
    assert only.status_code == 409 and only.json()["errors"][0]["field"] == "nf_types.router"
    third = stored({"router": 12.0})
    assert promote(client, third).status_code == 200
    back = PromotionPreview.model_validate_json(client.get(f"{API}/fits/{first}/promotion").content)
    assert back.takes_back(first) and {one.nf_type: one.fit_id for one in back.promotes} == {
        "nat": first,
        "router": third,
    }


def test_refused_and_stale_models_are_refused_with_their_reasons(client: TestClient, clean: object) -> None:
    why = ("alpha and c cannot be told apart: profile it beside more competitors",)
    made = stored(
        {"router": 10.0, "firewall": 5.0, "nat": 7.0},
        router={"model": None, "refusals": why, "state": ModelState.REFUSED},
        firewall={"nf_version": 7},
    )
    now = BY_NAME["firewall"].version
    refused = promote(client, made, "router", "firewall", "dpi", "nat")
    assert refused.status_code == 409
    assert {error["field"]: error["message"] for error in refused.json()["errors"]} == {
        "nf_types.router": why[0],
        "nf_types.firewall": f"profiled at version 7, the NF type is at version {now}: profile it again",
        "nf_types.dpi": "the fit has no model of it",
    }
    assert set(states(client).values()) == {"candidate", "refused"}
    assert promote(client, made).json()["promoted"] == ["nat"], "as a whole: all that can be used"
    stale = {one["nf_type"]: one["stale"] for one in client.get(f"{API}/models").json()["items"]}
    assert stale["firewall"] is not None and stale["nat"] is None


def test_nothing_is_promoted_without_the_version_that_was_read(client: TestClient, clean: object) -> None:
    made = stored({"router": 10.0})
    assert client.post(f"{API}/fits/{made}/promotion", json={}).status_code == 428
    answer = client.post(f"{API}/fits/{made}/promotion", json={}, headers={"If-Match": '"77"'})
    assert answer.status_code == 412
    assert states(client) == {(made, "router"): "candidate"}


def test_a_viewer_may_look_and_not_promote(sign_in: SignIn, clean: object) -> None:
    made = stored({"router": 10.0})
    client = sign_in(Role.VIEWER)
    assert fit(client, made).state == "done"
    assert promote(client, made).status_code == 403
    assert client.post(f"{API}/fits", json={"host_model": HOST_MODEL}).status_code == 403


def test_a_fit_of_what_was_never_profiled_is_refused(client: TestClient, clean: object) -> None:
    answer = client.post(f"{API}/fits", json={"host_model": "no such cpu"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "host_model"
    assert client.get(f"{API}/fits").json()["items"] == []


def test_models_are_found_by_type_host_model_and_state(client: TestClient, clean: object) -> None:
    made = stored({"router": 10.0, "firewall": 5.0})
    promote(client, made, "router")

    def found(**query: str) -> list[str]:
        return [one["nf_type"] for one in client.get(f"{API}/models", params=query).json()["items"]]

    assert found(nf_type="firewall") == ["firewall"]
    assert found(state="promoted", host_model=HOST_MODEL) == ["router"]
    assert found(host_model="other") == []
    first = client.get(f"{API}/models", params={"limit": 1}).json()
    rest = client.get(f"{API}/models", params={"limit": 1, "after": first["next"]}).json()
    assert len({first["items"][0]["id"], rest["items"][0]["id"]}) == 2 and rest["next"] is None


def test_rival_promotions_leave_one_model_in_use(client: TestClient, clean: object) -> None:
    """The index refuses two, whatever the code does."""
    stored({"router": 10.0})
    stored({"router": 11.0})
    with pytest.raises(IntegrityError), session_scope() as session:
        session.execute(text("UPDATE model_versions SET state = 'promoted'"))


def test_old_fits_go_unless_something_of_them_was_in_use(
    client: TestClient, clean: object, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    used, unused, newest = (stored({"router": ideal}) for ideal in (10.0, 11.0, 12.0))
    promote(client, used)
    with session_scope() as session:
        session.execute(text("UPDATE fits SET created_at = created_at - interval '91 days'"))
        assert models.forget_old(session) == 1
    assert [one["id"] for one in client.get(f"{API}/fits").json()["items"]] == [newest, used]
    with session_scope() as session:
        assert repository.get(session, unused) is None
        assert session.get(FitRow, used) is not None
