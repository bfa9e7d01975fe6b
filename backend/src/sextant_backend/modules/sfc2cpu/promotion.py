"""Which networks plans may go by: an operator promotes one for hosts of as many cores, and reverts it again."""

from sextant_domain.problem import NextAction
from sextant_domain.studies.networks import NetworkPromotion, NetworkVerdict, PromotionEnd
from sextant_engine.errors import BadEngineInput
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.networks import contents, repository, views
from sextant_backend.modules.networks.models import PromotionRow
from sextant_backend.modules.sfc2cpu.errors import NetworkNotInForce, NetworkRefused, NetworksRest

BASIC = "calibrated or min_max"
SYSTEM = "system"
SHOWN = 12
"""Digits of a digest, for people."""


def promote(session: Session, weights: str, who: Principal) -> NetworkPromotion:
    """Put a network in force for its number of cores; the promotion there is where it is. Raises NotFound, NetworksRest
    while one that was found worse is not long ago, NetworkRefused where its weights are not what was stored."""
    repository.lock(session)
    row = repository.get(session, weights)
    if row is None:
        raise NotFound(f"There is no network {weights}; `sextant sfc2cpu networks` lists those that were trained.")
    newest = next((one for one in repository.newest_of_each(session) if one.cores == row.cores), None)
    current = newest if newest is not None and newest.ended is None else None
    if current is not None and current.weights == weights:
        return views.promotion(current)
    if newest is not None:
        _refuse_rest(session, newest)
    _read_again(session, weights, row.cores)
    if current is not None:
        _end(session, current, PromotionEnd.REPLACED, who.username)
    before = None if current is None else current.weights
    promotion = _begin(session, row.cores, weights, before, who.username)
    _audit(session, (who.username, "network.promote"), promotion, {"cores": row.cores}, before, weights)
    return views.promotion(promotion)


def revert(session: Session, weights: str, who: Principal) -> NetworkPromotion:
    """Back to what was in force before: another network, or the basic assigners. Raises NetworkNotInForce."""
    repository.lock(session)
    current = next((one for one in repository.in_force(session) if one.weights == weights), None)
    if current is None:
        raise NetworkNotInForce(
            f"Network {short(weights)} is not in force. Nothing was changed.",
            next_actions=[NextAction(label="See which are", command="sextant sfc2cpu networks")],
        )
    _end(session, current, PromotionEnd.REVERTED, who.username)
    if current.before is not None:
        _begin(session, current.cores, current.before, None, who.username)
    _audit(session, (who.username, "network.revert"), current, {"cores": current.cores}, weights, current.before)
    return views.promotion(current)


def revert_worse(session: Session, row: PromotionRow, verdict: NetworkVerdict) -> None:
    """By itself, and to the basic assigners: another network would have to prove itself first."""
    _end(session, row, PromotionEnd.WORSE, SYSTEM, verdict)
    detail = {
        "cores": row.cores,
        "host": verdict.host,
        "served_percent": round(100 * verdict.served, 1),
        "round_robin_percent": round(100 * verdict.round_robin, 1),
        "rests_for_min": int(views.REST.total_seconds() // 60),
    }
    _audit(session, (SYSTEM, "network.revert_worse"), row, detail, row.weights, None)


def short(weights: str) -> str:
    """`664f30a36add`."""
    return weights.removeprefix("sha256:")[:SHOWN]


def _refuse_rest(session: Session, newest: PromotionRow) -> None:
    rests = views.promotion(newest).rests_until
    if rests is not None and db_now(session) < rests:
        raise NetworksRest(
            f"A network for {newest.cores} cores was found worse than round robin and reverted; none is promoted for "
            f"as many before {rests:%Y-%m-%d %H:%M} UTC. Nothing was changed.",
            next_actions=[NextAction(label="See what was measured", command="sextant sfc2cpu promotions")],
        )


def _read_again(session: Session, weights: str, cores: int) -> None:
    try:
        contents.read(repository.documents(session, [weights])[weights], cores, weights)
    except BadEngineInput as error:
        raise NetworkRefused(
            f"The weights of network {short(weights)} are not those that were stored: {error}. Nothing was changed.",
            next_actions=[NextAction(label="Train it again", command=f"sextant sfc2cpu train --cores {cores}")],
        ) from error


def _begin(session: Session, cores: int, weights: str, before: str | None, who: str) -> PromotionRow:
    row = PromotionRow(
        cores=cores,
        weights=weights,
        before=before,
        promoted_at=db_now(session),
        promoted_by=who,
        watched={},
        ended=None,
        ended_at=None,
        ended_by=None,
        verdict=None,
    )
    session.add(row)
    session.flush()
    return row


def _end(
    session: Session, row: PromotionRow, why: PromotionEnd, who: str, verdict: NetworkVerdict | None = None
) -> None:
    now = db_now(session)
    row.ended, row.ended_at, row.ended_by = why.value, now, who
    row.verdict = None if verdict is None else verdict.model_dump(mode="json")
    session.flush()  # the index on those in force allows one a number of cores


def _audit(  # noqa: PLR0917 - an entry
    session: Session,
    did: tuple[str, str],
    row: PromotionRow,
    detail: dict[str, object],
    before: str | None,
    after: str | None,
) -> None:
    """`did`: who, and what."""
    audit.record(
        session,
        *did,
        f"network/{row.weights}",
        detail,
        name=short(row.weights),
        before={"assigner": BASIC if before is None else f"network {short(before)}"},
        after={"assigner": BASIC if after is None else f"network {short(after)}"},
    )
