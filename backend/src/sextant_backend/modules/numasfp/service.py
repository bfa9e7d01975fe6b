"""Reads hosts as NUMASFP's law sees them."""

from sextant_domain.console.views import Page
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.laws.numasfp_view import NumasfpHost, NumasfpHostRow
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.plans.operation import MoveOutcome
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Paging
from sextant_backend.laws.numasfp import observe, repository
from sextant_backend.laws.numasfp.law import NumasfpModule
from sextant_backend.modules.control import law_on_host
from sextant_backend.modules.control import repository as control
from sextant_backend.modules.control.models import RecommendationRow
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.numasfp import views
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations import views as operation_views
from sextant_backend.modules.telemetry import repository as telemetry


def page(session: Session, asked: Paging, mode: PolicyMode | None, violated: bool | None) -> Page[NumasfpHostRow]:
    """A page of hosts that the law looks at."""
    found = repository.page(session, asked, mode.value if mode else None, violated)
    opened = control.open_of(session, NUMASFP)
    return found.page(views.row(one, opened.get(one.host_id)) for one in found.rows)


def host(session: Session, name: str) -> NumasfpHost:
    """A host, whether the law looks at it or not; raises NotFound."""
    now = law_on_host.of(session, NumasfpModule(), name)
    model = now.read.inventory.host_model
    table = levels.promoted(session, [model]).get(model)
    members = None if table is None else observe.members(now.read, table, now.manual)
    controls = telemetry.controls(session, [name]).get(name)
    return views.host(members, views.Known(now, table, controls, _last_outcome(session, name)))


def _last_outcome(session: Session, name: str) -> MoveOutcome | None:
    row: RecommendationRow | None = control.last_accepted(session, NUMASFP, name)
    if row is None or row.operation_id is None:
        return None
    found = operations.load(session, row.operation_id)
    works = () if found is None else operation_views.view(found).hosts
    return next((work.outcome for work in works if work.host == name), None)
