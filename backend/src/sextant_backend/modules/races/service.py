"""Races, read; they are run by `tasks.py`."""

from sextant_domain.base import Provenance
from sextant_domain.console.views import Page
from sextant_domain.plans.race import Race, RaceRanking, RaceState
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.races import race_ending, ranking, repository, scoring
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.race_legs import CONTENDERS
from sextant_backend.modules.races.ranking import Score
from sextant_backend.modules.races.scoring import Leg


def page(
    session: Session, asked: Paging, plan: int | None, host_model: str | None, state: RaceState | None
) -> Page[Race]:
    """A page of races: of all, of one plan, with hosts of one model, in one state."""
    found = repository.page(session, asked, plan=plan, host_model=host_model, state=state)
    states = repository.states(session, [row.plan_id for row in found.rows])
    return found.page(_view(session, row, states[row.plan_id]) for row in found.rows)


def one(session: Session, race_id: int) -> Race:
    """One race; raises NotFound."""
    row = repository.get(session, race_id)
    if row is None:
        raise NotFound(f"There is no race {race_id}; only the newest are kept.")
    return _view(session, row, repository.states(session, [row.plan_id])[row.plan_id])


def _view(session: Session, row: RaceRow, state: str) -> Race:
    ran = Leg.model_validate(row.ran or Leg(algorithm=None))
    score, entries = _score(session, row, ran)
    return Race.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "why": row.why,
            "begun_by": row.begun_by,
            "plan_id": row.plan_id,
            "plan_state": state,
            "hosts": row.hosts,
            "host_models": row.host_models,
            "predicted_mpps": scoring.total(ran, ran.predicted),
            "provenance": ran.provenance,
            "measured_mpps": score.measured_mpps if score else None,
            "measured_provenance": score.provenance if score else None,
            "entries": entries,
            "waiting": CONTENDERS[len(row.legs) :] if row.state == "planning" else (),
            "deadline_at": row.deadline_at,
            "created_at": row.created_at,
        }
    )


def _score(session: Session, row: RaceRow, ran: Leg) -> tuple[Score | None, object]:
    """What is stored, or as far as it is known by now."""
    if row.score is not None:
        score = Score.model_validate(row.score)
        return score, score.entries
    found = race_ending.score_of(session, row)
    if found is not None:
        return found, found.entries
    legs = [Leg.model_validate(leg) for leg in row.legs]
    measured = race_ending.measured(session, row, legs)
    return None, [scoring.entry(leg, ran, measured) for leg in legs]


def rank(session: Session, host_model: str | None) -> RaceRanking:
    """Algorithms over all scored races, or over those with hosts of one model."""
    scores = [Score.model_validate(score) for score in repository.scores(session, host_model)]
    counts = repository.counts(session, host_model)
    simulated = any(score.provenance is Provenance.SIMULATED for score in scores)
    ran = Provenance.SIMULATED if simulated else Provenance.MEASURED
    return RaceRanking(
        host_model=host_model,
        host_models=repository.host_models(session),
        scored=len(scores),
        open=sum(counts.get(state, 0) for state in repository.OPEN),
        ended=counts.get("ended", 0),
        wanted=repository.wanted(session),
        provenance=ran if scores else None,
        ranks=ranking.ranks(scores, CONTENDERS),
    )
