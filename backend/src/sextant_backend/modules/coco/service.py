"""Reads hosts as CoCo's law sees them."""

from sextant_domain.console.views import Page
from sextant_domain.laws.coco import COCO
from sextant_domain.laws.coco_view import CocoHost, CocoHostRow
from sextant_domain.laws.recommendation import PolicyMode
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Paging
from sextant_backend.laws.coco import repository
from sextant_backend.laws.coco.law import CocoModule
from sextant_backend.laws.coco.members import members_of
from sextant_backend.laws.coco.observe import read_ties
from sextant_backend.modules.coco import views
from sextant_backend.modules.control import law_on_host
from sextant_backend.modules.control import repository as control
from sextant_backend.modules.telemetry import repository as telemetry


def page(session: Session, asked: Paging, mode: PolicyMode | None, overloaded: bool | None) -> Page[CocoHostRow]:
    """A page of hosts that the law looks at."""
    found = repository.page(session, asked, mode.value if mode else None, overloaded)
    opened = control.open_of(session, COCO)
    return found.page(views.row(one, opened.get(one.host_id)) for one in found.rows)


def host(session: Session, name: str) -> CocoHost:
    """A host, whether the law looks at it or not; raises NotFound."""
    now = law_on_host.of(session, CocoModule(), name)
    ties = read_ties(session, [name]).get(name, {})
    return views.host(members_of(now.read, now.manual, ties), now, telemetry.shared_cores(session, name))
