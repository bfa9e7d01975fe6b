"""SRv6-INT's local loop on this host: NFs that have their packets for too long get more CPU time, and where the host
has resctrl LLC ways and memory bandwidth, within bounds of the order, a hundred looks a second. Of NFs in the kernel,
which have nothing that could be given or taken, it says when they have their packets for too long.

The reconciler takes whatever is within the bounds as ordered, so that neither undoes what the other did; what an NF has
is not kept over restarts, since the kernel has it. What was changed is, for people.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from sextant_domain.chains.kernel_nf import NO_QUOTA
from sextant_domain.hosts.bounded_quotas import (
    MAX_STOOD_S,
    MAX_US,
    MOST_CHANGES,
    MOST_NOTE,
    BoundedNf,
    BoundedResource,
    QuotaChange,
    QuotaReason,
    QuotaState,
)
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_engine.control.srv6.local_loop import step
from sextant_engine.control.srv6.resources import Resource
from sextant_engine.control.srv6.state import Change, LoopActions, LoopObservation, LoopState, NfMemory

from sextant_agent.contract.driver import (
    CpuGiven,
    Driver,
    GivesMemory,
    MemoryOffer,
    NfCpuTime,
    NfTimes,
    TimesNfs,
)
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.control.cpu_requests import share_of
from sextant_agent.controllers.memory_seats import NO_MEMORY, SeatMemory, memory_of, memory_rooms, resources_after
from sextant_agent.controllers.quota_changes import KeptChanges
from sextant_agent.controllers.quota_seats import QuotaSeat, QuotaSeats, observed, seats_of, unfit, watched
from sextant_agent.controllers.refused_memory import RefusedMemory
from sextant_agent.kit.kept_file import KeptFile

LOOK_S = 0.01
"""Half of the shortest window: one that is closed is seen within that."""
HELD_LOOK_S = 0.1
IDLE_LOOK_S = 1.0
"""Where no order asks for it."""
CPU_EVERY_NS = 1_000_000_000
"""Quotas, ways and bandwidth as the kernel has them, and what NFs used, are read once in that."""
UNMET_REST_NS = 2_000_000_000
"""After quotas could not be set, none are for so long."""
RESOURCES = {
    Resource.CPU_QUOTA: BoundedResource.CPU_QUOTA,
    Resource.LLC_WAYS: BoundedResource.LLC_WAYS,
    Resource.MEMORY_BANDWIDTH: BoundedResource.MEMORY_BANDWIDTH,
}


@dataclass(frozen=True, slots=True)
class _Cpu:
    """What NFs have of their cores, and what they used since it was read before."""

    read_ns: int
    found: Mapping[str, NfCpuTime]
    used: Mapping[str, float]
    """Percent."""
    budget: float | None
    """Percent of a core that all NFs of the host have together."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """What NFs have of caches and memory bandwidth, and may have."""

    read_ns: int
    offer: MemoryOffer | None
    """None where the driver gives none, or no bounds ask for any."""


class NfQuotas:
    """Of one host. `tick` is of one thread, all else of any."""

    def __init__(
        self,
        driver: Driver,
        stopped: Callable[[], str | None],
        file: Path,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`stopped`: why no law may act; None: they may. `file`: where what was changed is kept."""
        self._driver, self._stopped, self._clock_ns = driver, stopped, clock_ns
        self._file = KeptFile(file, KeptChanges, "changed quotas are")
        self._lock = threading.Lock()
        self._state = LoopState()
        self._cpu: _Cpu | None = None
        self._memory: _Memory | None = None
        self._given: Mapping[str, SeatMemory] = {}
        """By NF, as it was found last."""
        self._refused = RefusedMemory()
        self._rests_until_ns = 0
        self._unmet = ""
        self._followed: tuple[HostContent, QuotaSeats] | None = None
        """An order, and what it means."""
        self._said: tuple[BoundedNf, ...] = ()
        self._changes = self._file.read().changes
        self._unsaved = False

    def tick(self, content: HostContent) -> float:
        """Look, and act. Seconds until the next look."""
        seats = self._seats(content)
        bounded = {**seats.nfs, **seats.kernel}
        if not bounded:
            self._state, self._cpu, self._memory, self._given = LoopState(), None, None, {}
            self._say(())
            return IDLE_LOOK_S
        times: Mapping[str, NfTimes] = {}
        try:
            times = self._look(seats)
            held = None
        except DataPlaneDown as down:
            held = f"windows cannot be read: {down}"
        except DriverError as error:
            held = f"quotas not met: {error}"
        if held is not None:  # what was seen before says nothing of the time after
            self._state = LoopState()
        self._say(tuple(self._standing(seat, times.get(name), held) for name, seat in bounded.items()))
        return LOOK_S if held is None else HELD_LOOK_S

    def reported(self, batch: TelemetryBatch) -> TelemetryBatch:
        """The batch with what was done about quotas."""
        with self._lock:
            said, changes = self._said, self._changes
        return batch.model_copy(update={"bounded_nfs": said, "quota_changes": changes}) if said else batch

    def standing(self) -> tuple[BoundedNf, ...]:
        """How it stands with each NF that has bounds."""
        with self._lock:
            return self._said

    def save(self) -> None:
        """Keep what was changed, where there is news: after it was applied, which is not to wait for a disk."""
        with self._lock:
            changes, unsaved, self._unsaved = self._changes, self._unsaved, False
        if unsaved:
            self._file.write(KeptChanges(changes=changes))

    def _seats(self, content: HostContent) -> QuotaSeats:
        """Worked out once an order."""
        followed = self._followed
        if followed is None or followed[0] is not content:
            followed = self._followed = content, seats_of(content)
            self._refused.keep(followed[1].nfs)
            self._memory = None
        return followed[1]

    def _look(self, seats: QuotaSeats) -> Mapping[str, NfTimes]:
        """What packets say now, once it is acted on. Raises DriverError with why nothing may be done."""
        driver = self._driver
        if not isinstance(driver, TimesNfs):
            raise DriverError(f"the driver {driver.name} does not measure how long NFs have packets")
        if (why := self._stopped()) is not None:
            raise DriverError(why)
        now_ns = self._clock_ns()
        times = driver.nf_times()
        if now_ns < self._rests_until_ns:
            raise DriverError(self._unmet)
        cpu = self._read_cpu(driver, now_ns) if seats.nfs else _Cpu(now_ns, {}, {}, None)
        offer = self._read_memory(driver, seats, now_ns).offer
        self._given = {name: memory_of(seat, offer, self._refused.of(name, now_ns)) for name, seat in seats.nfs.items()}
        nfs = {
            name: observed(
                seat, cpu.budget, times[name], cpu.found[name].cpu, cpu.used.get(name), has=self._given[name].has,
                limits=self._given[name].limits,
            )
            for name, seat in seats.nfs.items()
            if name in times and name in cpu.found
        }  # fmt: skip
        nfs |= {name: watched(seat, times[name]) for name, seat in seats.kernel.items() if name in times}
        rooms = seats.rooms_within(cpu.budget)
        rooms = rooms if offer is None else {**rooms, **memory_rooms(self._given, offer)}
        self._state, actions = step(self._state, LoopObservation(now_ns, nfs, rooms), self._clock_ns())
        if actions.changes:
            self._apply(driver, seats, actions, now_ns)
        return times

    def _read_memory(self, driver: TimesNfs, seats: QuotaSeats, now_ns: int) -> _Memory:
        before = self._memory
        if before is not None and now_ns - before.read_ns < CPU_EVERY_NS:
            return before
        asked = any(seat.bounds.of_memory for seat in seats.nfs.values())
        self._memory = _Memory(now_ns, driver.memory_offer() if asked and isinstance(driver, GivesMemory) else None)
        return self._memory

    def _read_cpu(self, driver: TimesNfs, now_ns: int) -> _Cpu:
        before = self._cpu
        if before is not None and now_ns - before.read_ns < CPU_EVERY_NS:
            return before
        found = driver.nf_cpu()
        used: dict[str, float] = {}
        for name, now in found.items():
            then = None if before is None else before.found.get(name)
            if before is not None and then is not None and then.cpu_ns is not None and now.cpu_ns is not None:
                used[name] = 100 * max(0, now.cpu_ns - then.cpu_ns) / (now_ns - before.read_ns)
        self._cpu = _Cpu(now_ns, found, used, driver.cpu_budget())
        return self._cpu

    def _apply(self, driver: TimesNfs, seats: QuotaSeats, actions: LoopActions, seen_ns: int) -> None:
        """Raises DriverError where quotas cannot be set, and then the loop begins anew after a rest. Without ways and
        bandwidth it goes on."""
        quotas = [change for change in actions.changes if change.resource is Resource.CPU_QUOTA]
        memory = [change for change in actions.changes if change.resource is not Resource.CPU_QUOTA]
        if memory and isinstance(driver, GivesMemory):
            self._enter(self._give_memory(driver, memory), seen_ns)
        if quotas:
            self._give_quotas(driver, seats, quotas)
            self._enter(quotas, seen_ns)

    def _give_memory(self, driver: GivesMemory, changes: Sequence[Change]) -> list[Change]:
        """Those that were made. What was refused is left out of what the law sees for a while, and nothing is watched
        that did not come to pass."""
        after: dict[str, dict[Resource, float]] = {}
        for change in changes:
            after.setdefault(change.nf, {})[change.resource] = change.after
        refused = driver.give_memory(
            {name: resources_after(self._given.get(name, NO_MEMORY).found, shall) for name, shall in after.items()}
        )
        self._memory = None
        for change in changes:
            self._refused.heard(change.nf, change.resource, refused.get(change.nf), self._clock_ns())
        self._state = replace(
            self._state,
            taken={
                name: taken
                for name, taken in self._state.taken.items()
                if taken.resource is Resource.CPU_QUOTA or not refused.keys() & {name, taken.to}
            },
        )
        return [change for change in changes if change.nf not in refused]

    def _give_quotas(self, driver: TimesNfs, seats: QuotaSeats, changes: Sequence[Change]) -> None:
        """What falls comes first. Raises DriverError."""
        after = {change.nf: change for change in changes}  # the last of each
        first = {change.nf: change for change in reversed(changes)}
        falling = sorted(after, key=lambda name: after[name].after > first[name].before)
        given = {name: CpuGiven(share_of(seats.nfs[name].nf), after[name].after) for name in falling}
        try:
            driver.give_cpu(given)
        except DriverError as error:
            self._cpu = None
            self._rests_until_ns, self._unmet = self._clock_ns() + UNMET_REST_NS, str(error)
            raise
        if self._cpu is not None:
            self._cpu = _with_quotas(self._cpu, {name: change.after for name, change in after.items()})

    def _enter(self, changes: Sequence[Change], seen_ns: int) -> None:
        took_us = (self._clock_ns() - seen_ns) // 1000
        ways = {name: seat.of_ways for name, seat in self._given.items()}
        with self._lock:
            entered = (*self._changes, *(_reported(change, took_us, ways.get(change.nf, 0)) for change in changes))
            self._changes, self._unsaved = entered[-MOST_CHANGES:], self._unsaved or bool(changes)

    def _standing(self, seat: QuotaSeat, times: NfTimes | None, held: str | None) -> BoundedNf:
        name = seat.nf.nf_id
        cpu = None if self._cpu is None else self._cpu.found.get(name)
        memory = self._state.nfs.get(name, NfMemory())
        note = held or unfit(seat, times, cpu)
        latest_us = memory.latest_us
        state = QuotaState.WELL
        if note is not None:
            state = QuotaState.HELD
        elif memory.saturated:
            state = QuotaState.SATURATED
        elif latest_us is not None and latest_us > seat.bounds.max_p95_us:
            state = QuotaState.ABOVE
        return BoundedNf(
            nf_id=name,
            chain=seat.chain,
            quota_percent=None if cpu is None else cpu.cpu.quota_percent,
            p95_us=None if latest_us is None else min(MAX_US, round(latest_us, 1)),
            max_p95_us=seat.bounds.max_p95_us,
            state=state,
            note=None if note is None else note[:MOST_NOTE],
            stood_s=self._stood_s(memory) if state is QuotaState.SATURATED else None,
            **(_NOTHING_GIVEN if seat.in_kernel else _of_memory(self._given.get(name, NO_MEMORY))),
        )

    def _stood_s(self, memory: NfMemory) -> float | None:
        since_ns = memory.saturated_since_ns
        return None if since_ns is None else min(MAX_STOOD_S, max(0.0, (self._clock_ns() - since_ns) / 1e9))

    def _say(self, said: tuple[BoundedNf, ...]) -> None:
        with self._lock:
            self._said = said


def _with_quotas(cpu: _Cpu, quotas: Mapping[str, float]) -> _Cpu:
    found = dict(cpu.found)
    for name, quota in quotas.items():
        found[name] = replace(found[name], cpu=replace(found[name].cpu, quota_percent=quota))
    return replace(cpu, found=found)


class _Memories(TypedDict):
    llc_ways: int | None
    memory_bandwidth_percent: int | None
    not_given: str | None


_NOTHING_GIVEN: _Memories = {"llc_ways": None, "memory_bandwidth_percent": None, "not_given": NO_QUOTA}
"""Of an NF in the kernel."""


def _of_memory(given: SeatMemory) -> _Memories:
    """As it is reported: what it has, of what its bounds are of."""
    why = given.not_given
    return {
        "llc_ways": given.found.llc_ways if Resource.LLC_WAYS in given.limits else None,
        "memory_bandwidth_percent": (
            given.found.memory_bandwidth_percent if Resource.MEMORY_BANDWIDTH in given.limits else None
        ),
        "not_given": None if why is None else why[:MOST_NOTE],
    }


def _reported(change: Change, took_us: int, of_ways: int) -> QuotaChange:
    """`of_ways`: that the NF's cache has."""
    of_cache = change.resource is Resource.LLC_WAYS
    whole = max(1, of_ways) / 100 if of_cache else 1.0
    return QuotaChange(
        at=datetime.now(UTC),
        nf_id=change.nf,
        reason=QuotaReason(change.kind.value),
        before_percent=min(100.0, change.before / whole),
        after_percent=min(100.0, change.after / whole),
        cause=change.cause[:MOST_NOTE],
        took_us=took_us,
        resource=RESOURCES[change.resource],
        before_ways=round(change.before) if of_cache else None,
        after_ways=round(change.after) if of_cache else None,
    )
