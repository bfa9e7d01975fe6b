"""History read back: which level answers, gaps that stay gaps, CSV."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_world import a_batch
from fastapi.testclient import TestClient
from history_world import roll_up, store
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.history import policy
from sextant_backend.modules.history.policy import LEVELS, Level, choose
from sextant_backend.modules.history.predicted import Figures, InForce, in_order
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.operations.record import HostRecord
from sextant_backend.modules.outcomes.models import OutcomeRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.telemetry.intervals import start_of
from sextant_domain.console.history import HistoryPrediction
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.operation import Step, StepName, StepState
from sqlalchemy import text

TEN, FIVE_MINUTES, HOUR, DAY = LEVELS
CHAIN_HISTORY = "/api/v1/chains/web-edge/history"
NOW = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
KEPT: dict[Level | None, datetime] = {
    None: NOW - timedelta(days=1),
    TEN: NOW - timedelta(days=7),
    FIVE_MINUTES: NOW - timedelta(days=366),
    HOUR: NOW - timedelta(days=366),
    DAY: NOW - timedelta(days=366),
}


@pytest.mark.parametrize(
    ("length", "level", "step_s"),
    [
        (timedelta(minutes=5), None, 1),
        (timedelta(minutes=15), None, 2),  # 900 s / 600 = 1.5 s, the next step is 2
        (timedelta(hours=1), TEN, 10),  # 6 s
        (timedelta(hours=6), TEN, 60),  # 36 s
        (timedelta(hours=24), FIVE_MINUTES, 300),  # 144 s
        (timedelta(days=7), FIVE_MINUTES, 1800),  # 1008 s
        (timedelta(days=30), HOUR, 7200),  # 4320 s
        (timedelta(days=365), DAY, 86400),  # 52560 s
    ],
)
def test_a_range_is_answered_by_the_coarsest_level_that_fits(
    length: timedelta, level: Level | None, step_s: int
) -> None:
    """No more than 600 points, of the shortest step."""
    choice = choose(NOW - min(length, timedelta(days=365)), NOW, 600, KEPT)
    assert (choice.level, choice.step.total_seconds()) == (level, step_s)
    assert length / choice.step <= 600


def test_what_is_no_longer_kept_is_answered_by_a_coarser_level() -> None:
    """Five minutes of last week: their samples and rows of ten seconds are gone."""
    start = NOW - timedelta(days=20)
    choice = choose(start, start + timedelta(minutes=5), 600, KEPT)
    assert (choice.level, choice.step) == (FIVE_MINUTES, FIVE_MINUTES.length)
    yesterday = NOW - timedelta(days=3)
    assert choose(yesterday, yesterday + timedelta(minutes=5), 600, KEPT).level is TEN
    assert choose(NOW - timedelta(days=900), NOW, 600, KEPT).level is DAY


def _series(history: dict[str, Any], figure: str) -> dict[str, Any]:
    (found,) = [one for one in history["series"] if one["figure"] == figure]
    return dict(found)


def _ask(client: TestClient, start: datetime, end: datetime, path: str = CHAIN_HISTORY, **more: Any) -> Any:
    answer = client.get(path, params={"from": start.isoformat(), "to": end.isoformat(), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def measured(edge: HostInventory) -> datetime:
    """Fifty seconds of samples from four minutes ago: of every second but those of the second ten; 0.1 Mpps in the
    first ten, 0.2 and more in the others."""
    start = start_of(datetime.now(UTC) - timedelta(minutes=4))
    for second in (*range(10), *range(20, 50)):
        chain = {"chain": "web-edge", "offered_mpps": 0.5, "delivered_mpps": 0.1 * (1 + second // 10), "drop_mpps": 0.1}
        store(a_batch(second, taken_at=start + timedelta(seconds=second), chains=[chain]))
    return start


@pytest.fixture(params=["samples alone", "rolled up", "half of it"])
def known(request: pytest.FixtureRequest, measured: datetime) -> Iterator[datetime]:
    """The same samples, however far the roll-up is."""
    until = {"samples alone": -1, "rolled up": 300, "half of it": 35}[request.param]
    if until > 0:
        roll_up(measured + timedelta(seconds=until))
    yield measured


def test_points_have_mean_least_and_most_and_a_gap_stays_one(client: TestClient, known: datetime) -> None:
    """Of five points of ten seconds the second is absent, whichever level the others come from."""
    found = _ask(client, known, known + timedelta(seconds=50), points=5)
    assert (found["step_s"], found["level"]) == (10, "10s")
    begin = known.timestamp()
    assert found["at"] == [begin, begin + 20, begin + 30, begin + 40]
    assert found["samples"] == [10, 10, 10, 10]
    assert found["covered"] == [1, 1, 1, 1]
    assert found["provenance"] == ["measured"] * 4
    delivered = _series(found, "delivered_mpps")
    assert delivered["mean"] == pytest.approx([0.1, 0.3, 0.4, 0.5])
    assert _series(found, "p95_us")["mean"] == [None] * 4


def test_points_of_a_minute_say_how_much_of_it_was_measured(client: TestClient, known: datetime) -> None:
    """Four of the six ten-second intervals of a minute, if it begins there; 40 samples in all."""
    found = _ask(client, known, known + timedelta(minutes=2), points=2)
    assert found["step_s"] == 60
    assert sum(found["samples"]) == 40
    assert sum(share * 6 for share in found["covered"]) == pytest.approx(4, abs=0.01)
    delivered = _series(found, "delivered_mpps")
    assert (min(delivered["least"]), max(delivered["most"])) == pytest.approx((0.1, 0.5))


def test_seconds_come_from_samples(client: TestClient, known: datetime) -> None:
    found = _ask(client, known + timedelta(seconds=8), known + timedelta(seconds=22))
    assert (found["step_s"], found["level"], found["samples"]) == (1, "1s", [1, 1, 1, 1])


def test_hosts_cores_and_nfs_have_history(client: TestClient, measured: datetime) -> None:
    roll_up(measured + timedelta(minutes=3))
    end = measured + timedelta(seconds=50)
    host = _ask(client, measured, end, "/api/v1/hosts/edge-1/history", points=5)
    assert _series(host, "delivered_mpps")["mean"] == pytest.approx([0.1, 0.3, 0.4, 0.5])
    core = _ask(client, measured, end, "/api/v1/hosts/edge-1/cores/1/history", points=5)
    assert (core["name"], _series(core, "busy_percent")["most"]) == ("edge-1/1", [41.5] * 4)
    nf = _ask(client, measured, end, "/api/v1/nfs/web-edge.router/history", points=5)
    assert _series(nf, "rx_mpps")["mean"] == [0.5] * 4
    assert _series(nf, "utilisation_percent")["mean"] == [None] * 4


def test_of_what_never_was_there_are_no_points(client: TestClient, edge: HostInventory) -> None:
    found = _ask(client, NOW, NOW + timedelta(hours=1), "/api/v1/chains/nothing/history")
    assert (found["at"], _series(found, "delivered_mpps")["mean"]) == ([], [])


def test_a_deleted_host_leaves_its_history(client: TestClient, measured: datetime) -> None:
    roll_up(measured + timedelta(minutes=3))
    with session_scope() as session:
        session.execute(text("DELETE FROM hosts"))
    found = _ask(client, measured, measured + timedelta(seconds=50), points=5)
    assert len(found["at"]) == 4


def test_csv_by_format_and_by_accept(client: TestClient, measured: datetime) -> None:
    roll_up(measured + timedelta(minutes=3))
    query = {"from": measured.isoformat(), "to": (measured + timedelta(seconds=20)).isoformat(), "points": "2"}
    answer = client.get(CHAIN_HISTORY, params={**query, "format": "csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="chain-web-edge.csv"'
    head, line = answer.text.splitlines()
    assert head.startswith("at,step_s,samples,provenance,covered,judged,met,offered_mpps_mean,offered_mpps_least,")
    at = f"{measured:%Y-%m-%dT%H:%M:%SZ}"
    assert line.startswith(f"{at},10,10,measured,1.0,0,0,0.5,0.5,0.5,0.1,0.1,0.1,")
    assert client.get(CHAIN_HISTORY, params=query, headers={"Accept": "text/csv"}).text == answer.text
    empty = client.get("/api/v1/chains/nothing/history", params={"format": "csv"})
    assert empty.text.splitlines() == [head]


def _refused(client: TestClient, query: dict[str, str]) -> Sequence[str]:
    answer = client.get(CHAIN_HISTORY, params=query)
    assert answer.status_code == 422
    return [error["field"] for error in answer.json()["errors"]]


def test_a_range_that_is_none_is_refused_with_its_field(client: TestClient) -> None:
    noon = "2026-03-10T12:00:00Z"
    assert _refused(client, {"from": noon, "to": noon}) == ["query.from"]
    assert _refused(client, {"from": "1999-12-31T00:00:00Z", "to": noon}) == ["query.from"]
    assert _refused(client, {"from": "2010-03-10T12:00:00Z", "to": noon}) == ["query.from"]
    assert _refused(client, {"to": "1970-01-01T00:00:00Z"}) == ["query.from"]
    assert _refused(client, {"from": "yesterday"}) == ["query.from"]
    assert _refused(client, {"points": "0"}) == ["query.points"]
    assert _refused(client, {"format": "xml"}) == ["query.format"]


def test_predictions_of_plans_stand_beside(client: TestClient, measured: datetime) -> None:
    """What each plan showed; what further predictors would have said of it is left out."""
    rows = ((1, "octans", 0.5), (1, "curves", 0.4), (2, "time-sharing", 0.6))
    with session_scope() as session:
        for plan_id, predictor, mpps in rows:
            session.add(
                OutcomeRow(
                    plan_id=plan_id, chain="web-edge", host_id="edge-1", host_model="m", nf_id="web-edge.router",
                    nf_type="router", predictor=predictor, version="1", predicted_mpps=mpps, measured_mpps=0.5,
                    offered_mpps=0.5, test="informative", seconds=10, provenance="measured", at=measured,
                )
            )  # fmt: skip
    found = _ask(client, measured, measured + timedelta(minutes=1))
    assert [(one["plan_id"], one["predicted_mpps"]) for one in found["predictions"]] == [(1, 0.5), (2, 0.6)]
    assert _ask(client, measured - timedelta(minutes=2), measured)["predictions"] == []


def _figure(plan_id: int, host: str, mpps: float, known_at: datetime) -> Figures:
    prediction = HistoryPrediction(
        at=known_at, until=None, plan_id=plan_id, predictor="octans", predicted_mpps=mpps, low_mpps=None, high_mpps=None
    )
    return Figures(host, known_at, prediction)


def test_a_prediction_holds_while_its_plan_is_in_force() -> None:
    """Plan 1 from second 10, measured in 25; an adjust, plan 2, from 40, which predicts nothing; plan 4 from 60."""

    def at(second: int) -> datetime:
        return NOW + timedelta(seconds=second)

    figures = {1: _figure(1, "edge-1", 0.5, at(25)), 4: _figure(4, "edge-2", 0.7, at(75))}
    ordered = [
        InForce(at(10), 1),
        InForce(at(40), 2),
        InForce(at(50), 3, only_on="edge-2"),  # the chain stood elsewhere
        InForce(at(60), 4),
        InForce(at(70), 5, only_on="edge-1"),  # it has left that host
        InForce(at(80), 6, only_on="edge-2"),  # planned without a prediction of the chain, beside it
    ]

    def found(start: int, end: int) -> list[tuple[float, float, float | None]]:
        return [
            (
                one.predicted_mpps,
                (one.at - NOW).total_seconds(),
                None if one.until is None else (one.until - NOW).total_seconds(),
            )
            for one in in_order(figures, ordered, Range(at(start), at(end)))
        ]

    assert found(0, 90) == [(0.5, 10, 40), (0.7, 60, 80)]
    assert found(45, 55) == []
    assert found(20, 30) == [(0.5, 10, None)], "as much as was known then"
    assert [one.plan_id for one in in_order(figures, [], Range(at(0), at(90)))] == [1, 4], "no operation is known"


def test_an_operation_puts_its_plan_in_force_once_its_host_has_converged(
    client: TestClient, measured: datetime
) -> None:
    """Plan 1's outcome is measured 20 s after its host has converged; plan 2, which adjusts the chain, is undone; plan
    3 adjusts it, and nothing is predicted."""
    with session_scope() as session:
        for number, (state, done, second) in enumerate(
            [
                ("COMPLETED", StepState.DONE, 10),
                ("ROLLED_BACK", StepState.UNDONE, 20),
                ("COMPLETED", StepState.DONE, 40),
            ]
        ):
            plan = PlanRow(state="applied", kind="adjust", subject="web-edge", intent={}, solving={}, created_by="x")
            session.add(plan)
            session.flush()
            at = measured + timedelta(seconds=second)
            steps = tuple(
                Step(name=name, state=done, attempts=1, started_at=at, finished_at=at, detail="", error=None)
                for name in (StepName.CHECK, StepName.PUT, StepName.CONVERGE, StepName.VERIFY)
            )
            record = HostRecord(host="edge-1", from_generation=number, to_generation=number + 1, steps=steps)
            operation = OperationRow(
                kind="apply", state=state, plan_id=plan.id, title="", requested_by="x", created_at=measured
            )
            session.add(operation)
            session.flush()
            session.add(
                OperationHostRow(
                    operation_id=operation.id, host_id="edge-1", holding=False, chains=["web-edge"],
                    record=record.model_dump(mode="json"), base="", target="", former="",
                )
            )  # fmt: skip
            if number == 0:
                session.add(
                    OutcomeRow(
                        plan_id=plan.id, chain="web-edge", host_id="edge-1", host_model="m", nf_id="web-edge.router",
                        nf_type="router", predictor="octans", version="1", predicted_mpps=0.5, measured_mpps=0.5,
                        offered_mpps=0.5, test="informative", seconds=10, provenance="measured",
                        at=measured + timedelta(seconds=30),
                    )
                )  # fmt: skip
    [found] = _ask(client, measured, measured + timedelta(minutes=1))["predictions"]
    times = [datetime.fromisoformat(found[name]) - measured for name in ("at", "until")]
    assert times == [timedelta(seconds=10), timedelta(seconds=40)]


def test_steps_are_whole_intervals_of_their_level() -> None:
    """A step of 45 s would cut rows of ten seconds."""
    for step_s in policy._STEPS_S:
        fitting = [level for level in LEVELS if level.length.total_seconds() <= step_s]
        assert all(step_s % level.length.total_seconds() == 0 for level in fitting[-1:])
