"""What of a host's order differs from what its agent holds and runs: pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sextant_domain.hosts.desired import ActualNf, ActualState, DesiredChain, DesiredHostConfig, DesiredNf, NfState
from sextant_domain.hosts.drift import DriftDifference, DriftKind
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.resources import SEAT_RESOURCES, resource_text

from sextant_backend.modules.operations import verification

NOTHING = "not ordered"
_MOST_TEXT = 500
_MOST_NAME = 200


@dataclass(frozen=True)
class Found:
    """What is laid beside each other."""

    desired: DesiredHostConfig
    """The newest order, as the console keeps it."""
    held: DesiredHostConfig
    """What the agent's ledger holds."""
    actual: ActualState
    inventory: HostInventory

    @property
    def held_as_ordered(self) -> bool:
        """The agent holds the newest order."""
        return (self.held.generation, self.held.digest) == (self.desired.generation, self.desired.digest)


class _Subject(NamedTuple):
    """An NF or a chain."""

    name: str
    chain: str


def differences(found: Found) -> list[DriftDifference]:
    """NF by NF, then chains of which the agent holds another order, then cores that NFs may not have."""
    ordered = {nf.nf_id: (chain, nf) for chain in found.desired.content.chains for nf in chain.nfs}
    there = {nf.nf_id: nf for nf in found.actual.nfs}
    nfs = [one for nf_id, (chain, nf) in ordered.items() if (one := _of_nf(chain, nf, there.get(nf_id)))]
    foreign = [_foreign(nf) for nf_id, nf in sorted(there.items()) if nf_id not in ordered]
    listed = {one.chain for one in (*nfs, *foreign)}
    held = [] if found.held_as_ordered else [one for one in _held(found) if one.chain not in listed]
    return [*nfs, *foreign, *held, *_seats(found)]


def _of_nf(chain: DesiredChain, nf: DesiredNf, there: ActualNf | None) -> DriftDifference | None:
    at, subject = f"core {nf.core}", _Subject(nf.nf_id, chain.chain)
    if there is None:
        return _difference(DriftKind.NOT_RUNNING, subject, at, "nothing")
    if there.state is not NfState.RUNNING:
        error = f": {there.last_error}" if there.last_error else ""
        return _difference(DriftKind.NOT_RUNNING, subject, at, f"{there.state.value}{error}", there.since)
    if there.core != nf.core:
        runs = "no core of its own" if there.core is None else f"core {there.core}"
        return _difference(DriftKind.CORE, subject, at, runs, there.since)
    pairs = list(verification.resource_differences(chain, nf, there))
    if not pairs:
        return None
    has = ", ".join(f"{SEAT_RESOURCES[field]} {resource_text(field, value)}" for field, value, _ in pairs)
    shall = ", ".join(f"{SEAT_RESOURCES[field]} {resource_text(field, value)}" for field, _, value in pairs)
    return _difference(DriftKind.RESOURCES, subject, shall, has, there.since)


def _foreign(nf: ActualNf) -> DriftDifference:
    at = "no core of its own" if nf.core is None else f"core {nf.core}"
    return _difference(DriftKind.FOREIGN, _Subject(nf.nf_id, nf.chain), NOTHING, f"{nf.nf_type} on {at}", nf.since)


def _held(found: Found) -> Iterator[DriftDifference]:
    """Chains of which the agent holds another order: it may run that, and report it as right."""
    ordered = {chain.chain: chain for chain in found.desired.content.chains}
    held = {chain.chain: chain for chain in found.held.content.chains}
    for name in sorted(ordered.keys() | held.keys()):
        wanted, has = ordered.get(name), held.get(name)
        if wanted != has:
            yield _difference(DriftKind.HELD_ORDER, _Subject(name, name), *_chain_texts(wanted, has))


def _chain_texts(wanted: DesiredChain | None, has: DesiredChain | None) -> tuple[str, str]:
    shall, is_held = _seats_text(wanted), _seats_text(has)
    if wanted is None or has is None or shall != is_held:
        return shall, is_held
    fields = [
        name for name in type(wanted).model_fields if name != "nfs" and getattr(wanted, name) != getattr(has, name)
    ]
    nfs = [one.nf_id for one, other in zip(wanted.nfs, has.nfs, strict=True) if one != other]
    what = ", ".join([*fields, *nfs])
    return f"{what} as ordered", f"{what} otherwise"


def _seats_text(chain: DesiredChain | None) -> str:
    return NOTHING if chain is None else " -> ".join(f"{nf.nf_id} on core {nf.core}" for nf in chain.nfs)


def _seats(found: Found) -> Iterator[DriftDifference]:
    """The machine is not the one any more that the plan was made for."""
    cores = {core.id: core for core in found.inventory.cores}
    for chain in found.desired.content.chains:
        for nf in chain.nfs:
            core = cores.get(nf.core)
            if core is None:
                why = f"the machine has no core {nf.core} any more"
            elif core.slots <= nf.slot:
                plural = "" if core.slots == 1 else "s"
                why = f"core {nf.core} has {core.slots} slot{plural} by now, it was ordered to slot {nf.slot + 1}"
            else:
                why = found.inventory.why_reserved(nf.core) or ""
            if why:
                yield _difference(DriftKind.SEAT, _Subject(nf.nf_id, chain.chain), f"core {nf.core}", why)


def _difference(
    kind: DriftKind, subject: _Subject, ordered: str, runs: str, since: datetime | None = None
) -> DriftDifference:
    """What an agent says of itself is cut: it goes into plans."""
    return DriftDifference(
        kind=kind,
        subject=subject.name[:_MOST_NAME],
        chain=subject.chain[:_MOST_NAME],
        ordered=_cut(ordered),
        runs=_cut(runs),
        since=since,
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
