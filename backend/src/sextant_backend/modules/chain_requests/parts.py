"""Chains over several hosts come and go whole; the console gives each a tag, by which hosts tell its packets."""

from collections.abc import Iterator, Sequence

from sextant_domain.chains.chain import ChainSettings, ChainSpec
from sextant_domain.chains.part import Part, wrong_path
from sextant_domain.hosts.way import Obstacle, mtu_of
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError
from sextant_backend.modules.chain_requests.schemas import ChainChange
from sextant_backend.modules.chains import repository
from sextant_backend.modules.hosts import repository as hosts

TOGETHER = "submit all parts together (POST /chains/batches; a chain file with `path` does)"


class PartOfChain(SextantError):
    """Of a chain over several hosts, a part cannot be treated alone."""

    kind, status, title = "part-of-chain", 409, "It is a part of a chain over several hosts"


class NoTagLeft(SextantError):
    """As many chains pass several hosts as packets can be told apart."""

    kind, status, title = "no-tag-left", 409, "No tag is left for a chain over several hosts"


def alone(spec: ChainSpec) -> Iterator[FieldError]:
    """Where one part is submitted without the others."""
    if spec.part is not None:
        yield FieldError(field="part", message=f"{spec.name} is {spec.part.text}: {TOGETHER}")


def traffic_of_another(spec: ChainSpec, change: ChainChange) -> Iterator[FieldError]:
    """Where a change is asked of what enters, of a part that packets do not enter with."""
    if spec.part is None or spec.part.enters:
        return
    for field in ("traffic", "paused"):
        if getattr(change, field) is not None:
            message = f"packets enter with {spec.part.of}: change it there (sextant chains adjust {spec.part.of})"
            yield FieldError(field=field, message=message)


def along(session: Session, spec: ChainSpec, wanted: ChainSettings) -> list[tuple[ChainSpec, ChainSettings]]:
    """Where the first part gets these settings, the other parts, each with its own as they shall be; none where they
    have what is of the whole already."""
    if spec.part is None or not spec.part.enters:
        return []
    others = [(other, other.settings.of_whole(wanted)) for other in repository.specs(session, spec.part.names[1:])]
    return others if any(then != other.settings for other, then in others) else []


def to_place(spec: ChainSpec) -> PlaceIntent:
    """Of a chain that runs nowhere, with all its parts."""
    first, *more = (spec.name,) if spec.part is None else spec.part.names
    return PlaceIntent(chain=first, more=tuple(more))


def unfit_among(session: Session, specs: Sequence[ChainSpec]) -> Iterator[FieldError]:
    """Where parts of a chain are missing of those that come together, or make no path; and where packets cannot go from
    one to the next, by what hosts say of themselves today."""
    known = {spec.name: (position, spec) for position, spec in enumerate(specs)}
    places = hosts.path_places(session, {spec.ingress.host or "" for spec in specs if spec.part is not None})
    for position, spec in enumerate(specs):
        if spec.part is None:
            continue
        of_chain = [known[name] for name in spec.part.names if name in known]
        if len(of_chain) < spec.part.count or any(not _alike(one.part, spec.part) for _, one in of_chain):
            message = f"{spec.name} is {spec.part.text}, and not all {spec.part.count} are among these: {TOGETHER}"
            yield FieldError(field=f"chains.{position}.part", message=message)
        elif spec.settings.of_whole(of_chain[0][1].settings) != spec.settings:
            message = f"packets that enter with {spec.part.of} pass all its parts: give {spec.name} the same traffic"
            yield FieldError(field=f"chains.{position}.traffic", message=message)
        elif spec.part.number == 1:
            wrong = wrong_path([(one.ingress.host or "", len(one.nfs)) for _, one in of_chain])
            if wrong is not None:
                yield FieldError(field=f"chains.{position}.part", message=f"the parts of {spec.name}{wrong}")
                continue
            found = mtu_of([one for _, one in of_chain], places)
            # A host that is not enrolled is said to be so where it stands, of any chain.
            if isinstance(found, Obstacle) and of_chain[found.part][1].ingress.host in places:
                field = f"chains.{of_chain[found.part][0]}.{found.field}"
                yield FieldError(field=field, message=f"{found.reason}; {found.relax}")


def _alike(one: Part | None, other: Part) -> bool:
    return one is not None and (one.of, one.count) == (other.of, other.count)


def with_tags(session: Session, specs: Sequence[ChainSpec]) -> list[ChainSpec]:
    """Each part with its chain's tag, one that no other chain has; raises NoTagLeft. Whoever gives tags does so alone
    until this transaction ends."""
    chains = sorted({spec.part.of for spec in specs if spec.part is not None})
    if not chains:
        return list(specs)
    free = repository.free_tags(session, len(chains))
    if len(free) < len(chains):
        raise NoTagLeft("Delete chains over several hosts that are not needed any more. Nothing was stored.")
    tags = dict(zip(chains, free, strict=True))
    return [_with_tag(spec, tags) for spec in specs]


def _with_tag(spec: ChainSpec, tags: dict[str, int]) -> ChainSpec:
    if spec.part is None:
        return spec
    return spec.model_copy(update={"part": spec.part.model_copy(update={"tag": tags[spec.part.of]})})


def whole(spec: ChainSpec) -> tuple[str, ...]:
    """Chains that go together with it, itself first; raises PartOfChain where it is not the one that they are named
    by."""
    if spec.part is None:
        return (spec.name,)
    if spec.part.number > 1:
        raise PartOfChain(
            f"{spec.name} is {spec.part.text}, and goes with it. Nothing was changed.",
            next_actions=[NextAction(label="Delete the whole chain", command=f"sextant chains delete {spec.part.of}")],
        )
    return spec.part.names
