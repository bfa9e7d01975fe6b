"""Races, read; they are run by `racing.py`."""

from sextant_domain.race import Race
from sextant_domain.views import Page
from sqlalchemy.orm import Session

from sextant_backend.kit import paging
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.outcomes import repository as outcomes
from sextant_backend.modules.outcomes.views import outcome
from sextant_backend.modules.races import repository, scoring
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.racing import ALGORITHMS
from sextant_backend.modules.races.scoring import Leg

MOST_OUTCOMES = 1000
"""Of one plan: the first windows of all its chains, and later ones."""


def page(session: Session, asked: Paging, plan: int | None) -> Page[Race]:
    """A page, newest first; of all, or of one plan."""
    rows = repository.page(session, asked.limit + 1, asked.key(int), plan)
    states = repository.states(session, [row.plan_id for row in rows])
    return paging.page([_view(session, row, states[row.plan_id]) for row in rows], asked, lambda race: race.id)


def one(session: Session, race_id: int) -> Race:
    """One race; raises NotFound."""
    row = repository.get(session, race_id)
    if row is None:
        raise NotFound(f"There is no race {race_id}; only the newest are kept.")
    return _view(session, row, repository.states(session, [row.plan_id])[row.plan_id])


def _view(session: Session, row: RaceRow, state: str) -> Race:
    rows = outcomes.page(session, MOST_OUTCOMES, None, chain=None, plan=row.plan_id, nf_type=None)
    windows = scoring.first_windows([outcome(found) for found in rows])
    ran = Leg.model_validate(row.ran)
    measured = scoring.total(ran, {name: window.measured_mpps for name, window in windows.items()})
    return Race(
        id=row.id,
        plan_id=row.plan_id,
        plan_state=state,
        hosts=tuple(row.hosts),
        predicted_mpps=scoring.total(ran, ran.predicted),
        provenance=ran.provenance,
        measured_mpps=measured,
        measured_provenance=None if measured is None else scoring.measured_by(windows),
        entries=tuple(scoring.entry(Leg.model_validate(leg), ran, windows) for leg in row.legs),
        waiting=ALGORITHMS[len(row.legs) :],
        created_at=row.created_at,
    )
