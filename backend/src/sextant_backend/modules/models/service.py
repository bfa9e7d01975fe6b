"""Fits and model versions: asked for, read, promoted."""

from collections.abc import Sequence
from datetime import timedelta

from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sextant_domain.profiling.fit import FitBrief, FitState, FitView, ModelState, ModelVersion, PromotionPreview
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.models import fit_inputs, fitting, promotion, repository, views
from sextant_backend.modules.models.models import FitRow
from sextant_backend.modules.models.schemas import PromotionRequest
from sextant_backend.modules.records import repository as records
from sextant_backend.settings import get_settings


def ask(session: Session, host_model: str, who: Principal) -> FitBrief:
    """Store a fit to be made and ring for a worker; raises ValidationFailed where nothing was measured."""
    if not records.count(session, host_model):
        known = ", ".join(records.host_models(session)) or "none"
        message = f"nothing was profiled on a host of this model; there are profiles of: {known}"
        raise ValidationFailed(
            f"Refused: {message}. Nothing was stored.",
            errors=[FieldError(field="host_model", message=message)],
            next_actions=[NextAction(label="Profile an NF type there", command="sextant profile start --help")],
        )
    row = fitting.request(session, host_model, who=who.username)
    audit.record(session, who.username, "fit.ask", f"fit/{row.id}", {"host_model": host_model}, name=host_model)
    return views.brief(row, ())


def page(session: Session, asked: Paging, host_model: str | None, state: FitState | None) -> Page[FitBrief]:
    """A page of fits: of one host model, in one state."""
    found = repository.page(session, asked, host_model=host_model, state=state)
    models = repository.versions_of(session, [row.id for row in found.rows])
    return found.page(views.brief(row, models.get(row.id, ())) for row in found.rows)


def found(session: Session, fit_id: int, *, lock: bool = False) -> FitRow:
    """The fit's row with its body; raises NotFound."""
    row = repository.get(session, fit_id, lock=lock, body=True)
    if row is None:
        raise NotFound(f"There is no fit {fit_id}; `sextant models fits` shows those that are.")
    return row


def view(session: Session, row: FitRow) -> FitView:
    """A fit with all that was found."""
    models = repository.versions_of(session, [row.id], body=True).get(row.id, [])
    return views.view(row, models, fit_inputs.nf_versions(session))


def promote(session: Session, row: FitRow, asked: PromotionRequest, who: Principal) -> FitView:
    """Let plans use models of a (locked) fit; raises NotPromotable."""
    promotion.promote(session, row, asked.nf_types, fit_inputs.nf_versions(session), who)
    return view(session, row)


def preview(session: Session, row: FitRow, nf_types: Sequence[str] | None) -> PromotionPreview:
    """What promoting would do; raises NotPromotable."""
    return promotion.preview(session, row, nf_types, fit_inputs.nf_versions(session))


def version_page(
    session: Session, asked: Paging, nf_type: str | None, host_model: str | None, state: ModelState | None
) -> Page[ModelVersion]:
    """A page of model versions without their held-out samples."""
    wanted = state.value if state else None
    found = repository.version_page(session, asked, nf_type=nf_type, host_model=host_model, state=wanted)
    versions = fit_inputs.nf_versions(session)
    return found.page(views.version_view(row, versions, held_out=False) for row in found.rows)


def version(session: Session, version_id: int) -> ModelVersion:
    """One model version; raises NotFound."""
    row = repository.version(session, version_id)
    if row is None:
        raise NotFound(f"There is no model {version_id}; `sextant models list` shows those that are.")
    return views.version_view(row, fit_inputs.nf_versions(session))


def forget_old(session: Session) -> int:
    """Drop fits that are older than the setting allows and of which nothing was ever in use; returns how many."""
    return repository.forget_old(session, timedelta(days=get_settings().fit_retention_days))
