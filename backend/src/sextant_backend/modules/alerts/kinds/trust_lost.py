"""A predictor in use is distrusted: what plans predict with it does not hold, and automation takes itself back."""

import re

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sextant_domain.plans.trust import TrustVerdict
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.outcomes import service as outcomes


def observe(session: Session, look: Look) -> Findings:
    """A model that is not in use any more ends its alert; so does its next version, which is untested at first."""
    in_use = {
        name_of(one.nf_type, one.predictor, one.host_model): one
        for one in outcomes.trust(session, None, None)
        if one.predictor not in PREDICTORS_AT_REST
    }
    bad = {
        name: Condition(
            f"{one.predictor} is distrusted for {one.nf_type} on {one.host_model}",
            f"{one.why}. Plans go on predicting with it, and say so; automatic policies only recommend.",
            f"Profile the NF type again: sextant profile start {one.nf_type}",
        )
        for name, one in in_use.items()
        if one.verdict is TrustVerdict.DISTRUSTED
    }
    tested = {name for name, one in in_use.items() if one.verdict is not TrustVerdict.UNTESTED}
    return Findings(bad, gone=frozenset(look.tracked) - tested)


def name_of(nf_type: str, predictor: str, host_model: str) -> str:
    """`firewall/octans@xeon_2x16`."""
    return f"{nf_type}/{predictor}@{re.sub(r'[^A-Za-z0-9._-]', '_', host_model)}"[:200]


SPEC = KindSpec(
    kind=AlertKind.TRUST_LOST,
    title="Trust lost",
    summary="A predictor in use is distrusted: outcomes of its predictions are outside their intervals or the band",
    object_kind=AlertObjectKind.MODEL,
    severity=AlertSeverity.WARNING,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=300.0,
)
