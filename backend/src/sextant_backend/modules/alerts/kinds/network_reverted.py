"""A network that assigned cores was found worse than round robin, and reverted by itself."""

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.studies.networks import PromotionEnd
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.networks import repository, views


def observe(session: Session, _look: Look) -> Findings:
    """For as long as none is promoted anew for as many cores."""
    bad, now = {}, db_now(session)
    for row in repository.newest_of_each(session):
        found = views.promotion(row)
        rests, verdict = found.rests_until, found.verdict
        if found.ended is not PromotionEnd.WORSE or verdict is None or rests is None or now >= rests:
            continue
        bad[verdict.host] = Condition(
            f"The network that assigned cores of {verdict.host} was reverted",
            f"{100 * verdict.served:.1f} % of the packets came out of its chains, and round robin would have served "
            f"{100 * verdict.round_robin:.1f} %, in three spans of ten seconds one after another. Shared cores are "
            f"assigned by calibrated or min_max again; no network is promoted for {found.cores} cores before "
            f"{rests:%Y-%m-%d %H:%M} UTC. NFs stand where they stood.",
            f"sextant plans ask --host {verdict.host} --algorithm min_max --max-moves 2",
        )
    return Findings(bad)


SPEC = KindSpec(
    kind=AlertKind.NETWORK_REVERTED,
    title="Network reverted",
    summary="A promoted network of sfc2cpu was worse than round robin on a host, and was reverted within the last hour",
    object_kind=AlertObjectKind.HOST,
    severity=AlertSeverity.WARNING,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=10.0,
)
