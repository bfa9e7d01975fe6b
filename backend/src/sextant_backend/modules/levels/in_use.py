"""The tables that control laws go by: of each host model, the promoted levels of all its NF types."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.base import Digest, Provenance, digest_of
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.hosts.measured_levels import MeasuredLevels
from sqlalchemy.orm import Session

from sextant_backend.modules.levels import repository
from sextant_backend.modules.levels.models import LevelsRow
from sextant_backend.modules.levels.repository import TableMark


@dataclass(frozen=True, slots=True)
class PromotedTable:
    """The promoted levels of all NF types on a host model."""

    version: int
    """Rises with every promotion and retirement on the host model."""
    digest: Digest
    """Of `table`."""
    table: LevelTable
    provenance: Provenance
    """`simulated` where the levels of any NF type are."""


_decoded: dict[str, tuple[TableMark, PromotedTable]] = {}
"""By host model: as many as the fleet has. A process that decides every second decodes what has changed."""


def promoted(session: Session, host_models: Collection[str]) -> Mapping[str, PromotedTable]:
    """The tables of those of these host models of which levels are promoted. One query where nothing has changed since
    the last call, and nothing is decoded then."""
    marks = repository.marks(session, host_models)
    changed = {name for name, mark in marks.items() if name not in _decoded or _decoded[name][0] != mark}
    if changed:
        of_model = defaultdict(list)
        for row in repository.VERSIONS.promoted(session, changed):
            of_model[row.host_model].append(row)
        _decoded.update({name: (marks[name], _table(marks[name], rows)) for name, rows in of_model.items()})
    return {name: _decoded[name][1] for name in marks if name in _decoded}


def _table(mark: TableMark, rows: Sequence[LevelsRow]) -> PromotedTable:
    types = {row.nf_type: MeasuredLevels.model_validate(row.measured).levels for row in rows}
    table = LevelTable(host_model=rows[0].host_model, types=types)
    measured = all(row.provenance == Provenance.MEASURED for row in rows)
    provenance = Provenance.MEASURED if measured else Provenance.SIMULATED
    return PromotedTable(mark.table_version, digest_of(table), table, provenance)
