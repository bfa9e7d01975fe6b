"""Everything the console shows, at one moment of the database."""

from sextant_domain.console.live import SnapshotEvent

from sextant_backend.kit.db import allow_idle, db_now, session_factory
from sextant_backend.modules.alerts import service as alerts
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains.views import views as chain_views
from sextant_backend.modules.control import service as control
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations.views import view as operation_view
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans.views import brief
from sextant_backend.modules.profiling import service as profiling
from sextant_backend.modules.studies import service as studies

NEWEST = 20


def snapshot_json() -> str:
    """A SnapshotEvent, read in one transaction that sees one state."""
    with session_factory()() as session:
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        allow_idle(session)
        return SnapshotEvent(
            taken_at=db_now(session),
            hosts=hosts.every(session),
            nfs=nfs.every(session),
            chains=tuple(chain_views(session, chains.all_living(session))),
            plans=tuple(brief(row) for row in plans.newest(session, NEWEST)),
            operations=tuple(operation_view(rows) for rows in operations.newest(session, NEWEST)),
            profiling=profiling.newest(session, NEWEST),
            studies=studies.newest(session, NEWEST),
            recommendations=control.open_ones(session),
            alerts=alerts.counts(session),
        ).model_dump_json()
