"""Points of a job for shares, whose rates follow from what the NF carries, and what comes of them."""

from collections.abc import Sequence

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointSetting, ProfilingAsk
from sextant_engine.profiling.shares.points import MeasuredShare, hop_nodes, next_share, shares_of
from sqlalchemy.orm import Session

from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.views import PointFigures
from sextant_backend.modules.shares import service as shares


def next_setting(
    ask: ProfilingAsk, inventory: HostInventory, points: Sequence[ProfilingPointRow]
) -> PointSetting | None:
    """After these, the points so far; None once all are measured."""
    return next_share(ask, _measured(points), hop_nodes(ask, inventory))


def store(session: Session, row: ProfilingJobRow) -> None:
    """A draft of the shares of a job whose points are all measured."""
    points, provenances = repository.all_points(session, row.id), repository.provenances(session, row.id)
    row.shares_id = shares.store(
        session,
        host_model=row.host_model,
        nf_type=row.nf_type,
        nf_version=row.versions[row.nf_type],
        measured=shares_of(ProfilingAsk.model_validate(row.ask), _measured(points)),
        provenance=Provenance.MEASURED if provenances == {Provenance.MEASURED} else Provenance.SIMULATED,
        job_id=row.id,
        host_id=row.host_id,
        who=row.created_by,
    )


def _measured(points: Sequence[ProfilingPointRow]) -> list[MeasuredShare]:
    """Those that have figures, in their order."""
    found = []
    for point in points:
        figures = None if point.figures is None else PointFigures.model_validate(point.figures)
        if figures is not None and figures.mpps is not None and figures.cpu_percent is not None:
            setting = PointSetting.model_validate(point.setting)
            found.append(MeasuredShare(setting, figures.mpps.value, figures.cpu_percent, figures.delay_us))
    return found
