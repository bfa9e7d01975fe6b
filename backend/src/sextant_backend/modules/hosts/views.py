"""Hosts as the console shows them."""

from sextant_domain.base import Provenance
from sextant_domain.console.views import HostView
from sextant_domain.hosts.drift import DriftMark
from sextant_domain.hosts.host import Cordon, CoreSlots, HostInventory, HostStatus, ReservedCore
from sextant_domain.hosts.telemetry import CoreSample, NodeSample

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.hosts.repository import Row
from sextant_backend.modules.telemetry import texts


def view(row: Row) -> HostView:
    """A host with its latest figures."""
    host, latest, controls = row
    inventory = HostInventory.model_validate(host.inventory) if host.inventory else None
    simulated = inventory is not None and inventory.simulated
    assumed = Provenance.SIMULATED if simulated else Provenance.MEASURED
    return HostView(
        host_id=host.host_id,
        labels=host.labels,
        status=HostStatus(host.status),
        status_reason=host.status_reason,
        status_since=host.status_since,
        last_seen_at=latest.heard_at if latest else None,
        registered_at=host.registered_at,
        revoked_at=host.revoked_at,
        cordon=cordon_of(host),
        reserved_cores=reserved_cores_of(host),
        core_slots=core_slots_of(host, inventory),
        drift=drift_of(host),
        inventory=inventory,
        desired_generation=host.desired_generation,
        applied_generation=latest.applied_generation if latest else 0,
        provenance=Provenance(latest.provenance) if latest and latest.provenance else assumed,
        sampled_at=latest.taken_at if latest else None,
        cores=tuple(CoreSample.model_validate(core) for core in latest.cores) if latest else (),
        nodes=tuple(NodeSample.model_validate(node) for node in latest.nodes) if latest else (),
        throughput_mpps=latest.throughput_mpps if latest else None,
        controls=texts.CONTROLS.validate_python(controls.controls) if controls else (),
        version=host.version,
    )


def cordon_of(host: Host) -> Cordon | None:
    """Why no NF may start or move there, by whom and since when; None for a host in service."""
    if host.cordoned_at is None or host.cordoned_by is None or host.cordon_reason is None:
        return None
    return Cordon(reason=host.cordon_reason, by=host.cordoned_by, since=host.cordoned_at)


def reserved_cores_of(host: Host) -> tuple[ReservedCore, ...]:
    """Cores that operators keep from NFs, by number."""
    return tuple(ReservedCore.model_validate(one) for one in host.reserved_cores)


def core_slots_of(host: Host, inventory: HostInventory | None) -> CoreSlots | None:
    """How many NFs share a core by an operator's word, and why not at present; None where its agent determines it."""
    if host.core_slots is None:
        return None
    wanted = CoreSlots.model_validate(host.core_slots)
    not_met = None if inventory is None else inventory.why_no_slots(wanted.slots)
    return wanted.model_copy(update={"not_met": not_met})


def overlaid(host: Host, inventory: HostInventory) -> HostInventory:
    """What an agent reports of its machine, with all that operators have set of its cores: the only place."""
    reserved = inventory.reserving({one.core for one in reserved_cores_of(host)})
    return reserved.with_slots(host.core_slots["slots"] if host.core_slots else None)


def drift_of(host: Host) -> DriftMark | None:
    """How its reports differ from its order; None where they agree, or have differed for a moment only."""
    if host.drift is None or not host.drift["lasting"]:
        return None
    return DriftMark(since=host.drift["since"], summary=host.drift["summary"])
