"""A promoted Gaussian process: plans are made from it, what it predicts is tested, and what is damaged is left out."""

from collections.abc import Iterator
from typing import Any

import model_world
import pytest
from large_world import TYPES, a_numa_host, fill
from outcome_world import promoted
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.models.models import ModelVersionRow
from sextant_backend.modules.outcomes import trust
from sextant_backend.modules.outcomes.outcome_evaluation import Key
from sextant_backend.modules.predictions import outcome_opening, repository
from sextant_backend.modules.predictions.models import TestedRow
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.model import LocalRemote
from sextant_domain.profiling.process import ProcessFit, ProcessModel, ProcessSample, ProcessShape
from sqlalchemy import select, update

MODEL = a_numa_host("h").host_model
CHAIN = "c00000"


def process_of(nf_type: str, ideal: float, version: str) -> ProcessModel:
    """Loses nothing to anything."""
    return ProcessModel.of(
        ProcessFit(
            nf_type=nf_type,
            host_model=MODEL,
            version=version,
            shape=ProcessShape(level=0.3, bend=0.2, slope=0.2, lengths=(1.8, 1.3, 1.8, 1.95, 2.7), shared=0.5),
            ideal_mpps=LocalRemote(local=ideal, remote=ideal),
            references=0.5,
            average_mpps=1.0,
            quantile=2.0,
            samples=tuple(
                ProcessSample(role=role, load=(0.0, 0.0, 0.0, 0.0, 0.0), drop=0.0, variance=1e-6) for role in ChainRole
            ),
        )
    )


@pytest.fixture
def fit_id(clean: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """One host with one chain of three NFs at 1 Mpps, and promoted models with processes of 0.5 Mpps and more."""
    monkeypatch.setattr(model_world, "HOST_MODEL", MODEL)
    fill(1, 1, placed=True)
    made = promoted(dict.fromkeys(TYPES, 10.0))
    with session_scope() as session:
        for place, name in enumerate(TYPES):
            process = process_of(name, 0.5 + 0.1 * place, f"fit-{made}")
            change = {"process": process.model_dump(mode="json")}
            session.execute(update(ModelVersionRow).where(ModelVersionRow.nf_type == name).values(**change))
    yield made


def test_plans_are_made_from_it_and_it_can_be_trusted(fit_id: int) -> None:
    """In what is kept for a race, too, of the NF types that stand there."""
    with session_scope() as session:
        taken = snapshots.take(session)
        assert {one.fit.nf_type for one in taken.processes} == set(TYPES)
        found = snapshots.in_use.predictors(session, {MODEL: 16}, taken.nf_types)
    keys = trust.keys(found, {MODEL: frozenset({False})})
    assert {Key(name, MODEL, "gaussian-process", f"fit-{fit_id}") for name in TYPES} <= set(keys)
    assert not any(key.predictor == "gaussian-process" for key in trust.keys(found, {MODEL: frozenset({True})}))


def opened(monkeypatch: pytest.MonkeyPatch) -> dict[str, TestedRow]:
    monkeypatch.setattr(repository, "plans_in_force", lambda *_: {"h0000": 1})
    with session_scope() as session:
        outcome_opening.with_models(session, MODEL)
    with session_scope() as session:
        rows = session.scalars(select(TestedRow).where(TestedRow.chain == CHAIN)).all()
        session.expunge_all()
    return {row.predictor: row for row in rows}


def test_what_it_predicts_of_what_stands_is_tested_beside_the_plan(
    fit_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1 Mpps that the chain is offered its slowest NF, the router, has room for 0.5."""
    found = opened(monkeypatch)
    assert set(found) == {"octans", "gaussian-process"}
    row = found["gaussian-process"]
    assert row.predicted_mpps == pytest.approx(0.5, rel=1e-3)
    assert row.low_mpps is not None and row.high_mpps is not None and row.low_mpps < 0.5 < row.high_mpps
    assert (row.nf_type, row.version, row.interval_source) == ("router", f"fit-{fit_id}", "held-out")
    assert [one["predicted_mpps"] for one in row.nfs] == pytest.approx([0.5, 0.6, 0.7], rel=1e-3)


def test_a_damaged_one_is_left_out_and_the_rest_goes_on(fit_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One figure was changed in the table: its digest differs. Nothing is predicted by the process, all else is."""
    with session_scope() as session:
        row = session.scalars(select(ModelVersionRow).where(ModelVersionRow.nf_type == "router")).one()
        stored: dict[str, Any] = dict(row.process or {})
        row.process = {**stored, "fit": {**stored["fit"], "references": 0.6}}
    with session_scope() as session:
        taken = snapshots.take(session)
    assert {one.fit.nf_type for one in taken.processes} == set(TYPES) - {"router"}
    assert {one.nf_type for one in taken.models} >= set(TYPES)
    assert set(opened(monkeypatch)) == {"octans"}
