"""Plans that carry a chain in more or fewer lanes: the chains that they name, and those that they bring into being.

A new lane is a chain of its own from the moment at which its plan is applied; until then nothing is stored of it, so a
plan that is rejected, or a recommendation that is dismissed, leaves nothing behind.
"""

from collections.abc import Iterable

from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.scaling import scaled, why_not_scalable
from sextant_domain.plans.intents import LaneIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import Former
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.references import named_by
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.nfs import types as nf_types
from sextant_backend.modules.plans.errors import PlanNotApplicable


def chains_of(session: Session, intent: LaneIntent) -> list[str]:
    """The lanes that there are; raises ValidationFailed where there is no such chain, or cannot be such lanes."""
    if chains.living(session, intent.chain) is None:
        raise _refused("intent.chain", f"there is no chain {intent.chain}")
    there = chains.lanes_of(session, intent.chain)
    why_not = why_not_scalable(there, intent.chain)
    if why_not is not None:
        raise _refused("intent.chain", why_not)
    names = {spec.name for spec in there}
    waiting = names - {intent.chain} - chains.placed_of(session, names).keys()
    if waiting:
        raise _refused("intent.chain", f"its lane {min(waiting)} runs nowhere: place it, or delete it, first")
    taken = chains.living_names(session, {spec.name for spec in _wanted(there, intent)} - names)
    if taken:
        raise _refused("intent.weights", f"there is a chain {min(taken)} already, no lane of {intent.chain}")
    for lane, host in intent.hosts.items():
        if hosts.get(session, host) is None:
            raise _refused(f"intent.hosts.{lane}", f"no host {host} is enrolled")
    return sorted(names)


def gone(session: Session, operation_id: int, former: Iterable[Former]) -> tuple[ChainSpec, ...]:
    """What lanes asked for that the operation took away and that are there no more."""
    before = {(chain.chain, chain.traffic.lane is not None) for one in former for chain in one.before.chains}
    after = {chain.chain for one in former for chain in one.after.chains}
    taken = {name for name, is_lane in before if is_lane and name not in after}
    return chains.lanes_taken(session, operation_id, taken)


def store_new(session: Session, body: PlanBody, who: Principal) -> None:
    """The chains of lanes that the plan starts, in the transaction that applies it, also of those that an undo brings
    back; raises PlanNotApplicable where a chain has taken such a name since, or the first lane is not what the plan was
    made of."""
    starts = {change.chain for change in body.changes if change.kind is ChangeKind.START}
    if isinstance(body.intent, LaneIntent):
        wanted = _wanted(chains.lanes_of(session, body.intent.chain), body.intent)
    elif isinstance(body.intent, RestoreIntent):
        wanted = chains.lanes_taken(session, body.intent.operation_id, starts)
    else:
        return
    starts -= chains.living_names(session, starts)
    planned = {chain.chain: chain.settings for order in body.target for chain in order.content.chains}
    for spec in wanted:
        if spec.name not in starts:
            continue
        if not spec.settings.agrees_with(planned[spec.name]) or not chains.add(session, spec, who.username):
            raise PlanNotApplicable(
                f"{spec.name}, or the chain that it is a lane of, was changed since the plan was made: plan again. "
                "Nothing was changed."
            )
        types = nf_types.named(session, {nf.type for nf in spec.nfs}, keep=True)
        artefacts.note_uses(session, spec.name, list(named_by(spec, types)))


def _wanted(there: tuple[ChainSpec, ...], intent: LaneIntent) -> tuple[ChainSpec, ...]:
    try:
        return scaled(there, intent.weights, intent.hosts)
    except ValidationError as error:
        raise _refused("intent.weights", str(error.errors()[0]["msg"])) from None


def _refused(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(
        f"Refused: {message}. Nothing was changed.", errors=[FieldError(field=field, message=message)]
    )
