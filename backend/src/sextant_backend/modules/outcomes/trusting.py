"""How far predictors are trusted with the models in use: for plans, and for people."""

from collections.abc import Iterable, Mapping

from sextant_domain.plans.trust import Spread, Trust
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.model import PerformanceModel
from sextant_engine import second_opinion
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes import judging, repository, views
from sextant_backend.modules.outcomes.judging import Key
from sextant_backend.settings import get_settings

OCTANS, TIME_SHARING = "octans", "time-sharing"


def keys(
    models: Iterable[PerformanceModel], shares: Mapping[str, bool], curves: Iterable[CurveModel] = ()
) -> list[Key]:
    """What can be trusted. `shares`: host model -> whether its cores are shared."""
    planned = [
        Key(one.nf_type, one.host_model, TIME_SHARING if shares[one.host_model] else OCTANS, one.version)
        for one in models
        if one.host_model in shares
    ]
    others = [Key(one.nf_type, one.host_model, second_opinion.PREDICTOR, one.version) for one in curves]
    return planned + [key for key in others if not shares.get(key.host_model, True)]


def spreads(session: Session, shares: Mapping[str, bool]) -> tuple[Spread, ...]:
    """How far off the predictor of plans was on each of the host models, where enough was measured.

    `shares`: host model -> whether its cores are shared."""
    predictors = {name: TIME_SHARING if shared else OCTANS for name, shared in sorted(shares.items())}
    found = [
        judging.spread_of(name, predictors[name], telling)
        for name, telling in sorted(repository.spreading(session, predictors).items())
    ]
    return tuple(spread for spread in found if spread is not None)


def tested(session: Session, wanted: Iterable[Key]) -> dict[Key, Trust]:
    """Of those of the keys that have outcomes."""
    wanted = list(wanted)
    counts = repository.untold(session, wanted) if wanted else {}
    band = get_settings().trust_band_percent
    return {key: _trust(session, key, counts[key], band) for key in wanted if key in counts}


def _trust(session: Session, key: Key, untold: int, band: float) -> Trust:
    last = repository.last(session, key)
    return judging.trust_of(
        key, repository.tests(session, key), untold, None if last is None else views.outcome(last), band
    )
