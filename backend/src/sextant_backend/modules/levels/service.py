"""Levels of NF types: stored where a job has measured them, read, promoted, retired."""

from collections.abc import Collection, Mapping

from sextant_domain.base import Provenance
from sextant_domain.console.views import Page
from sextant_domain.hosts.levels import MOST_TYPES
from sextant_domain.hosts.measured_levels import LevelsState, LevelsVersion, MeasuredLevels
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.levels import in_use, repository, views
from sextant_backend.modules.levels.errors import LevelsNotInUse, LevelsNotPromotable
from sextant_backend.modules.levels.in_use import PromotedTable
from sextant_backend.modules.levels.models import LevelsRow
from sextant_backend.modules.nfs import types


def promoted(session: Session, host_models: Collection[str]) -> Mapping[str, PromotedTable]:
    """The tables that control laws go by, of those of these host models that have one; cheap enough for every
    second."""
    return in_use.promoted(session, host_models)


def store(
    session: Session,
    *,
    host_model: str,
    nf_type: str,
    nf_version: int,
    measured: MeasuredLevels,
    provenance: Provenance,
    job_id: int,
    host_id: str,
    who: str,
) -> int:
    """A draft of what a job has measured; its id. A job has one, however often it is stored."""
    repository.VERSIONS.hold(session, host_model)
    stored = repository.VERSIONS.of_job(session, job_id)
    if stored is not None:
        return stored.id
    row = LevelsRow(
        host_model=host_model,
        nf_type=nf_type,
        nf_version=nf_version,
        version=repository.VERSIONS.next_version(session, host_model, nf_type),
        measured=measured.model_dump(mode="json"),
        provenance=provenance.value,
        job_id=job_id,
        host_id=host_id,
        created_by=who,
    )
    return repository.VERSIONS.add(session, row).id


def page(
    session: Session, asked: Paging, nf_type: str | None, host_model: str | None, state: LevelsState | None
) -> Page[LevelsVersion]:
    """A page of versions: of one NF type, on one host model, in one state."""
    wanted = state.value if state else None
    found = repository.VERSIONS.page(session, asked, nf_type=nf_type, host_model=host_model, state=wanted)
    return found.page(_view(session, row) for row in found.rows)


def one(session: Session, levels_id: int) -> LevelsVersion:
    """One version; raises NotFound."""
    return _view(session, _found(session, levels_id))


def promote(session: Session, levels_id: int, who: Principal) -> LevelsVersion:
    """Let control laws go by it; what was in use of its NF type on its host model retires in the same transaction.
    Raises NotFound, or LevelsNotPromotable with the reason."""
    row = _held(session, levels_id)
    others = [one for one in repository.VERSIONS.promoted(session, [row.host_model]) if one.nf_type != row.nf_type]
    why_not = _why_not(session, row, len(others))
    if why_not is not None:
        again = f"sextant levels measure {row.nf_type} --help"
        raise LevelsNotPromotable(
            f"Levels {row.id} of {row.nf_type} were not promoted: {why_not}. Laws go by what they went by before.",
            next_actions=[NextAction(label="Measure the NF type's levels again", command=again)],
        )
    former = repository.VERSIONS.promoted_of(session, row.host_model, row.nf_type)
    if former is not None:
        _decide(session, former, LevelsState.RETIRED, who)
        session.flush()  # the index on promoted versions allows one an NF type
    _decide(session, row, LevelsState.PROMOTED, who)
    _record(session, row, who, former=former)
    return _view(session, row)


def retire(session: Session, levels_id: int, who: Principal) -> LevelsVersion:
    """Let no law go by it any more. Raises NotFound, or LevelsNotInUse."""
    row = _held(session, levels_id)
    if row.state != LevelsState.PROMOTED:
        raise LevelsNotInUse(
            f"Levels {row.id} of {row.nf_type} are not in use: they are {row.state}. Nothing was changed.",
            next_actions=[NextAction(label="See those in use", command="sextant levels list --state promoted")],
        )
    _decide(session, row, LevelsState.RETIRED, who)
    _record(session, row, who, former=row)
    return _view(session, row)


def _found(session: Session, levels_id: int, *, lock: bool = False) -> LevelsRow:
    row = repository.VERSIONS.get(session, levels_id, lock=lock)
    if row is None:
        raise NotFound(f"There are no levels {levels_id}; `sextant levels list` shows those that are.")
    return row


def _held(session: Session, levels_id: int) -> LevelsRow:
    """Locked, and nobody else decides on levels of its host model."""
    repository.VERSIONS.hold(session, _found(session, levels_id).host_model)
    return _found(session, levels_id, lock=True)


def _why_not(session: Session, row: LevelsRow, others: int) -> str | None:
    if row.state == LevelsState.PROMOTED:
        return "they are in use already"
    levels = MeasuredLevels.model_validate(row.measured).levels
    if not levels.local and not levels.remote:
        return "they hold no level: nothing that was measured carries any of the rates"
    if others >= MOST_TYPES:
        return f"levels of {others} other NF types are in use on {row.host_model}, and a table holds {MOST_TYPES}"
    return _view(session, row).stale


def _decide(session: Session, row: LevelsRow, state: LevelsState, who: Principal) -> None:
    table_version, now = repository.next_table_version(session, row.host_model), db_now(session)
    row.state, row.table_version = state.value, table_version
    row.decided_at, row.decided_by = now, who.username


def _record(session: Session, row: LevelsRow, who: Principal, *, former: LevelsRow | None) -> None:
    """`former`: what was in use before."""
    in_use_now = row.state == LevelsState.PROMOTED
    action = "levels.promote" if in_use_now else "levels.retire"
    audit.record(
        session,
        who.username,
        action,
        f"levels/{row.id}",
        {"host_model": row.host_model, "nf_type": row.nf_type, "version": row.version},
        name=f"{row.nf_type} on {row.host_model}",
        before={} if former is None else {row.nf_type: f"version {former.version}"},
        after={row.nf_type: f"version {row.version}"} if in_use_now else {},
    )


def _view(session: Session, row: LevelsRow) -> LevelsVersion:
    """With what the NF type is at now."""
    now = {name: one.version for name, one in types.named(session, [row.nf_type]).items()}
    return views.view(row, now)
