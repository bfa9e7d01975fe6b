"""The laws of one host: asked after each sample, held while they may not act, remembered over restarts.

What a law gave takes the place of what the order begins with (`content`), so that the reconciler and the driver apply
it, and repair it where somebody changes it, as they do with every order. For hosts without bounds nothing is computed.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import ChainControl, TelemetryBatch
from sextant_engine.control.numasfp.allocation import step, taken_over
from sextant_engine.control.numasfp.allocation_state import AllocationAction, AllocationObservation, AllocationState
from sextant_engine.control.numasfp.shares import Share

from sextant_agent.contract.driver import ResourcesGiven
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

    def still_holds(self, now_s: float) -> bool:
        """The machine need not be read again."""
        return self.task is None or now_s - self.read_at < MACHINE_READ_EVERY_S


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

    def after(
        self, found: HostSample, batch: TelemetryBatch, desired: DesiredHostConfig, failures: Failures
    ) -> tuple[TelemetryBatch, bool]:
        """The batch of a sample with what laws did about it, and whether they gave anything anew, which was handed to
        `give` before all else."""
        with self._lock:
            self._follow(desired)
            followed = self._followed
            if followed is None or followed.task is None:
                return batch, False
            task = followed.task
            before = self._shares()
            action, notes = self._acted(task, found, batch, failures)
            after = self._shares()
            if after != before:
                anew = {name: share for name, share in after.items() if before.get(name) != share}
                try:
                    self._give([numasfp.given(task.bounded[name], share) for name, share in anew.items()], found)
                finally:
                    self._content = numasfp.with_shares(desired.content, task, after, self._content)
                    self._unsaved = True
            controls = self._reported(task, action, notes)
            batch = batch.model_copy(update={"controls": controls, "transfers": self._state.transfers})
            return batch, after != before

    def save(self) -> None:
        """Keep what was given, where that has changed: after it was handed on, which is not to wait for a disk."""
        with self._lock:
            if self._unsaved:
                self._unsaved = False
                self._file.write(KeptByLaws.of(self._said, self._state))

    def _acted(
        self, task: Task, found: HostSample, batch: TelemetryBatch, failures: Failures
    ) -> tuple[AllocationAction, Mapping[str, str]]:
        """What the law says, and by chain why it was not asked."""
        why = self._why_none() or found.no_resource_control
        waits = {} if why is not None else self._back_off(task, found, failures())
        samples = {sample.chain: sample for sample in batch.chains if sample.chain in task.bounded}
        acted_on = {} if why is not None else {name: one for name, one in samples.items() if name not in waits}
        observation = AllocationObservation(
            at_s=found.taken_ns / 1e9,
            taken_at=found.taken_at,
            chains=task.chains,
            rooms=task.rooms,
            rates_gbps={name: numasfp.offered_gbps(task.bounded[name], one) for name, one in acted_on.items()},
            carried_gbps={name: numasfp.carried_gbps(task.bounded[name], one) for name, one in acted_on.items()},
        )
        self._state, action = step(self._state, observation, self._clock())
        return action, {one.chain: why for one in task.chains} if why else waits

    def _reported(self, task: Task, action: AllocationAction, notes: Mapping[str, str]) -> tuple[ChainControl, ...]:
        return tuple(
            numasfp.control_of(chain, action.standings.get(name), task.unfit.get(name) or notes.get(name))
            for name, chain in sorted(task.bounded.items())
        )

    def _why_none(self) -> str | None:
        """Why no law may act."""
        return NEVER_TOLD if self._said is None else self._said.stopped

    def _back_off(self, task: Task, found: HostSample, failures: Mapping[str, str]) -> dict[str, str]:
        """Chains that are left alone since the kernel refused their share, and why; they keep what they have."""
        now_s, chains = self._clock(), dict(self._state.chains)
        for one in task.chains:
            name, chain = one.chain, task.bounded[one.chain]
            memory = chains.get(name)
            if memory is None or not refused_shares.runs(chain, found):
                continue
            if refused_shares.has(chain, memory.has, found):
                self._applied[name] = memory.has
                if name in self._refused and self._refused[name].keeps != memory.has:
                    del self._refused[name]
                continue
            why = next((failures[key] for key in (name, *(nf.nf_id for nf in chain.nfs)) if key in failures), None)
            if why is not None and (name not in self._refused or self._refused[name].until_s <= now_s):
                has = refused_shares.found_share(chain, found)
                has = has if has is not None and one.ladder.allows(has) else self._applied.get(name, one.begins)
                self._refused[name] = refused_shares.refuse(self._refused.get(name), why, has, now_s)
                chains[name] = memory._replace(has=has, changed_s=found.taken_ns / 1e9)
        self._state = replace(self._state, chains=chains)
        return {name: one.note(now_s) for name, one in self._refused.items() if one.until_s > now_s}

    def _follow(self, desired: DesiredHostConfig) -> None:
        followed, now_s = self._followed, self._clock()
        if followed is not None and followed.order is desired and followed.still_holds(now_s):
            return
        if all(chain.bounds is None for chain in desired.content.chains):
            let_go = bool(self._state.chains)
            self._followed, self._content = _Followed(desired, None, now_s), None
            self._state, self._applied, self._refused = AllocationState(), {}, {}
            self._unsaved |= let_go
            return
        new = followed is None or followed.order.digest != desired.digest
        task = numasfp.task_of(desired.content, self._inventory())
        chains = taken_over(self._state.chains, task.chains, task.rooms)
        self._followed, self._state = _Followed(desired, task, now_s), replace(self._state, chains=chains)
        if new:
            self._refused = {}
        self._content = numasfp.with_shares(desired.content, task, self._shares())

    def _shares(self) -> dict[str, Share]:
        return {name: one.has for name, one in self._state.chains.items()}
