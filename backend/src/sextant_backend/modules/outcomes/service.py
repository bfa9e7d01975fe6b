"""Outcomes and trust, read; outcomes are written where predictions are tested."""

from datetime import timedelta

from sextant_domain.console.views import Page
from sextant_domain.hosts.sharing import sharing_of
from sextant_domain.plans.trust import Outcome, Trust
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Paging
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.outcomes import outcome_evaluation, repository, views
from sextant_backend.modules.outcomes import trust as trusted
from sextant_backend.settings import get_settings


def page(session: Session, asked: Paging, chain: str | None, plan: int | None, nf_type: str | None) -> Page[Outcome]:
    """A page of outcomes."""
    found = repository.page(session, asked, chain=chain, plan=plan, nf_type=nf_type)
    return found.page(views.outcome(row) for row in found.rows)


def trust(session: Session, nf_type: str | None, host_model: str | None) -> tuple[Trust, ...]:
    """Of every promoted model of the fleet's host models, tested or not, and of assumed ones that were tested; by NF
    type, host model and predictor."""
    inventories = hosts.inventories_by_kind(session)
    cores = in_use.cores_of(inventories)
    in_force = in_use.predictors(session, cores, types.every(session))
    keys = [
        key
        for key in trusted.keys(in_force, sharing_of(inventories))
        if nf_type in (None, key.nf_type) and host_model in (None, key.host_model)
    ]
    promoted = {(one.nf_type, one.host_model) for one in in_force.models if one.nf_version is not None}
    found = trusted.tested(session, keys)
    untested = {
        key: outcome_evaluation.trust_of(key, (), 0, None, get_settings().trust_band_percent)
        for key in keys
        if key not in found and (key.nf_type, key.host_model) in promoted
    }
    return tuple(sorted({**found, **untested}.values(), key=lambda one: (one.nf_type, one.host_model, one.predictor)))


def forget_old(session: Session) -> int:
    """Drop outcomes that are older than the setting allows; returns how many."""
    return repository.forget_old(session, timedelta(days=get_settings().outcome_retention_days))
