"""Submit and delete chains."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.kernel_nf import unlimitable, unlimitable_nf
from sextant_domain.chains.match import IPV6
from sextant_domain.chains.nf import WITHOUT_IPV6, NfType
from sextant_domain.plans.intents import PlaceIntent, RemoveIntent
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NameTaken, ValidationFailed
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.references import named_by
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chain_requests import lane_numbers, parts, ties
from sextant_backend.modules.chain_requests.schemas import ChainsSubmitted, ChainSubmitted
from sextant_backend.modules.chains import lifecycle, repository
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.nfs import types as nf_types
from sextant_backend.modules.nfs.catalogue import BY_NAME, MAX_CONFIG_ERRORS, config_errors
from sextant_backend.modules.plans import drafts, unprofiled_types
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans.drafts import RequestDraft
from sextant_backend.modules.secrets import service as secrets


def submit(session: Session, spec: ChainSpec, who: Principal) -> ChainSubmitted:
    """Store the chain and a plan to place it; raises ValidationFailed or NameTaken and stores nothing then."""
    types = nf_types.named(session, {nf.type for nf in spec.nfs}, keep=True)
    _refuse_unfit(session, spec, types)
    spec = secrets.put_aside(session, spec, types, who)
    if not repository.add(session, spec, who.username):
        raise _taken(spec.name)
    artefacts.note_uses(session, spec.name, named_by(spec, types))
    audit.record(session, who.username, "chain.submit", f"chain/{spec.name}", {"nfs": len(spec.nfs)}, after=spec)
    plan = plans.ask(
        session, PlaceIntent(chain=spec.name), who, waits_for=unprofiled_types.wait_for(session, spec, who)
    )
    return ChainSubmitted(chain=chains.one(session, spec.name), plan_id=plan.id)


def submit_all(session: Session, specs: Sequence[ChainSpec], who: Principal) -> ChainsSubmitted:
    """Store the chains and one plan to place them all; raises ValidationFailed or NameTaken and stores nothing then. In
    statements that do not grow with chains that name neither files nor secrets."""
    types = nf_types.named(session, {nf.type for spec in specs for nf in spec.nfs}, keep=True)
    there = hosts.known_among(session, {end for spec in specs for end in (spec.ingress.host, spec.egress.host) if end})
    without_ipv6 = _without_ipv6(session, specs)
    errors = [*_unfit_together(session, specs, types), *lane_numbers.taken_among(specs), *ties.unlike_among(specs)]
    errors += parts.unfit_among(session, specs)
    tied = ties.known(session, specs)
    for position, spec in enumerate(specs):
        if len(errors) < MAX_CONFIG_ERRORS:
            unfit = (*_unfit(session, spec, types, there, without_ipv6), *ties.unlike(spec, tied))
            errors += _within(f"chains.{position}", unfit)
    if errors:
        raise ValidationFailed.of(errors[:MAX_CONFIG_ERRORS], "Nothing was stored.")
    specs = [secrets.put_aside(session, spec, types, who) for spec in parts.with_tags(session, specs)]
    taken = {spec.name for spec in specs} - repository.add_all(session, specs, who.username)
    if taken:
        raise _taken(min(taken))
    for spec in specs:
        if named := list(named_by(spec, types)):
            artefacts.note_uses(session, spec.name, named)
        audit.record(session, who.username, "chain.submit", f"chain/{spec.name}", {"nfs": len(spec.nfs)}, after=spec)
    first, *more = (spec.name for spec in specs)
    plan = plans.ask(session, PlaceIntent(chain=first, more=tuple(more)), who)
    return ChainsSubmitted(chains=(first, *more), plan_id=plan.id)


def _unfit_together(session: Session, specs: Sequence[ChainSpec], types: Mapping[str, NfType]) -> Iterator[FieldError]:
    """Names that are given twice; and NF types of which the one plan might have to wait for a profile, while all other
    chains would wait with it."""
    seen: set[str] = set()
    unprofiled = unprofiled_types.of(session, types)
    for position, spec in enumerate(specs):
        if spec.name in seen:
            yield FieldError(field=f"chains.{position}.name", message=f"{spec.name} is named twice")
        seen.add(spec.name)
        for index, nf in enumerate(spec.nfs):
            if nf.type in unprofiled:
                message = f"'{nf.type}' is not profiled on every host model; submit this chain by itself"
                yield FieldError(field=f"chains.{position}.nfs.{index}.type", message=message)


def _within(where: str, errors: Iterable[FieldError]) -> Iterator[FieldError]:
    return (error.model_copy(update={"field": f"{where}.{error.field}"}) for error in errors)


def refuse_unfit(session: Session, spec: ChainSpec) -> None:
    """As submitting it would be refused; raises ValidationFailed or NameTaken."""
    types = nf_types.named(session, {nf.type for nf in spec.nfs})
    _refuse_unfit(session, spec, types)
    if repository.living(session, spec.name) is not None:
        raise _taken(spec.name)


def _refuse_unfit(session: Session, spec: ChainSpec, types: Mapping[str, NfType]) -> None:
    there = hosts.known_among(session, {end for end in (spec.ingress.host, spec.egress.host) if end is not None})
    errors = [
        *_unfit(session, spec, types, there, _without_ipv6(session, [spec])),
        *ties.unlike(spec, ties.known(session, [spec])),
        *parts.alone(spec),
    ]
    if errors:
        raise ValidationFailed.of(errors, "Nothing was stored.")


def _without_ipv6(session: Session, specs: Iterable[ChainSpec]) -> dict[str, str]:
    """Of the hosts that chains of IPv6 name, those that cannot match it, with the reason."""
    ends = (end for spec in specs if spec.ingress.match.version == 6 for end in (spec.ingress.host, spec.egress.host))
    return hosts.lacking(session, {end for end in ends if end is not None}, IPV6)


def _taken(name: str) -> NameTaken:
    return NameTaken.of("chain", name, "delete that chain", f"sextant chains show {name}")


def _unfit(
    session: Session,
    spec: ChainSpec,
    types: Mapping[str, NfType],
    there: Collection[str],
    without_ipv6: Mapping[str, str],
) -> Iterator[FieldError]:
    """What a chain names that does not exist, and what its configurations have wrong. `there`: of the hosts that it
    names, those that are enrolled. `without_ipv6`: those that cannot match it, with the reason."""
    for index, nf in enumerate(spec.nfs):
        known = types.get(nf.type)
        if known is None:
            has = f"the catalogue has {', '.join(BY_NAME)}, and what was registered (sextant nf-types list)"
            yield FieldError(field=f"nfs.{index}.type", message=f"there is no NF type '{nf.type}'; {has}")
        else:
            yield from config_errors(known, nf.config, f"nfs.{index}.config")[:MAX_CONFIG_ERRORS]
            yield from unlimitable_nf(nf, known.runs, f"nfs.{index}")
            if spec.ingress.match.version == 6 and known.runs in WITHOUT_IPV6:
                message = f"'{nf.type}' {WITHOUT_IPV6[known.runs]}; leave it out, or match IPv4 prefixes"
                yield FieldError(field=f"nfs.{index}.type", message=message)
    yield from unlimitable(spec, {nf.name: types[nf.type].runs for nf in spec.nfs if nf.type in types})
    if named := list(named_by(spec, types)):
        yield from artefacts.config_violations(session, named)
    yield from secrets.unknown(session, spec, types)
    yield from lane_numbers.taken(session, spec)
    for where, host in (("ingress.host", spec.ingress.host), ("egress.host", spec.egress.host)):
        if host is not None and host not in there:
            yield FieldError(field=where, message=f"no host {host} is enrolled; leave it out to let the engine choose")
    if spec.ingress.match.version == 6:
        for host in sorted({spec.ingress.host or "", spec.egress.host or ""} & set(without_ipv6)):
            why = f"{host} cannot match IPv6: {without_ipv6[host]}"
            message = f"{why}; name another host, leave it out to let the engine choose, or match IPv4 prefixes"
            yield FieldError(field="ingress.match.src_prefix", message=message)


def found_for_change(session: Session, name: str, *, lanes: bool = False) -> ChainRow:
    """The chain's row, locked after its hosts (workers lock in that order); raises NotFound. `lanes`: of all
    its lanes, too."""
    spec = ChainSpec.model_validate(chains.found(session, name).spec)
    names = list(spec.part.names if spec.part is not None else [name])
    if lanes:
        names += [lane.name for lane in repository.lanes_of(session, name)]
    for host in repository.hosts_of(session, *names):
        hosts.get(session, host, lock=True)
    return chains.found(session, name, lock=True)


def draft_removal(session: Session, name: str, *, lanes: bool) -> RequestDraft | None:
    """What deleting the chain would do, computed before anything is locked; None where it is placed nowhere."""
    intent = _removal(session, ChainSpec.model_validate(chains.found(session, name).spec), lanes=lanes)
    used = repository.hosts_of(session, *intent.chains)
    return drafts.draft(session, intent, used) if used else None


def delete(session: Session, row: ChainRow, drafted: RequestDraft | None, who: Principal, *, lanes: bool) -> int | None:
    """Take the (locked) chain off its hosts, with all its parts, and with its further `lanes`: the id of the operation,
    or None where nothing was placed.

    A chain that is nowhere is gone at once. Otherwise the plan is stored and applied in this transaction: whoever
    deletes a chain needs no second approval. Raises PartOfChain, ValidationFailed where lanes of a further lane are
    named, HostBusy where an operation is at work on the chain or its hosts, FleetMovedOn, and PlanNotApplicable where
    the engine refuses.
    """
    intent = _removal(session, ChainSpec.model_validate(row.spec), lanes=lanes)
    detail = {"with": list(intent.more)} if lanes else None
    audit.record(session, who.username, "chain.delete", f"chain/{row.name}", detail, before=row.spec)
    plans.refuse_unfinished(session, row)
    used = repository.hosts_of(session, *intent.chains)
    operation_id = drafts.apply(session, drafted, intent, used, who).id if used else None
    for name in sorted(set(intent.chains) - repository.placed_of(session, intent.chains).keys()):
        lifecycle.remove(session, name)
    return operation_id


def _removal(session: Session, spec: ChainSpec, *, lanes: bool) -> RemoveIntent:
    """Of all that goes together."""
    names = parts.whole(spec)
    lane = spec.traffic.lane
    if lanes and lane is not None and lane.of != spec.name:
        message = f"{spec.name} is {lane.text}: ask it of {lane.of}, or leave this out to delete this lane alone"
        raise ValidationFailed.of([FieldError(field="lanes", message=message)], "Nothing was changed.")
    further = [one.name for one in repository.lanes_of(session, spec.name)] if lanes else []
    return RemoveIntent(chain=spec.name, more=(*names[1:], *(name for name in further if name not in names)))
