"""Races on the fleet of one host with a far firewall, and outcomes as they would be measured."""

from datetime import UTC, datetime

from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow
from sextant_backend.modules.races import tasks
from sextant_domain.plans.race import Race, RaceRanking
from sextant_domain.plans.trust import Outcome, OutcomeTest
from sqlalchemy import text


def race_of(client: TestClient, plan_id: int) -> Race:
    """The race of a plan, which is the same wherever it is asked for."""
    answer = client.get(f"{API}/races?plan={plan_id}")
    assert answer.status_code == 200, answer.text
    [found] = answer.json()["items"]
    assert client.get(f"{API}/races/{found['id']}").json() == found
    return Race.model_validate(found)


def ranking(client: TestClient, host_model: str | None = None) -> RaceRanking:
    answer = client.get(f"{API}/races/ranking", params={"host_model": host_model} if host_model else {})
    assert answer.status_code == 200, answer.text
    return RaceRanking.model_validate_json(answer.content)


def turns(count: int = 2 * len(tasks.CONTENDERS) + 1) -> None:
    """As many as two races take, and one in which they are settled."""
    for _ in range(count):
        tasks.turn()


def an_outcome(
    chain: str,
    nf_type: str,
    predicted: float,
    measured: float,
    test: OutcomeTest = OutcomeTest.INFORMATIVE,
    number: int = 1,
) -> Outcome:
    return Outcome(
        id=number,
        plan_id=1,
        chain=chain,
        host="edge-1",
        host_model="xeon-2x16",
        nf_id=f"{chain}.n",
        nf_type=nf_type,
        predictor="octans",
        version="assumed-1",
        predicted_mpps=predicted,
        low_mpps=None,
        high_mpps=None,
        measured_mpps=measured,
        offered_mpps=9.0,
        test=test,
        seconds=10.0,
        provenance="simulated",
        at=datetime.now(UTC),
    )


def came_of(plan_id: int, one: Outcome) -> None:
    """Store it as the outcome of that plan on edge-1."""
    with session_scope() as session:
        fields = one.model_dump(mode="json", exclude={"id", "plan_id", "host", "at", "judged"})
        judged = JudgedRow(
            place=0,
            host_model=one.host_model,
            predictor=one.predictor,
            nf_id=one.nf_id,
            nf_type=one.nf_type,
            version=one.version,
            predicted_mpps=one.predicted_mpps,
            counts=one.test is OutcomeTest.INFORMATIVE,
        )
        session.add(OutcomeRow(**fields, plan_id=plan_id, host_id="edge-1", judged=[judged]))


def changed(statement: str) -> None:
    """A statement on the database, as time or an operator would have changed it."""
    with session_scope() as session:
        session.execute(text(statement))
