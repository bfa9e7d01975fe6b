"""How many NFs share a core of a host, set by an operator in place of what its agent offers: stored with the host, and
part of its inventory from then on, whatever its agent reports. NFs beyond the slots stay until a plan moves them."""

from sextant_domain.hosts.host import CoreSlots, CoreSlotsRequest, HostInventory
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.hosts.views import core_slots_of, overlaid


def set_slots(session: Session, host: Host, wanted: CoreSlotsRequest, actor: str) -> None:
    """Set the slots of every core that the (locked) host offers to NFs. Raises ValidationFailed."""
    before = core_slots_of(host, None)
    if wanted.slots == (before and before.slots):
        return
    _refuse_unfit(host, wanted)
    after = None
    if wanted.slots is not None:
        after = CoreSlots(slots=wanted.slots, reason=wanted.reason or "", by=actor, since=db_now(session))
    host.core_slots = None if after is None else after.model_dump(mode="json", exclude={"not_met"})
    if host.inventory is not None:
        host.inventory = overlaid(host, HostInventory.model_validate(host.inventory)).model_dump(mode="json")
    host.version += 1
    audit.record(
        session,
        actor,
        "host.set-core-slots",
        f"host/{host.host_id}",
        {"reason": wanted.reason} if after else None,
        before=_kept(before),
        after=_kept(after),
    )
    service.publish(session, host.host_id)


def _refuse_unfit(host: Host, wanted: CoreSlotsRequest) -> None:
    """A host that cannot have so many, and a reason that is missing."""
    if wanted.slots is None:
        return
    errors = []
    if host.inventory is None:
        message = "the host has not reported its cores yet; start its agent first"
        errors.append(FieldError(field="slots", message=message))
    elif (why_not := HostInventory.model_validate(host.inventory).why_no_slots(wanted.slots)) is not None:
        errors.append(FieldError(field="slots", message=f"{host.host_id} cannot have {wanted.slots} a core: {why_not}"))
    if wanted.reason is None:
        errors.append(FieldError(field="reason", message="say why; it is shown with the host"))
    if errors:
        raise ValidationFailed.of(errors, "Nothing was changed.")


def _kept(set_to: CoreSlots | None) -> dict[str, object]:
    return {"core_slots": None if set_to is None else f"{set_to.slots}: {set_to.reason} ({set_to.by})"}
