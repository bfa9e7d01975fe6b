"""Reads hosts as NUMASFP's law sees them."""

from datetime import timedelta

from sextant_domain.console.views import Page
from sextant_domain.laws.numasfp import NUMASFP, NumasfpParameters
from sextant_domain.laws.numasfp_view import NumasfpHost, NumasfpHostRow
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.plans.operation import MoveOutcome
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.laws import host_reading, registry
from sextant_backend.laws.numasfp import observe, repository
from sextant_backend.laws.numasfp.memory import Kept
from sextant_backend.modules.control import decisions, parameters, policy_table
from sextant_backend.modules.control import repository as control
from sextant_backend.modules.control.models import RecommendationRow
from sextant_backend.modules.control.reading import ALL_STOPPED
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.numasfp import views
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations import views as operation_views
from sextant_backend.modules.telemetry import repository as telemetry

FRESH = timedelta(seconds=10)
"""Older rates are shown as none."""


def page(session: Session, asked: Paging, mode: PolicyMode | None, violated: bool | None) -> Page[NumasfpHostRow]:
    """A page of hosts that the law looks at."""
    found = repository.page(session, asked, mode.value if mode else None, violated)
    opened = {host: number for (_, host), number in control.open_of(session, [NUMASFP]).items()}
    return found.page(views.row(one, opened.get(one.host_id)) for one in found.rows)


def host(session: Session, name: str) -> NumasfpHost:
    """A host, whether the law looks at it or not; raises NotFound."""
    read = host_reading.read_hosts(session, [name]).get(name)
    if read is None:
        raise NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")
    now = db_now(session)
    modes = policy_table.modes(session, NUMASFP)
    chains = [chain.chain for chain in read.content.chains]
    table = levels.promoted(session, [read.inventory.host_model]).get(read.inventory.host_model)
    kept = modes.kept(name, chains)
    rates = host_reading.read_rates(session, [name]).get(name)
    remembered = policy_table.remembered(session, NUMASFP, name)
    memory = None if remembered is None else decisions.memory_of(registry.law_named(NUMASFP), remembered)
    return views.host(
        read,
        None if table is None else observe.members(read, table, kept),
        views.Known(
            mode=modes.of_host(name, chains),
            stopped=_stopped(session, name),
            table=table,
            parameters=parameters.of(parameters.row_of(session, NUMASFP), NumasfpParameters),
            row=repository.get(session, name),
            rates=None if rates is None or now - rates.at > FRESH else rates,
            controls=telemetry.controls(session, [name]).get(name),
            kept=Kept() if memory is None else memory.law,
            recommendation_id=control.open_of(session, [NUMASFP]).get((NUMASFP, name)),
            last_outcome=_last_outcome(session, name),
            now=now,
        ),
    )


def _stopped(session: Session, name: str) -> str | None:
    if control.control(session).stopped:
        return ALL_STOPPED
    return maintenance.resting(session).why(name)


def _last_outcome(session: Session, name: str) -> MoveOutcome | None:
    row: RecommendationRow | None = control.last_accepted(session, NUMASFP, name)
    if row is None or row.operation_id is None:
        return None
    found = operations.load(session, row.operation_id)
    works = () if found is None else operation_views.view(found).hosts
    return next((work.outcome for work in works if work.host == name), None)
