"""A host as SRv6-INT's global loop sees it, from what is stored of it."""

from datetime import UTC, datetime, timedelta

from sextant_domain.base import Provenance
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_domain.laws.srv6_view import Srv6Chain, Srv6Host, Srv6HostRow, Srv6Lane
from sextant_engine.control.frame import rests_s

from sextant_backend.laws.srv6 import models
from sextant_backend.laws.srv6.evaluation import Seen, SeenChain
from sextant_backend.laws.srv6.memory import Kept, Pending
from sextant_backend.modules.control.law_on_host import LawNow

Known = LawNow[Kept, Srv6Parameters]


def row(one: models.Srv6HostRow, recommendation_id: int | None) -> Srv6HostRow:
    """In the list."""
    return Srv6HostRow(
        host=one.host_id,
        mode=PolicyMode(one.mode),
        chains=one.chains,
        lanes=one.lanes,
        saturated=one.saturated,
        offered_mpps=one.offered_mpps,
        reason=one.reason,
        evaluated_at=one.evaluated_at,
        provenance=None if one.provenance is None else Provenance(one.provenance),
        recommendation_id=recommendation_id,
    )


def host(known: Known) -> Srv6Host:
    """By itself."""
    seen = Seen() if known.row is None or known.rates is None else Seen.model_validate(known.row.seen)
    return Srv6Host(
        host=known.read.inventory.host_id,
        mode=known.mode,
        stopped=known.stopped,
        provenance=None if known.rates is None else known.rates.provenance,
        evaluated_at=None if known.row is None else known.row.evaluated_at,
        reason=_reason(known),
        chains=tuple(_chain(one, _pending(known)) for one in seen.chains),
        unseen=seen.unseen,
        rests_until=_rests_until(known),
        recommendation_id=known.recommendation_id,
    )


def _reason(known: Known) -> str:
    if all(chain.quota_bounds is None for chain in known.read.content.chains):
        return "no chain has quota bounds here: how long NFs may have their packets nobody has said"
    return "it has not been evaluated yet" if known.row is None else known.row.reason


def _pending(known: Known) -> Pending | None:
    pending = known.kept.pending
    return None if pending is None or pending.recommendation_id != known.recommendation_id else pending


def _chain(seen: SeenChain, pending: Pending | None) -> Srv6Chain:
    asked = pending if pending is not None and pending.chain == seen.chain else None
    return Srv6Chain(
        chain=seen.chain,
        lanes=tuple(Srv6Lane.model_validate(lane.model_dump()) for lane in seen.lanes),
        best_mpps=seen.best_mpps,
        full_mpps=seen.full_mpps,
        full_nf=seen.full_nf,
        need_cores=seen.need_cores,
        uncounted=seen.uncounted,
        above_since=_at(seen.above_since_s),
        surplus_since=_at(seen.surplus_since_s),
        why_not=seen.why_not,
        recommended_lanes=None if asked is None or asked.to is not None else asked.lanes,
        recommended_hosts={} if asked is None else asked.hosts,
        recommended_host=None if asked is None else asked.to,
    )


def _at(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _rests_until(known: Known) -> datetime | None:
    rests = rests_s(known.kept.changed_s, known.parameters.rest_s, known.now.timestamp())
    return known.now + timedelta(seconds=rests) if rests > 0 else None
