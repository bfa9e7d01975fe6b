"""Which points a job would measure: what is asked, judged; the engine's design; what was measured before."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from pydantic import ValidationError
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import PROFILING, PROFILING_BESIDE_CHAINS, PROFILING_RATES, HostInventory
from sextant_domain.problem import FieldError, NextAction
from sextant_domain.profiling.job import MAX_POINTS, PointPurpose, PointSetting, ProfilingAsk, ProfilingDesign
from sextant_domain.profiling.profile import ProfileRequest
from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.design import MeasuredPoint, design
from sextant_engine.profiling.levels.design import levels_design
from sextant_engine.profiling.points import setting_key
from sextant_engine.profiling.requests import CannotProfile, request_of
from sextant_engine.profiling.room import local_node
from sextant_engine.profiling.shares.design import shares_design
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.references import named_in
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.chosen_points import chosen_for
from sextant_backend.modules.profiling.errors import HostCannotProfile
from sextant_backend.modules.profiling.limits import MOST_ROOMIER
from sextant_backend.modules.profiling.next_point import free_now
from sextant_backend.modules.records import repository as records


@dataclass(frozen=True)
class Point:
    """One of a job, before it is stored."""

    setting: PointSetting
    request: ProfileRequest
    record: int | None = None
    """Where it need not be measured again."""


@dataclass(frozen=True)
class Designed:
    """A job before it starts."""

    design: ProfilingDesign
    """Its points are those to be measured."""
    points: tuple[Point, ...]
    """Those that are known come first."""
    versions: Mapping[str, int]
    """Of every NF type in it."""


def designed(session: Session, ask: ProfilingAsk) -> Designed:
    """Raises ValidationFailed with the field, or HostCannotProfile."""
    catalogue = {nf_type.name: nf_type for nf_type in types.every(session)}
    _refuse_unknown(ask, catalogue)
    inventory, content = _host(session, ask.host)
    ask = ask.playable(inventory.most_flows, at_rates=inventory.why_refused(PROFILING_RATES) is None)
    _refuse_beside_chains(inventory, content)
    free = free_now(inventory, content)
    usual = {PointPurpose(name): mean for name, mean in repository.usual_samples(session, inventory.host_model).items()}
    if ask.levels is not None:
        made = partial(levels_design, ask, inventory, free, catalogue, usual_samples=usual)
    elif ask.shares is not None:
        made = partial(shares_design, ask, inventory, free, catalogue, usual_samples=usual)
    else:
        promoted = in_use.promoted(session, inventory.host_model)
        made = partial(design, ask, inventory, free, catalogue, usual_samples=usual, promoted=promoted)
    try:
        whole = made()
        before = _measured(session, whole, catalogue)
        found = {} if ask.fresh else before.answers
        todo = made(measured=before.records) if before.records else whole
        requests = {point: request_of(point, ask, inventory, free, catalogue) for point in whole.points}
    except CannotProfile as error:
        _refuse(error)
    except ValidationError:
        _refuse_large()
    _refuse_lacking_files(session, whole, catalogue)
    known = [Point(setting, requests[setting], record) for setting, (_, record) in found.items()]
    if chosen_for(ask) is None and (todo.no_model is not None or todo.left_out):
        todo = todo.model_copy(update={"roomier_host": _roomier(session, inventory, free)})
    return Designed(
        design=todo,
        points=(*known, *(Point(setting, requests[setting]) for setting in todo.points)),
        versions={name: catalogue[name].version for name in _types_in(whole)},
    )


def _types_in(whole: ProfilingDesign) -> set[str]:
    in_points = {nf.nf_type for point in whole.points for nf in (*point.chain, *point.downstream, *point.others)}
    return {whole.ask.nf_type, *in_points}


def _roomier(session: Session, inventory: HostInventory, free: FreeCores) -> str | None:
    """The host of that model, and up, with the most free cores where packets arrive; None where none has more."""
    room = {inventory.host_id: len(free[local_node(inventory)])}
    others = hosts_repository.up_of_model(session, inventory.host_model, MOST_ROOMIER)
    for host in (one for one in others if one.host_id != inventory.host_id):
        other = HostInventory.model_validate(host.inventory)
        if other.why_not(PROFILING) is None:
            room[host.host_id] = len(free_now(other, hosts.desired_of(host).content).get(local_node(other), ()))
    best = max(room, key=lambda name: (room[name], name == inventory.host_id))
    return None if best == inventory.host_id else best


@dataclass(frozen=True)
class Before:
    """What was measured before on the host model, as far as it concerns a design."""

    answers: Mapping[PointSetting, tuple[MeasuredPoint, int]]
    """Points with the newest record that answers them at these versions, for this traffic."""
    records: Sequence[MeasuredPoint]
    """All of the NF type, newest first, and those of other types that have a point."""


def _measured(session: Session, whole: ProfilingDesign, catalogue: Mapping[str, NfType]) -> Before:
    wanted = {setting_key(point): point for point in whole.points}
    candidates: dict[Hashable, list[tuple[MeasuredPoint, int]]] = defaultdict(list)
    found_for = chosen_for(whole.ask)
    for record_id, stored, request, versions in records.measured(session, whole.host_model, found_for=found_for):
        setting = PointSetting.model_validate(stored)
        key = setting_key(setting)
        if key in wanted or setting.subject.nf_type == whole.ask.nf_type:
            candidates[key].append((MeasuredPoint.of_request(setting, request, versions), record_id))
    found = {}
    for key, point in wanted.items():
        answers = (one for one in candidates[key] if one[0].answers(point, whole.ask, catalogue))
        if (first := next(answers, None)) is not None:
            found[point] = first
    return Before(found, [measured for same in candidates.values() for measured, _ in same])


def _refuse_unknown(ask: ProfilingAsk, catalogue: Mapping[str, NfType]) -> None:
    named = {"nf_type": ask.nf_type, **{f"competitors.{number}": name for number, name in enumerate(ask.competitors)}}
    errors = [
        FieldError(field=field, message=f"there is no NF type {name}; `sextant nf-types list` shows those that are")
        for field, name in named.items()
        if name not in catalogue
    ]
    if errors:
        raise ValidationFailed(f"Refused because of {errors[0].field}. Nothing was started.", errors=errors)


def _host(session: Session, name: str) -> tuple[HostInventory, HostContent]:
    """What it is, and what it was last ordered to run."""
    row = hosts_repository.get(session, name)
    if row is None:
        error = FieldError(field="host", message=f"no host {name} is enrolled; `sextant hosts` lists those that are")
        raise ValidationFailed("Refused because of host. Nothing was started.", errors=[error])
    if row.revoked_at is not None:
        _refuse_host(name, f"{name} is revoked: {row.status_reason}", f"sextant hosts enrol {name}")
    if row.inventory is None:
        _refuse_host(name, f"{name} has not reported yet; start its agent", f"sextant hosts {name}")
    return HostInventory.model_validate(row.inventory), hosts.desired_of(row).content


def _refuse_beside_chains(inventory: HostInventory, content: HostContent) -> None:
    """Where the host measures only while it carries none: a job would wait for as long as chains run."""
    cannot = inventory.why_refused(PROFILING_BESIDE_CHAINS)
    if cannot is not None and content.chains:
        names = ", ".join(sorted(chain.chain for chain in content.chains))
        why = f"{inventory.host_id} measures only while it carries no chain ({cannot}), and carries {names}"
        _refuse_host(inventory.host_id, f"{why}: delete them first, or choose another host")


def _refuse_host(name: str, why: str, command: str | None = None) -> NoReturn:
    raise HostCannotProfile(
        f"{why}. Nothing was started.",
        errors=[FieldError(field="host", message=why)],
        next_actions=[NextAction(label=f"See what is known of {name}", command=command or f"sextant hosts {name}")],
    )


def _refuse(error: CannotProfile) -> NoReturn:
    if error.field == "host":
        raise HostCannotProfile(
            f"{error.message}. Nothing was started.", errors=[FieldError(field="host", message=error.message)]
        ) from error
    errors = [FieldError(field=error.field, message=error.message)]
    raise ValidationFailed(f"Refused because of {error.field}. Nothing was started.", errors=errors) from error


def _refuse_large() -> NoReturn:
    message = f"the design has more than {MAX_POINTS} points: name fewer competitors, or lower most_competitors"
    raise ValidationFailed(
        f"Refused: {message}. Nothing was started.", errors=[FieldError(field="competitors", message=message)]
    )


def _refuse_lacking_files(session: Session, whole: ProfilingDesign, catalogue: Mapping[str, NfType]) -> None:
    """Files that the types' configurations name must be stored: they are sent to the host before a point is."""
    named = [
        one
        for name in sorted(_types_in(whole))
        for one in named_in(catalogue[name], catalogue[name].default_config(), name)
    ]
    errors = list(artefacts.config_violations(session, named))
    if errors:
        raise ValidationFailed(f"Refused because of {errors[0].field}. Nothing was started.", errors=errors)
