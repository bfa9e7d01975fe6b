"""No two chains are the same lane of one: its flows would be sent twice."""

from collections.abc import Iterator, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.modules.chains import repository

FIELD = "traffic.lane.number"


def taken(session: Session, spec: ChainSpec) -> Iterator[FieldError]:
    """Where another chain is that lane. One of the common name that is in no lanes is the first, and nobody else may
    be: that chain would not know of it when it comes."""
    lane = spec.traffic.lane
    if lane is None:
        return
    for other in repository.lanes_of(session, lane.of):
        number = 1 if other.traffic.lane is None else other.traffic.lane.number
        if _carrier(other) != _carrier(spec) and number == lane.number:
            yield _error(FIELD, other.name, spec)
            return
    if lane.number == 1 and lane.of != _carrier(spec):
        message = f"the first lane of {lane.of} is the chain of that name: call this one {lane.of}, or number it from 2"
        yield FieldError(field=FIELD, message=message)


def taken_among(specs: Sequence[ChainSpec]) -> Iterator[FieldError]:
    """Where two of these chains, which come together, are one lane."""
    seen: dict[tuple[str, int], str] = {}
    for position, spec in enumerate(specs):
        lane = spec.traffic.lane
        if lane is None:
            continue
        other = seen.setdefault((lane.of, lane.number), _carrier(spec))
        if other != _carrier(spec):
            yield _error(f"chains.{position}.{FIELD}", other, spec)


def _carrier(spec: ChainSpec) -> str:
    """What carries a lane: the chain, with all its parts where it passes several hosts."""
    return spec.name if spec.part is None else spec.part.of


def _error(field: str, other: str, spec: ChainSpec) -> FieldError:
    lane = spec.traffic.lane
    which = "" if lane is None else f"lane {lane.number} of {lane.of}"
    return FieldError(field=field, message=f"{other} is {which} already: its flows would be sent twice")
