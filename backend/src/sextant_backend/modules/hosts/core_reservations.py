"""Cores that operators keep from NFs, in addition to those that an agent reserves: stored with the host, and part of
its inventory from then on, whatever its agent reports. An NF that stands on such a core stays until a plan moves it."""

from datetime import datetime

from sextant_domain.hosts.host import HostInventory, ReservedCore, ReservedCoresRequest, ReservedFor
from sextant_domain.naming import few
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import SextantError, ValidationFailed
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.hosts.views import overlaid, reserved_cores_of


class NoCoreLeft(SextantError):
    """The host would have no core for NFs."""

    kind, status, title = "no-core-left", 409, "No core would be left for NFs"


def set_all(session: Session, host: Host, wanted: ReservedCoresRequest, actor: str) -> None:
    """Reserve exactly the wanted cores of the (locked) host. Raises ValidationFailed or NoCoreLeft."""
    before = reserved_cores_of(host)
    known = {one.core: one for one in before}
    cores = sorted(set(wanted.cores))
    if cores == [one.core for one in before]:
        return
    added = [core for core in cores if core not in known]
    inventory = _inventory(host)
    if added:
        _refuse_unfit(inventory, wanted, added)
    at = db_now(session)
    after = tuple(known.get(core) or _new(core, wanted.reason or "", actor, at) for core in cores)
    reserved = inventory.reserving(cores)
    if added and not reserved.cores_for_nfs:
        raise NoCoreLeft(
            f"{host.host_id} would have no core left for NFs: {_few(inventory.cores_for_nfs)} would be the last. "
            "Nothing was changed.",
            next_actions=[
                NextAction(
                    label="Cordon the host, so that no NF starts or moves there",
                    command=f"sextant hosts cordon {host.host_id} --reason '...'",
                )
            ],
        )
    host.reserved_cores = [one.model_dump(mode="json") for one in after]
    if host.inventory is not None:
        host.inventory = overlaid(host, inventory).model_dump(mode="json")
    host.version += 1
    audit.record(
        session,
        actor,
        "host.reserve-cores",
        f"host/{host.host_id}",
        {"reason": wanted.reason} if added else None,
        before=_kept(before),
        after=_kept(after),
    )
    service.publish(session, host.host_id)


def _inventory(host: Host) -> HostInventory:
    if host.inventory is None:
        raise ValidationFailed(
            f"{host.host_id} has not reported its cores yet. Nothing was changed.",
            errors=[
                FieldError(field="cores", message="the host has not reported its cores yet; start its agent first")
            ],
        )
    return HostInventory.model_validate(host.inventory)


def _refuse_unfit(inventory: HostInventory, wanted: ReservedCoresRequest, added: list[int]) -> None:
    """Cores that no operator can reserve, and a reason that is missing."""
    by_id = {core.id: core for core in inventory.cores}
    errors = []
    for index, number in enumerate(wanted.cores):
        core = by_id.get(number)
        if number not in added:
            continue
        if core is None:
            message = f"{inventory.host_id} has no core {number}; it has {_few(tuple(sorted(by_id)))}"
            errors.append(FieldError(field=f"cores.{index}", message=message))
        elif core.reserved_for not in (None, ReservedFor.OPERATOR):
            message = f"core {number} is {core.reserved_for.text} by its agent, so no NF gets it anyway"
            errors.append(FieldError(field=f"cores.{index}", message=message))
    if wanted.reason is None:
        errors.append(FieldError(field="reason", message="say why; it is shown with the host"))
    if errors:
        raise ValidationFailed.of(errors, "Nothing was changed.")


def _new(core: int, reason: str, actor: str, at: datetime) -> ReservedCore:
    return ReservedCore(core=core, reason=reason, by=actor, since=at)


def _few(cores: tuple[int, ...]) -> str:
    return f"core{'' if len(cores) == 1 else 's'} {few(cores, 8)}"


def _kept(cores: tuple[ReservedCore, ...]) -> dict[str, object]:
    """By core, so that what differs is told core by core."""
    return {"reserved_cores": {str(one.core): f"{one.reason} ({one.by})" for one in cores}}
