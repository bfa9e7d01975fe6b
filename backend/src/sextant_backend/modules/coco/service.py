"""Reads hosts as CoCo's law sees them."""

from datetime import UTC, datetime, timedelta

from sextant_domain.console.views import Page
from sextant_domain.laws.coco import COCO, CocoParameters
from sextant_domain.laws.coco_view import CocoHost, CocoHostRow
from sextant_domain.laws.recommendation import PolicyMode
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.laws import host_reading, registry
from sextant_backend.laws.coco import repository
from sextant_backend.laws.coco.members import members_of
from sextant_backend.laws.coco.memory import Kept
from sextant_backend.modules.coco import views
from sextant_backend.modules.control import decisions, parameters, policy_table
from sextant_backend.modules.control import repository as control
from sextant_backend.modules.control.reading import ALL_STOPPED
from sextant_backend.modules.maintenance import service as maintenance

FRESH = timedelta(seconds=10)
"""Older figures are shown as none."""


def page(session: Session, asked: Paging, mode: PolicyMode | None, overloaded: bool | None) -> Page[CocoHostRow]:
    """A page of hosts that the law looks at."""
    found = repository.page(session, asked, mode.value if mode else None, overloaded)
    opened = {host: number for (_, host), number in control.open_of(session, [COCO]).items()}
    return found.page(views.row(one, opened.get(one.host_id)) for one in found.rows)


def host(session: Session, name: str) -> CocoHost:
    """A host, whether the law looks at it or not; raises NotFound."""
    read = host_reading.read_hosts(session, [name]).get(name)
    if read is None:
        raise NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")
    now = db_now(session)
    modes = policy_table.modes(session, COCO)
    chains = [chain.chain for chain in read.content.chains]
    rates = host_reading.read_rates(session, [name]).get(name)
    kept, chosen = _kept(session, name), parameters.of(parameters.row_of(session, COCO), CocoParameters)
    return views.host(
        members_of(read, modes.kept(name, chains)),
        views.Known(
            mode=modes.of_host(name, chains),
            stopped=ALL_STOPPED if control.control(session).stopped else maintenance.resting(session).why(name),
            row=repository.get(session, name),
            rates=None if rates is None or now - rates.at > FRESH else rates,
            kept=kept,
            parameters=chosen,
            rests_until=_rests_until(kept, chosen, now),
            recommendation_id=control.open_of(session, [COCO]).get((COCO, name)),
        ),
    )


def _kept(session: Session, name: str) -> Kept:
    remembered = policy_table.remembered(session, COCO, name)
    if remembered is None:
        return Kept()
    kept: Kept = decisions.memory_of(registry.law_named(COCO), remembered).law
    return kept


def _rests_until(kept: Kept, chosen: CocoParameters, now: datetime) -> datetime | None:
    if kept.pushed_s is None:
        return None
    until = datetime.fromtimestamp(kept.pushed_s + chosen.rest_s, UTC)
    return until if until > now else None
