"""Which living chains an intent names, and whether all that it names is there."""

from sextant_domain.plans.assumptions import RELAXABLE, AssumptionKind
from sextant_domain.plans.intents import (
    AlignIntent,
    DrainIntent,
    Intent,
    LaneIntent,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    ReplaceIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.operations import undo
from sextant_backend.modules.plans import lanes


def chains_of(session: Session, intent: Intent) -> list[str]:
    """The living chains that an intent names; raises ValidationFailed where what it names does not exist."""
    if isinstance(intent, AlignIntent | DrainIntent | ReplaceIntent):
        return _chains_on_host(session, intent)
    if isinstance(intent, RestoreIntent):
        work = undo.hosts_of(session, intent.operation_id, intent.hosts)
        return sorted({chain for row in work for chain in row.chains})
    if isinstance(intent, MigrateIntent):
        chain = intent.nf_id.split(".")[0]
        placed = {row.nf_id for row in chains.placed_nfs(session, chain=chain)}
        if intent.nf_id not in placed:
            raise _unknown("intent.nf_id", f"no NF {intent.nf_id} is placed")
        if hosts_repository.get(session, intent.host) is None:
            raise _unknown("intent.host", f"no host {intent.host} is enrolled")
        return [chain]
    if isinstance(intent, ResourceIntent):
        return _chains_of_nfs(session, intent)
    if isinstance(intent, LaneIntent):
        return lanes.chains_of(session, intent)
    names = intent.chains
    there = chains.living_names(session, names)
    for position, name in enumerate(names):
        if name not in there:
            more = "exchange" if isinstance(intent, RelocateIntent) else "more"
            field = "intent.chain" if position == 0 else f"intent.{more}.{position - 1}"
            raise _unknown(field, f"there is no chain {name}")
    if isinstance(intent, PlaceIntent):
        _assumed_exist(session, intent)
    if isinstance(intent, RelocateIntent) and hosts_repository.get(session, intent.host) is None:
        raise _unknown("intent.host", f"no host {intent.host} is enrolled")
    return sorted(there)


def _assumed_exist(session: Session, intent: PlaceIntent) -> None:
    for position, one in enumerate(intent.assume):
        field = f"intent.assume.{position}.name"
        match one.kind:
            case AssumptionKind.REMOVED:
                if one.name in intent.chains:
                    raise _unknown(field, f"{one.name} is to be placed, so it cannot be removed, too")
                if chains.living(session, one.name) is None:
                    raise _unknown(field, f"there is no chain {one.name}")
            case AssumptionKind.WITHOUT:
                if one.name not in RELAXABLE:
                    raise _unknown(field, f"only {', '.join(sorted(RELAXABLE))} can be done without")
            case AssumptionKind.TOGETHER:
                groups = chains.groups_of(session, set(intent.chains)).values()
                if one.name not in {group.group for group in groups}:
                    raise _unknown(field, f"no chain that is to be placed is of anti-affinity group {one.name}")
            case _:
                if hosts_repository.get(session, one.name) is None:
                    raise _unknown(field, f"no host {one.name} is enrolled")


def refuse_unknown_kept(session: Session, intent: ReplaceIntent) -> None:
    """Of what a person names: raises ValidationFailed. Of what a law keeps, a chain may have gone meanwhile."""
    for position, chain in enumerate(intent.keep):
        if chains.living(session, chain) is None:
            raise _unknown(f"intent.keep.{position}", f"there is no chain {chain}")


def _chains_on_host(session: Session, intent: AlignIntent | DrainIntent | ReplaceIntent) -> list[str]:
    if intent.host is not None and hosts_repository.get(session, intent.host) is None:
        raise _unknown("intent.host", f"no host {intent.host} is enrolled")
    if isinstance(intent, ReplaceIntent):
        return []
    if isinstance(intent, DrainIntent):
        return sorted({row.chain for row in chains.placed_nfs(session, host=intent.host)})
    # Those with a difference: of what runs there and is no chain of this console nothing is named.
    accepted = () if intent.accepted is None else intent.accepted.chains
    named = {one.chain for one in intent.differences} | {chain.chain for chain in accepted}
    return [spec.name for spec in chains.specs(session, sorted(named))]


def _chains_of_nfs(session: Session, intent: ResourceIntent) -> list[str]:
    """All that are not placed are named at once."""
    named = list(intent.named_chains)
    found = chains.placed_of(session, named)
    placed = {row.nf_id for rows in found.values() for row in rows}
    named_nfs = [(nf_id, "resources") for nf_id in intent.resources] + [(nf_id, "seats") for nf_id in intent.seats]
    absent = sorted((nf_id, where) for nf_id, where in named_nfs if nf_id not in placed)
    missing = sorted({nf_id for nf_id, _ in absent})
    if absent:
        errors = [
            FieldError(field=f"intent.{where}.{nf_id}", message=f"no NF {nf_id} is placed") for nf_id, where in absent
        ]
        message = f"Refused: no NF {', '.join(missing)} is placed; `sextant nfs list` shows those that are."
        raise ValidationFailed(f"{message} Nothing was changed.", errors=errors)
    named_whole = [(name, "chains") for name in intent.chains] + [(name, "bounds") for name in intent.bounds]
    unplaced = sorted((name, where) for name, where in named_whole if name not in found)
    idle = sorted({name for name, _ in unplaced})
    if unplaced:
        errors = [
            FieldError(field=f"intent.{where}.{name}", message=f"no NF of {name} is placed") for name, where in unplaced
        ]
        message = f"Refused: no NF of {', '.join(idle)} is placed; `sextant chains list` shows the chains that run."
        raise ValidationFailed(f"{message} Nothing was changed.", errors=errors)
    return named


def _unknown(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(
        f"Refused: {message}. Nothing was changed.", errors=[FieldError(field=field, message=message)]
    )
