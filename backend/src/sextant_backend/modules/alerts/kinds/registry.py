"""Every kind of alert there is. A new one is a file of its own and a line here; AlertKind of the domain names it."""

from sextant_domain.console.alerts import AlertKind

from sextant_backend.modules.alerts.kinds import (
    certificate_expiring,
    costs_drifted,
    disk_filling,
    host_stale,
    law_stopped,
    network_reverted,
    operation_failed,
    slo_burn_rate,
    slo_violated,
    trust_lost,
    way_cut,
)
from sextant_backend.modules.alerts.kinds.frame import KindSpec

KINDS: dict[AlertKind, KindSpec] = {
    spec.kind: spec
    for spec in (
        slo_violated.SPEC,
        slo_burn_rate.SPEC,
        host_stale.SPEC,
        operation_failed.SPEC,
        trust_lost.SPEC,
        certificate_expiring.SPEC,
        disk_filling.SPEC,
        law_stopped.SPEC,
        way_cut.SPEC,
        costs_drifted.SPEC,
        network_reverted.SPEC,
    )
}
