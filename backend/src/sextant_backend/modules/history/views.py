"""History as consoles and scripts see it."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime

from sextant_domain.base import Provenance
from sextant_domain.console.history import (
    History,
    HistoryKind,
    HistoryLevel,
    HistoryPrediction,
    HistorySeries,
)
from sqlalchemy import RowMapping

from sextant_backend.modules.history.policy import Choice, Level
from sextant_backend.modules.history.repository import Subject
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.telemetry.intervals import INTERVAL


def level_of(level: Level | None) -> HistoryLevel:
    """Its name; None: samples."""
    return HistoryLevel.SAMPLES if level is None else HistoryLevel(level.name)


def provenance_of(simulated: bool) -> Provenance:
    """Of a row."""
    return Provenance.SIMULATED if simulated else Provenance.MEASURED


def name_of(subject: Subject) -> str:
    """Without its kind."""
    if subject.kind.name == "core":
        return f"{subject.host}/{subject.core}"
    return subject.name or subject.host


def history(
    subject: Subject,
    choice: Choice,
    asked: Range,
    rows: Sequence[RowMapping],
    predictions: Sequence[HistoryPrediction] = (),
) -> History:
    """Points by columns."""
    kind = subject.kind
    per_point = max(1.0, choice.step / INTERVAL)
    return History(
        kind=HistoryKind(kind.name),
        name=name_of(subject),
        start=asked.start,
        end=asked.end,
        step_s=int(choice.step.total_seconds()),
        level=level_of(choice.level),
        at=tuple(row["at"].timestamp() for row in rows),
        samples=tuple(row["samples"] for row in rows),
        provenance=tuple(provenance_of(row["simulated"]) for row in rows),
        covered=tuple(round(min(1.0, row["intervals"] / per_point), 4) for row in rows),
        judged=tuple(row["judged"] for row in rows) if kind.objectives else (),
        met=tuple(row["met"] for row in rows) if kind.objectives else (),
        series=tuple(_series(figure, rows) for figure in (*kind.figures, *kind.optional)),
        predictions=tuple(predictions),
    )


def _series(figure: str, rows: Sequence[RowMapping]) -> HistorySeries:
    return HistorySeries(
        figure=figure,
        mean=tuple(_short(row[f"{figure}_mean"]) for row in rows),
        least=tuple(_short(row[f"{figure}_min"]) for row in rows),
        most=tuple(_short(row[f"{figure}_max"]) for row in rows),
    )


def _short(value: float | None) -> float | None:
    """Samples have seven digits."""
    return None if value is None else float(f"{value:.7g}")


def as_csv(found: History) -> str:
    """A header and a line for each point, in the order of time; RFC 4180."""
    file = io.StringIO()
    lines = csv.writer(file)
    judged = ("judged", "met") if found.kind is HistoryKind.CHAIN else ()
    figures = [f"{one.figure}_{what}" for one in found.series for what in ("mean", "least", "most")]
    lines.writerow(("at", "step_s", "samples", "provenance", "covered", *judged, *figures))
    for number, at in enumerate(found.at):
        verdict = (found.judged[number], found.met[number]) if judged else ()
        values = [value[number] for one in found.series for value in (one.mean, one.least, one.most)]
        moment = datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
        lines.writerow(
            (
                *(moment, found.step_s, found.samples[number], found.provenance[number].value, found.covered[number]),
                *verdict,
                *("" if value is None else value for value in values),
            )
        )
    return file.getvalue()
