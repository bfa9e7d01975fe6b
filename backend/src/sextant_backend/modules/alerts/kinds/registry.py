"""Every kind of alert there is. A new one is a file of its own and a line here; AlertKind of the domain names it."""

from sextant_domain.console.alerts import AlertKind

from sextant_backend.modules.alerts.kinds import host_stale, operation_failed, slo_violated
from sextant_backend.modules.alerts.kinds.frame import KindSpec

KINDS: dict[AlertKind, KindSpec] = {
    spec.kind: spec for spec in (slo_violated.SPEC, host_stale.SPEC, operation_failed.SPEC)
}
