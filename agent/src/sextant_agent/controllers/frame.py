"""The laws of one host: asked after each sample, held while they may not act, remembered over restarts.

What a law gave takes the place of what the order begins with (`content`), so that the reconciler and the driver apply
it, and repair it where somebody changes it, as they do with every order. For hosts without bounds nothing is computed.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import ChainControl, TelemetryBatch, WayTransfer
from sextant_engine.control.numasfp.allocation import decide, explained, taken_over
from sextant_engine.control.numasfp.allocation_state import (
    AllocationAction,
    AllocationObservation,
    AllocationState,
    ChainMemory,
)
from sextant_engine.control.numasfp.shares import Share

from sextant_agent.contract.driver import ResourcesGiven
from sextant_agent.contract.rates import ChainRates
from sextant_agent.contract.sample import HostSample
from sextant_agent.controllers import numasfp, refused_shares
from sextant_agent.controllers.memory import KeptByLaws, LawsAllowed
from sextant_agent.controllers.numasfp import Task
from sextant_agent.controllers.refused_shares import Refused
from sextant_agent.kit.kept_file import KeptFile

NEVER_TOLD = "the console has not said yet whether laws may act"
MACHINE_READ_EVERY_S = 30.0
"""What a machine can do changes: its helper may come and go."""

Inventory = Callable[[], HostInventory]
Failures = Callable[[], Mapping[str, str]]
"""By chain or NF, why it could not be brought to the order; of the reconciler."""
Rates = Callable[[], Mapping[str, ChainRates]]
"""By chain, what became of its packets until the sample that laws act on."""
Report = tuple[tuple[ChainControl, ...], tuple[WayTransfer, ...]]
NO_REPORT: Report = ((), ())
Clock = Callable[[], float]
Give = Callable[[Sequence[ResourcesGiven], HostSample], None]


@dataclass(frozen=True, slots=True)
class _Followed:
    """An order, and what it means on this machine."""

    order: DesiredHostConfig
    task: Task | None
    """None: nothing has bounds."""
    read_at: float
    """When the machine was read."""


class HostLaws:
    """Safe from any thread."""

    def __init__(
        self,
        state_dir: Path,
        inventory: Inventory,
        clock: Clock = time.monotonic,
        give: Give = lambda _given, _found: None,
    ) -> None:
        """`give`: sets at once what was given, where that can be; whoever follows `content` sets it in any case."""
        self._file = KeptFile(state_dir / "laws.json", KeptByLaws, "what laws gave is")
        self._inventory = inventory
        self._clock = clock
        self._give = give
        self._lock = threading.Lock()
        kept = self._file.read()
        self._said, self._state = kept.said, kept.state
        self._followed: _Followed | None = None
        self._unsaved = False
        self._content: HostContent | None = None
        """The order with what was given."""
        self._applied: dict[str, Share] = {}
        """What chains were last found to have, of what they were given."""
        self._refused: dict[str, Refused] = {}
        self._report = NO_REPORT
        """What laws did about the last sample."""

    def allowed(self, stopped: str | None) -> None:
        """The console says whether laws may act; None: they may."""
        said = LawsAllowed(stopped=stopped)
        with self._lock:
            if said != self._said:
                self._said, self._unsaved = said, True
        self.save()

    def stopped(self) -> str | None:
        """Why no law may act on this host now; None: they may."""
        with self._lock:
            return self._why_none()

    def content(self, desired: DesiredHostConfig) -> HostContent:
        """An order with what laws gave in place of what its chains begin with."""
        with self._lock:
            self._follow(desired)
            return desired.content if self._content is None else self._content

    def act(self, found: HostSample, rates: Rates, desired: DesiredHostConfig, failures: Failures) -> bool:
        """Do what laws say about a sample; whether they gave anything anew. That is handed to `give` before all else:
        what is said about it, and whatever is read or made anew from time to time, comes afterwards."""
        with self._lock:
            self._follow(desired)
            task = None if self._followed is None else self._followed.task
            if task is None:
                self._report = NO_REPORT
                return False
            before = self._state.chains
            seen, waits = self._observed(task, found, rates, failures)
            decided = decide(self._state, seen, self._clock())
            self._state = decided.state
            anew = {name: one.has for name, one in self._state.chains.items() if _has_other(before.get(name), one)}
            try:
                if anew:
                    self._give([numasfp.given(task.bounded[name], share) for name, share in anew.items()], found)
            finally:
                if anew:
                    self._content = numasfp.with_shares(desired.content, task, self._shares(), self._content)
                    self._unsaved = True
                self._state, action = explained(decided)
                self._report = self._controls(task, action, waits), self._state.transfers
            self._read_machine_again()
            return bool(anew)

    def reported(self, batch: TelemetryBatch) -> TelemetryBatch:
        """The batch of a sample with what laws did about it."""
        with self._lock:
            controls, transfers = self._report
        return batch.model_copy(update={"controls": controls, "transfers": transfers}) if controls else batch

    def save(self) -> None:
        """Keep what was given, where that has changed: after it was handed on, which is not to wait for a disk."""
        with self._lock:
            if self._unsaved:
                self._unsaved = False
                self._file.write(KeptByLaws.of(self._said, self._state))

    def _observed(
        self, task: Task, found: HostSample, rates: Rates, failures: Failures
    ) -> tuple[AllocationObservation, Mapping[str, str]]:
        """What the law is shown, and by chain why it is not asked."""
        why = self._why_none() or found.no_resource_control
        waits = {one.chain: why for one in task.chains} if why else self._back_off(task, found, failures())
        offered, carried = {}, {}
        for name, of_chain in ({} if why else rates()).items():
            if name in task.bounded and name not in waits:
                packets = task.bounded[name].traffic.mean_packet_bytes
                offered[name] = wire_gbps(of_chain.offered, packets)
                # What a rule drops was work done as well.
                carried[name] = wire_gbps(of_chain.delivered + of_chain.filtered, packets)
        at_s = found.taken_ns / 1e9
        return AllocationObservation(at_s, found.taken_at, task.chains, task.rooms, offered, carried), waits

    def _controls(self, task: Task, action: AllocationAction, notes: Mapping[str, str]) -> tuple[ChainControl, ...]:
        return tuple(
            numasfp.control_of(chain, action.standings.get(name), task.unfit.get(name) or notes.get(name))
            for name, chain in sorted(task.bounded.items())
        )

    def _why_none(self) -> str | None:
        """Why no law may act."""
        return NEVER_TOLD if self._said is None else self._said.stopped

    def _back_off(self, task: Task, found: HostSample, failures: Mapping[str, str]) -> dict[str, str]:
        """Chains that are left alone since the kernel refused their share, and why; they keep what they have."""
        now_s = self._clock()
        for one in task.chains:
            name, chain = one.chain, task.bounded[one.chain]
            memory = self._state.chains.get(name)
            applied = None if memory is None else refused_shares.has(chain, memory.has, found)
            if memory is None or applied is None:
                continue
            refused = self._refused.get(name)
            if applied:
                self._applied[name] = memory.has
                if refused is not None and refused.keeps != memory.has:
                    del self._refused[name]
                continue
            why = next((failures[key] for key in (name, *(nf.nf_id for nf in chain.nfs)) if key in failures), None)
            if why is not None and (refused is None or refused.until_s <= now_s):
                has = refused_shares.found_share(chain, found)
                has = has if has is not None and one.ladder.allows(has) else self._applied.get(name, one.begins)
                self._refused[name] = refused_shares.refuse(refused, why, has, now_s)
                keeps = memory._replace(has=has, changed_s=found.taken_ns / 1e9)
                self._state = replace(self._state, chains={**self._state.chains, name: keeps}, settled=None)
        return {name: one.note(now_s) for name, one in self._refused.items() if one.until_s > now_s}

    def _follow(self, desired: DesiredHostConfig) -> None:
        followed = self._followed
        if followed is not None and followed.order is desired:
            return
        if all(chain.bounds is None for chain in desired.content.chains):
            let_go = bool(self._state.chains)
            self._followed, self._content = _Followed(desired, None, self._clock()), None
            self._state, self._applied, self._refused = AllocationState(), {}, {}
            self._unsaved |= let_go
            return
        if followed is None or followed.order.digest != desired.digest:
            self._refused = {}
        self._read_machine(desired)

    def _read_machine_again(self) -> None:
        followed = self._followed
        if followed is not None and self._clock() - followed.read_at >= MACHINE_READ_EVERY_S:
            self._read_machine(followed.order)

    def _read_machine(self, desired: DesiredHostConfig) -> None:
        task = numasfp.task_of(desired.content, self._inventory())
        chains = taken_over(self._state.chains, task.chains, task.rooms)
        self._followed, self._state = (
            _Followed(desired, task, self._clock()),
            replace(self._state, chains=chains, settled=None),
        )
        self._content = numasfp.with_shares(desired.content, task, self._shares())

    def _shares(self) -> dict[str, Share]:
        return {name: one.has for name, one in self._state.chains.items()}


def _has_other(before: ChainMemory | None, now: ChainMemory) -> bool:
    return before is None or before.has != now.has
