"""NFs of a group file as chains: from each service that nobody hands packets to, along `-d`, to an NF that sends out;
pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant_domain.problem import FieldError

from sextant_backend.modules.opennetvm.group_file import MAX_ERRORS, BadGroup, GroupFile, GroupNf, refusal


@dataclass(frozen=True, slots=True)
class LinkedChain:
    """NFs in the order in which packets pass them."""

    nfs: tuple[GroupNf, ...]
    """Without the way out."""
    name: str | None
    """By the file's marks."""
    nf_names: tuple[str | None, ...]


def link(group: GroupFile) -> list[LinkedChain]:
    """By the service that a chain begins with. Raises BadGroup: loops, branches, missing destinations."""
    by_service, errors = _services(group.nfs)
    fed: dict[int, GroupNf] = {}
    for nf in group.nfs:
        after = nf.meaning.next_service
        if after is None:
            continue
        if after not in by_service:
            errors.append(refusal(nf.at, f"-d {after}: no NF of this file has that service"))
        elif after in fed:
            what = f"-d {after}: {fed[after].at} hands packets to that service, too: chains that join are not known"
            errors.append(refusal(nf.at, what))
        else:
            fed[after] = nf
    if not errors:
        errors += _loops(by_service, fed.keys() & by_service.keys())
    if errors:
        raise BadGroup(errors[:MAX_ERRORS])
    starts = sorted(by_service.keys() - fed.keys())
    chains = [_marked(group, tuple(_along(by_service, start))) for start in starts]
    _refuse_equal_names(chains)
    return chains


def _services(nfs: Sequence[GroupNf]) -> tuple[dict[int, GroupNf], list[FieldError]]:
    by_service: dict[int, GroupNf] = {}
    errors = []
    for nf in nfs:
        other = by_service.setdefault(nf.service, nf)
        if other is not nf:
            what = (
                f"service {nf.service} is that of {other.at}, too: OpenNetVM shares packets out among them, and a chain"
                " has one NF at each place"
            )
            errors.append(refusal(nf.at, what))
    return by_service, errors


def _along(by_service: dict[int, GroupNf], start: int) -> Iterator[GroupNf]:
    after: int | None = start
    while after is not None:
        yield by_service[after]
        after = by_service[after].meaning.next_service


def _loops(by_service: dict[int, GroupNf], fed: set[int]) -> Iterator[FieldError]:
    """Each has one way in at most here: what no start leads to is a loop."""
    left = set(by_service)
    for start in by_service.keys() - fed:
        left -= {nf.service for nf in _along(by_service, start)}
    while left:
        first = min(left)
        loop = [first]
        while (after := by_service[loop[-1]].meaning.next_service) not in {first, None}:
            loop.append(after)
        left -= set(loop)
        way = " -> ".join(map(str, [*loop, first]))
        yield refusal(by_service[first].at, f"services {way} are a loop: a chain ends with basic_monitor")


def _marked(group: GroupFile, nfs: tuple[GroupNf, ...]) -> LinkedChain:
    marks = group.marks
    if len(nfs) > 1 and marks.get(nfs[-1].service, "") is None:
        nfs = nfs[:-1]
    ids = [(marks.get(nf.service) or "").partition(".") for nf in nfs]
    names = {chain for chain, _, _ in ids if chain}
    if len(names) > 1:
        what = f"is of chain {ids[0][0] or min(names)} by its links, but globals name {', '.join(sorted(names))}"
        raise BadGroup([refusal(nfs[0].at, what)])
    return LinkedChain(nfs, next(iter(names), None), tuple(nf or None for _, _, nf in ids))


def _refuse_equal_names(chains: Sequence[LinkedChain]) -> None:
    named: dict[str, LinkedChain] = {}
    for chain in chains:
        if chain.name is not None and named.setdefault(chain.name, chain) is not chain:
            other = named[chain.name].nfs[0].at
            raise BadGroup([refusal(chain.nfs[0].at, f"globals name its chain {chain.name}, as that of {other}")])
