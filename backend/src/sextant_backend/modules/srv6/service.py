"""Reads hosts as SRv6-INT's global loop sees them."""

from sextant_domain.console.views import Page
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.laws.srv6 import SRV6
from sextant_domain.laws.srv6_view import Srv6Host, Srv6HostRow
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Paging
from sextant_backend.laws.srv6 import repository
from sextant_backend.laws.srv6.law import Srv6Module
from sextant_backend.modules.control import law_on_host
from sextant_backend.modules.control import repository as control
from sextant_backend.modules.srv6 import views


def page(session: Session, asked: Paging, mode: PolicyMode | None, saturated: bool | None) -> Page[Srv6HostRow]:
    """A page of hosts that the law looks at."""
    found = repository.page(session, asked, mode.value if mode else None, saturated)
    opened = control.open_of(session, SRV6)
    return found.page(views.row(one, opened.get(one.host_id)) for one in found.rows)


def host(session: Session, name: str) -> Srv6Host:
    """A host, whether the law looks at it or not; raises NotFound."""
    return views.host(law_on_host.of(session, Srv6Module(), name))
