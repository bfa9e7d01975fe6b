"""Which model versions plans use: an operator promotes, and the former ones retire in the same transaction."""

from collections.abc import Sequence
from typing import NamedTuple

from sextant_domain.problem import NextAction
from sextant_domain.profiling.fit import FitState, ModelState, PromotionChange, PromotionPreview, PromotionSkip
from sqlalchemy.orm import Session

from sextant_backend.domain_events import ModelsPromoted, announce
from sextant_backend.kit.db import db_now
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.models import in_use, repository, views
from sextant_backend.modules.models.errors import NotPromotable
from sextant_backend.modules.models.models import FitRow, ModelVersionRow
from sextant_backend.modules.models.views import Versions

PROFILE_AGAIN = NextAction(label="Profile the NF type again, and promote the fit that comes of it")
PROMOTE_WHOLE = NextAction(label="Promote the whole fit: its models share one metric and scale")


def preview(session: Session, row: FitRow, nf_types: Sequence[str] | None, versions: Versions) -> PromotionPreview:
    """What `promote` would do; raises NotPromotable as it would."""
    chosen, reasons, former, strangers = _what(session, row, nf_types, versions)
    now = {one.nf_type: one.fit_id for one in former}
    names = [model.nf_type for model in chosen]
    return PromotionPreview(
        promotes=tuple(PromotionChange(nf_type=name, fit_id=now.get(name)) for name in names),
        retires=tuple(PromotionChange(nf_type=one.nf_type, fit_id=one.fit_id) for one in strangers),
        skips=tuple(PromotionSkip(nf_type=name, why=why) for name, why in sorted(reasons.items())),
    )


def promote(session: Session, row: FitRow, nf_types: Sequence[str] | None, versions: Versions, who: Principal) -> None:
    """Let plans use models of a (locked) fit: those named, or None: all that can be used.

    Models of other NF types that are in use with another metric or scale retire where the whole fit is promoted: an
    index sums over NF types, so their weights must be of one scale. Plans that wait for one of them go on.
    Raises NotPromotable with a reason for each NF type, and changes nothing then.
    """
    repository.hold(session, row.host_model)
    chosen, _, in_use, strangers = _what(session, row, nf_types, versions)
    now = db_now(session)
    types = {model.nf_type for model in chosen}
    retiring = [one for one in in_use if one.fit_id != row.id and (one.nf_type in types or one in strangers)]
    for former in retiring:
        former.state = ModelState.RETIRED.value
    session.flush()  # the index on promoted versions allows one an NF type
    for model in chosen:
        model.state, model.decided_at, model.decided_by = ModelState.PROMOTED.value, now, who.username
    row.tested = False
    _count(session, {row.id, *(former.fit_id for former in retiring)})
    audit.record(
        session,
        who.username,
        "fit.promote",
        f"fit/{row.id}",
        {
            "host_model": row.host_model,
            "promoted": ", ".join(sorted(types)),
            "retired": ", ".join(sorted(f"{one.nf_type} of fit {one.fit_id}" for one in retiring)) or "none",
        },
        name=row.host_model,
        before={one.nf_type: f"fit {one.fit_id}" for one in retiring},
        after={one.nf_type: f"fit {one.fit_id}" for one in chosen},
    )
    announce(session, ModelsPromoted(frozenset(types)))


class _What(NamedTuple):
    """What a promotion comes to."""

    chosen: list[ModelVersionRow]
    reasons: dict[str, str]
    """NF type -> why its model stays out of use."""
    former: Sequence[ModelVersionRow]
    strangers: list[ModelVersionRow]
    """Of those in use that are not replaced, the ones with another metric or scale."""


def _what(session: Session, row: FitRow, nf_types: Sequence[str] | None, versions: Versions) -> _What:
    models = repository.versions_of(session, [row.id], body=True).get(row.id, [])
    former = in_use.rows(session, [row.host_model])
    chosen, reasons = _chosen(row, models, nf_types, versions)
    strangers = _of_another_scale(session, row, former, {model.nf_type for model in chosen})
    if strangers and nf_types is not None:
        raise NotPromotable(row.id, _mixed(row, chosen, strangers), PROMOTE_WHOLE)
    return _What(chosen, reasons, former, strangers)


def _chosen(
    row: FitRow, models: Sequence[ModelVersionRow], nf_types: Sequence[str] | None, versions: Versions
) -> tuple[list[ModelVersionRow], dict[str, str]]:
    if row.state != FitState.DONE:
        reason = "the fit failed" if row.state == FitState.FAILED else "the fit is being made"
        raise NotPromotable(row.id, {row.host_model: reason}, NextAction(label="Wait for a fit that is done"))
    found = {model.nf_type: model for model in models}
    wanted = list(found) if nf_types is None else sorted(set(nf_types))
    reasons = {name: why for name in wanted if (why := _why_not(found.get(name), versions)) is not None}
    chosen = [found[name] for name in wanted if name not in reasons]
    if reasons and (nf_types is not None or not chosen):
        raise NotPromotable(row.id, reasons, PROFILE_AGAIN)
    if not chosen:
        raise NotPromotable(row.id, {row.host_model: "it made no model"}, PROFILE_AGAIN)
    return chosen, reasons


def _why_not(model: ModelVersionRow | None, versions: Versions) -> str | None:
    if model is None:
        return "the fit has no model of it"
    if model.state == ModelState.REFUSED:
        return "; ".join(views.version_view(model, versions, held_out=False).refusals) or "it has no usable model"
    return views.stale(model, versions)


def _of_another_scale(
    session: Session, row: FitRow, in_use: Sequence[ModelVersionRow], replaced: set[str]
) -> list[ModelVersionRow]:
    """Models in use that stay, of fits with another metric or scale."""
    staying = [one for one in in_use if one.nf_type not in replaced]
    found = {fit_id: repository.get(session, fit_id) for fit_id in {one.fit_id for one in staying}}
    return [
        one
        for one in staying
        if (fit := found[one.fit_id]) is not None and (fit.metric, fit.scale) != (row.metric, row.scale)
    ]


def _mixed(row: FitRow, chosen: Sequence[ModelVersionRow], strangers: Sequence[ModelVersionRow]) -> dict[str, str]:
    others = ", ".join(sorted(f"{one.nf_type} (fit {one.fit_id})" for one in strangers))
    reason = f"its metric and scale ({row.metric} / {row.scale:g}) are not those of the models in use: {others}"
    return {model.nf_type: reason for model in chosen}


def _count(session: Session, fit_ids: set[int]) -> None:
    for fit_id in sorted(fit_ids):
        fit = repository.get(session, fit_id, lock=True)
        if fit is not None:
            fit.version += 1
    session.flush()
