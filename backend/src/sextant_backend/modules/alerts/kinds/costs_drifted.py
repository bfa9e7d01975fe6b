"""What was measured on a host has left its fitted costs: plans go by loads alone there."""

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.host_costs import repository, views


def observe(session: Session, _look: Look) -> Findings:
    """A new version ends it."""
    drifted = [host for host, _, drifted_at in repository.marks(session) if drifted_at is not None]
    bad = {}
    for row in repository.newest_of_each(session, drifted):
        cost = views.host_cost(row)
        off, fitted = 100 * (cost.drift_error or 0.0), 100 * cost.left_out_error
        bad[row.host_id] = Condition(
            f"Packets on {row.host_id} do not cost beside others what was fitted",
            f"In the middle of ten minutes those of {cost.drift_nf} were {off:.0f} % off version {cost.version}, which "
            f"was up to {fitted:.0f} % off in nine of ten of what it was not fitted on. Shared cores are assigned by "
            "loads alone there.",
            f"sextant sfc2cpu fit {row.host_id}",
        )
    return Findings(bad)


SPEC = KindSpec(
    kind=AlertKind.COSTS_DRIFTED,
    title="Fitted costs left",
    summary="What packets cost on a host beside others has left what was fitted there for ten minutes",
    object_kind=AlertObjectKind.HOST,
    severity=AlertSeverity.INFO,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=30.0,
)
