"""What chains have lost as they moved, by measurement: NUMASFP's law weighs gains against it.

It is the median of the last moves. The worst of them would let one second in which something else happened too (a
manager restarted, a burst came) make moves dear until enough others had been made, which then are made rarely; and it
grows with the number that is looked at.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, NamedTuple

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.laws.recommendation import MoveLoss
from sextant_domain.plans.operation import MoveOutcome, OperationState
from sqlalchemy import Text, cast, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from sextant_backend.modules.operations.models import OperationHostRow, OperationRow

ASSUMED = MoveLoss(share=0.05, provenance=Provenance.ASSUMED)
"""No move of the testbed lost a packet, and the longest gap was a few milliseconds; a state that is copied takes
longer."""
FEWEST = 3
"""Moves: fewer say nothing."""
LAST = 9
"""Moves that are looked at."""
OPERATIONS = 4 * LAST
"""In which moves of single chains are looked for."""


class Lost(NamedTuple):
    """One chain in one operation that was completed."""

    operation_id: int
    chain: str
    share: float
    provenance: Provenance


@dataclass
class MoveLosses:
    """Of all hosts. A host is read when it is first seen, and again when an operation on it has ended: no turn reads
    what has not changed."""

    _by_host: dict[str, tuple[Lost, ...]] = field(default_factory=dict[str, tuple[Lost, ...]])
    _by_driver: dict[tuple[str, bool], tuple[Lost, ...]] = field(
        default_factory=dict[tuple[str, bool], tuple[Lost, ...]]
    )
    """Simulated hosts of a driver by themselves."""
    _held: set[str] = field(default_factory=set[str])
    _ended: set[str] = field(default_factory=set[str])

    def forget(self) -> None:
        """All is read again: another process may have seen operations end."""
        self._by_host.clear()
        self._held.clear()
        self._ended.clear()

    def followed(self, host: str, operation: int | None) -> None:
        """`operation`: the one that holds the host in this turn."""
        if operation is not None:
            self._held.add(host)
        elif host in self._held:
            self._held.discard(host)
            self._ended.add(host)

    def read(self, session: Session, inventories: Mapping[str, HostInventory]) -> None:
        """Of these hosts: all that run chains."""
        gone = self._by_host.keys() - inventories.keys()
        stale = (inventories.keys() - self._by_host.keys()) | (self._ended & inventories.keys())
        self._ended.clear()
        if not stale and not gone:
            return
        found = last_losses(session, stale)
        self._by_host = {name: self._by_host.get(name, ()) for name in inventories} | found
        pools: dict[tuple[str, bool], list[Lost]] = {}
        for name, inventory in inventories.items():
            pools.setdefault(_pool(inventory), []).extend(self._by_host[name])
        self._by_driver = {key: _newest(lost) for key, lost in pools.items()}

    def of_chains(self, inventory: HostInventory, chains: Iterable[str]) -> dict[str, MoveLoss]:
        """Of those of a host's chains that have moved often enough themselves."""
        lost = self._by_host.get(inventory.host_id, ())
        if len(lost) < FEWEST:
            return {}
        found = {name: _measured(_newest(one for one in lost if one.chain == name), "chain") for name in chains}
        return {name: loss.model_copy(update={"chain": name}) for name, loss in found.items() if loss is not None}

    def of(self, inventory: HostInventory) -> MoveLoss:
        """What is reckoned with on a host: by its own moves, else by those of hosts of its driver, else assumed."""
        own = _measured(_newest(self._by_host.get(inventory.host_id, ())), "host")
        return own or _measured(self._by_driver.get(_pool(inventory), ()), "driver") or ASSUMED


def _pool(inventory: HostInventory) -> tuple[str, bool]:
    return inventory.driver, inventory.simulated


def _newest(lost: Iterable[Lost]) -> tuple[Lost, ...]:
    return tuple(sorted(lost, key=lambda one: -one.operation_id)[:LAST])


def _measured(lost: tuple[Lost, ...], moves_of: Literal["chain", "host", "driver"]) -> MoveLoss | None:
    if len(lost) < FEWEST:
        return None
    share = min(1.0, median(one.share for one in lost))
    return MoveLoss(share=share, moves=len(lost), moves_of=moves_of, provenance=lost[0].provenance)


def last_losses(session: Session, hosts: Collection[str]) -> dict[str, tuple[Lost, ...]]:
    """The last moves on each of these hosts, newest first. What was undone, or cancelled, does not count."""
    named = select(func.unnest(cast(list(hosts), ARRAY(Text))).label("host_id")).subquery()
    outcome = OperationHostRow.record["outcome"]
    of_host = (
        select(OperationRow.id, outcome.label("outcome"))
        .join(OperationHostRow, OperationHostRow.operation_id == OperationRow.id)
        .where(
            OperationHostRow.host_id == named.c.host_id,
            OperationRow.state == OperationState.COMPLETED.value,
            outcome["provenance"].astext.is_not(None),  # something was measured
        )
        .order_by(OperationRow.id.desc())
        .limit(OPERATIONS)
        .lateral()
    )
    lost: dict[str, list[Lost]] = {name: [] for name in hosts}
    query = select(named.c.host_id, of_host.c.id, of_host.c.outcome).join(of_host, true())
    for host_id, operation_id, body in session.execute(query) if hosts else ():
        lost[host_id].extend(_of(operation_id, MoveOutcome.model_validate(body)))
    return {name: tuple(found) for name, found in lost.items()}


def _of(operation_id: int, outcome: MoveOutcome) -> Iterable[Lost]:
    provenance = outcome.provenance or Provenance.MEASURED
    shares = ((one.chain, one.lost_share) for one in outcome.chains)
    return (Lost(operation_id, chain, share, provenance) for chain, share in shares if share is not None)
