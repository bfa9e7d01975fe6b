"""Shares of NF types: stored where a job has measured them, read, promoted, retired."""

from sextant_domain.base import Provenance
from sextant_domain.console.views import Page
from sextant_domain.hosts.measured_shares import MeasuredShares, SharesState, SharesVersion
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.nfs import types
from sextant_backend.modules.shares import repository, views
from sextant_backend.modules.shares.errors import SharesNotInUse, SharesNotPromotable
from sextant_backend.modules.shares.models import SharesRow


def store(
    session: Session,
    *,
    host_model: str,
    nf_type: str,
    nf_version: int,
    measured: MeasuredShares,
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
    row = SharesRow(
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
    session: Session, asked: Paging, nf_type: str | None, host_model: str | None, state: SharesState | None
) -> Page[SharesVersion]:
    """A page of versions: of one NF type, on one host model, in one state."""
    wanted = state.value if state else None
    found = repository.VERSIONS.page(session, asked, nf_type=nf_type, host_model=host_model, state=wanted)
    return found.page(_view(session, row) for row in found.rows)


def one(session: Session, shares_id: int) -> SharesVersion:
    """One version; raises NotFound."""
    return _view(session, _found(session, shares_id))


def promote(session: Session, shares_id: int, who: Principal) -> SharesVersion:
    """Let control laws go by it; what was in use of its NF type on its host model retires in the same transaction.
    Raises NotFound, or SharesNotPromotable with the reason."""
    row = _held(session, shares_id)
    why_not = _why_not(session, row)
    if why_not is not None:
        again = f"sextant shares measure {row.nf_type} --help"
        raise SharesNotPromotable(
            f"Shares {row.id} of {row.nf_type} were not promoted: {why_not}. Laws go by what they went by before.",
            next_actions=[NextAction(label="Measure the NF type's shares again", command=again)],
        )
    former = repository.VERSIONS.promoted_of(session, row.host_model, row.nf_type)
    if former is not None:
        _decide(session, former, SharesState.RETIRED, who)
        session.flush()  # the index on promoted versions allows one an NF type
    _decide(session, row, SharesState.PROMOTED, who)
    _record(session, row, who, former=former)
    return _view(session, row)


def retire(session: Session, shares_id: int, who: Principal) -> SharesVersion:
    """Let no law go by it any more. Raises NotFound, or SharesNotInUse."""
    row = _held(session, shares_id)
    if row.state != SharesState.PROMOTED:
        raise SharesNotInUse(
            f"Shares {row.id} of {row.nf_type} are not in use: they are {row.state}. Nothing was changed.",
            next_actions=[NextAction(label="See those in use", command="sextant shares list --state promoted")],
        )
    _decide(session, row, SharesState.RETIRED, who)
    _record(session, row, who, former=row)
    return _view(session, row)


def _found(session: Session, shares_id: int, *, lock: bool = False) -> SharesRow:
    row = repository.VERSIONS.get(session, shares_id, lock=lock)
    if row is None:
        raise NotFound(f"There are no shares {shares_id}; `sextant shares list` shows those that are.")
    return row


def _held(session: Session, shares_id: int) -> SharesRow:
    """Locked, and nobody else decides on shares of its host model."""
    repository.VERSIONS.hold(session, _found(session, shares_id).host_model)
    return _found(session, shares_id, lock=True)


def _why_not(session: Session, row: SharesRow) -> str | None:
    if row.state == SharesState.PROMOTED:
        return "they are in use already"
    return _refused(session, row) or _view(session, row).stale


def _refused(session: Session, row: SharesRow) -> str | None:
    """Line and hops have a verdict each, and one of them is enough: but hops alone take no line out of use."""
    measured = MeasuredShares.model_validate(row.measured)
    if measured.refused is None:
        return None
    if measured.hops_refused is not None:
        return f"{measured.refused}; {measured.hops_refused}" if measured.hops else measured.refused
    former = repository.VERSIONS.promoted_of(session, row.host_model, row.nf_type)
    if former is None or former.measured["line"] is None:
        return None
    in_use = f"version {former.version}, which is in use, has one; retire it first to go by the hops of this one alone"
    return f"{measured.refused}, and {in_use}"


def _decide(session: Session, row: SharesRow, state: SharesState, who: Principal) -> None:
    row.state, row.decided_at, row.decided_by = state.value, db_now(session), who.username


def _record(session: Session, row: SharesRow, who: Principal, *, former: SharesRow | None) -> None:
    """`former`: what was in use before."""
    in_use_now = row.state == SharesState.PROMOTED
    action = "shares.promote" if in_use_now else "shares.retire"
    audit.record(
        session,
        who.username,
        action,
        f"shares/{row.id}",
        {"host_model": row.host_model, "nf_type": row.nf_type, "version": row.version},
        name=f"{row.nf_type} on {row.host_model}",
        before={} if former is None else {row.nf_type: f"version {former.version}"},
        after={row.nf_type: f"version {row.version}"} if in_use_now else {},
    )


def _view(session: Session, row: SharesRow) -> SharesVersion:
    """With what the NF type is at now."""
    now = {name: one.version for name, one in types.named(session, [row.nf_type]).items()}
    return views.view(row, now)
