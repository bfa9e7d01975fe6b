"""How far predictors are trusted with the models in use: for plans, and for people."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sextant_domain.hosts.sharing import Sharing
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sextant_domain.plans.trust import SPARE_PREDICTOR, OutcomeTest, Spread, Trust
from sqlalchemy import ColumnElement, Text, Values, column, func, select, true, values
from sqlalchemy.orm import Session

from sextant_backend.modules.models.in_use import PredictorModels
from sextant_backend.modules.outcomes import outcome_evaluation, views
from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow
from sextant_backend.modules.outcomes.outcome_evaluation import LATEST, Key, ModelTest, SpreadOutcome
from sextant_backend.settings import get_settings

OCTANS, TIME_SHARING = "octans", "time-sharing"
CURVES, PROCESS = PREDICTORS_AT_REST
SPREADING = 500
"""Newest outcomes of a host model by which it is said how far off a predictor was."""


def keys(found: PredictorModels, sharing: Sharing) -> list[Key]:
    """What can be trusted on these hosts."""
    planned = [
        Key(one.nf_type, one.host_model, TIME_SHARING if shared else OCTANS, one.version)
        for one in found.models
        for shared in sorted(sharing.get(one.host_model, ()))
    ]
    curves = [Key(one.nf_type, one.host_model, CURVES, one.version) for one in found.curves]
    fits = [one.fit for one in found.processes]
    processes = [Key(one.nf_type, one.host_model, PROCESS, one.version) for one in fits]
    return planned + [key for key in (*curves, *processes) if False in sharing.get(key.host_model, ())]


def spreads(session: Session, sharing: Sharing) -> tuple[Spread, ...]:
    """How far off the predictor of plans was on each of the host models, where enough was measured; where cores are
    shared, also how far what chains with room to spare carried was from their offer."""
    ways = [(name, shared) for name, found in sorted(sharing.items()) for shared in sorted(found)]
    predictors = [(name, TIME_SHARING if shared else OCTANS) for name, shared in ways]
    with_room = [(name, TIME_SHARING) for name, shared in ways if shared]
    informative = _spreading(session, predictors, OutcomeRow.test == OutcomeTest.INFORMATIVE)
    # Whether one carried its offer is what is asked here, so that those that did not count as well.
    of_offers = _spreading(session, with_room, OutcomeRow.interval_source == "spare")
    found = [outcome_evaluation.spread_of(*which, rows) for which, rows in sorted(informative.items())]
    found += [
        outcome_evaluation.spread_of(name, SPARE_PREDICTOR, rows) for (name, _), rows in sorted(of_offers.items())
    ]
    return tuple(spread for spread in found if spread is not None)


def tested(session: Session, wanted: Iterable[Key]) -> dict[Key, Trust]:
    """Of those of the keys that have outcomes; as many queries for many keys as for one."""
    wanted = list(wanted)
    counts = _untested(session, wanted) if wanted else {}
    known = [key for key in wanted if key in counts]
    if not known:
        return {}
    newest, last, band = tests(session, known), _last(session, known), get_settings().trust_band_percent
    return {
        key: outcome_evaluation.trust_of(
            key, newest[key], counts[key], views.outcome(last[key]) if key in last else None, band
        )
        for key in known
    }


def tests(session: Session, keys: Sequence[Key], limit: int = LATEST) -> dict[Key, list[ModelTest]]:
    """The newest measurements that test each model, newest first. One query."""
    row, judged, asked = OutcomeRow, JudgedRow, _asked(keys)
    newest = (
        select(judged.outcome_id, judged.predicted_mpps, judged.low_mpps, judged.high_mpps)
        .where(*_of(asked), judged.counts)
        .order_by(judged.outcome_id.desc())
        .limit(limit)
        .lateral()
    )
    figures = (newest.c.predicted_mpps, newest.c.low_mpps, newest.c.high_mpps)
    query = (
        select(*asked.c, row.plan_id, row.chain, *figures, row.measured_mpps)
        .select_from(asked)
        .join(newest, true())
        .join(row, row.id == newest.c.outcome_id)
        .order_by(newest.c.outcome_id.desc())
    )
    found: dict[Key, list[ModelTest]] = {key: [] for key in keys}
    for *key, plan_id, chain, predicted, low, high, measured in session.execute(query) if keys else ():
        found[Key(*key)].append(ModelTest(plan_id, chain, predicted, low, high, measured))
    return found


def _last(session: Session, keys: Sequence[Key]) -> dict[Key, OutcomeRow]:
    """The newest outcome that was laid beside each model, whether it tests it or not."""
    asked = _asked(keys)
    newest = select(func.max(JudgedRow.outcome_id).label("outcome_id")).where(*_of(asked)).lateral()
    query = (
        select(*asked.c, OutcomeRow)
        .select_from(asked)
        .join(newest, true())
        .join(OutcomeRow, OutcomeRow.id == newest.c.outcome_id)
    )
    return {Key(*key): row for *key, row in session.execute(query)}


def _asked(keys: Sequence[Key]) -> Values:
    names = ("nf_type", "host_model", "predictor", "version")
    rows = [tuple(getattr(key, name) for name in names) for key in keys]
    return values(*(column(name, Text) for name in names), name="asked").data(rows)


def _spreading(
    session: Session, predictors: Sequence[tuple[str, str]], counts: ColumnElement[bool]
) -> dict[tuple[str, str], list[SpreadOutcome]]:
    """By host model and predictor, the newest outcomes that count, whichever models they were predicted with; pairs
    without any are absent. One query."""
    if not predictors:
        return {}
    row = OutcomeRow
    asked = values(column("host_model", Text), column("predictor", Text), name="asked").data(list(predictors))
    newest = (
        select(row.id, row.plan_id, row.chain, row.predicted_mpps, row.measured_mpps)
        .where(row.host_model == asked.c.host_model, row.predictor == asked.c.predictor, counts)
        .order_by(row.id.desc())
        .limit(SPREADING)
        .lateral()
    )
    columns = (newest.c.plan_id, newest.c.chain, newest.c.predicted_mpps, newest.c.measured_mpps)
    query = select(asked.c.host_model, asked.c.predictor, *columns).join(newest, true()).order_by(newest.c.id.desc())
    found: dict[tuple[str, str], list[SpreadOutcome]] = defaultdict(list)
    for host_model, predictor, *outcome in session.execute(query):
        found[host_model, predictor].append(SpreadOutcome(*outcome))
    return found


def _untested(session: Session, keys: Iterable[Key]) -> dict[Key, int]:
    """How many outcomes do not test the model of each key; keys without any outcome are absent. One query."""
    row = JudgedRow
    query = (
        select(row.nf_type, row.host_model, row.predictor, row.version, func.count().filter(~row.counts))
        .where(row.version.in_({key.version for key in keys}), row.host_model.in_({key.host_model for key in keys}))
        .group_by(row.nf_type, row.host_model, row.predictor, row.version)
    )
    return {Key(*key): count for *key, count in session.execute(query)}


def _of(asked: Values) -> tuple[ColumnElement[bool], ...]:
    row = JudgedRow
    return (
        row.nf_type == asked.c.nf_type,
        row.host_model == asked.c.host_model,
        row.predictor == asked.c.predictor,
        row.version == asked.c.version,
    )
