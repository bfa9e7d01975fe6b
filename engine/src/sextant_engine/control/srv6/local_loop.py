"""SRv6-INT's local loop (Algorithms 1 to 3) as a host's agent runs it: a state machine that is shown windows as they
are closed, and acts within bounds. Pure.

Mended where the paper cannot work, and stated where it says nothing:

- Algorithm 2 waits for N packets of another NF while nothing else is looked at. Here what was taken is watched, and
  everything goes on.
- Line 8 looks for the largest slack among figures of which some are of this round and some of the one before. Here it
  is looked for only when something is to be taken, among what is known then.
- Lines 23 and 24 free something whenever an NF is well. Here its L95 must have been below half of L_max for 2 s, and
  what it used lately is left to it.
- A window of N packets may take seconds, and an NF that stands still closes none: windows are closed by time as well,
  and the age of the oldest packet that an NF has counts as its L95 where it is higher.
- One window above L_max is noise; two running are not: neither is anything given nor is what was taken given back
  after one. With 100 windows in the 2 s in which an NF is watched, one of noise would else leave it alone for 30 s.
- An NF that nothing can be given, as one in the kernel, is watched as any: what packets say of it in two windows
  running ends at line 20, and its chain is the global loop's.
- An NF without packets needs nothing: what was said of the last ones does not stand on.
- CPU frequency is no resource here (`resources.Resource` says why). An NF without LLC ways of its own shares what all
  share: it begins with the least of its bounds, and goes back to sharing once it does not need them.
"""

from collections.abc import Iterator
from dataclasses import replace

from sextant_engine.control.srv6.ledger import Ledger
from sextant_engine.control.srv6.resources import Resource
from sextant_engine.control.srv6.state import (
    ChangeKind,
    LoopActions,
    LoopObservation,
    LoopState,
    NfMemory,
    NfObserved,
    Taken,
)

WINDOW_NS = 20_000_000
"""So long after the last one, the age of what an NF still has counts as a window of its own."""
LATE_NS = 500_000_000
"""Figures that are older say nothing of the present."""
QUIET_NS = 2_000_000_000
"""An NF of which no window was closed for so long has no packets to speak of."""
ENOUGH = 2
"""Windows above L_max, running, after which something is done."""
LOW = 0.5
"""Part of L_max below which an NF has more than it needs."""
LOW_NS = 2_000_000_000
WATCHED_NS = 2_000_000_000
"""So long what was taken is given back if it hurts."""
REST_NS = 1_000_000_000
"""After an NF was given or lost something, before anything is taken from it."""
HURT_REST_NS = 30_000_000_000
"""The same after taking hurt it; doubled each time, up to the longest."""
LONGEST_REST_NS = 480_000_000_000


def step(state: LoopState, observation: LoopObservation, now_ns: int) -> tuple[LoopState, LoopActions]:
    """The next state, and what to apply."""
    late_ns = now_ns - observation.taken_ns
    if late_ns > LATE_NS:
        return state, LoopActions(held=f"what packets measured is {late_ns / 1e9:.1f} s old")
    turn = _Turn(state, observation, now_ns)
    turn.evaluate()
    turn.give_back()
    turn.raise_those_above()
    turn.reclaim()
    return turn.result()


class _Turn:
    """One step: what is remembered is replaced NF by NF, and what is given goes through the ledger."""

    def __init__(self, state: LoopState, observation: LoopObservation, now_ns: int) -> None:
        self._seen, self._now = observation.nfs, now_ns
        self._nfs = {name: state.nfs.get(name, NfMemory()) for name in sorted(observation.nfs)}
        self._taken = {name: taken for name, taken in state.taken.items() if name in self._nfs}
        self._new: set[str] = set()
        """NFs whose L95 was worked out now."""
        self._ledger = Ledger(observation)

    def result(self) -> tuple[LoopState, LoopActions]:
        """As it stands."""
        return LoopState(self._nfs, self._taken), LoopActions(tuple(self._ledger.changes))

    def evaluate(self) -> None:
        """Algorithm 1, lines 4 to 7."""
        for name, seen in self._seen.items():
            before = self._nfs[name]
            number = None if seen.window is None else seen.window.number
            if before.life != seen.life or (before.evaluated_ns == 0 and before.window is None):
                # what was closed before it was first looked at may be long ago
                self._nfs[name] = NfMemory(life=seen.life, window=number, evaluated_ns=self._now)
                self._taken.pop(name, None)
                continue
            l95_us = self._l95(before, seen)
            if l95_us is None:
                if self._now - before.evaluated_ns > QUIET_NS:
                    self._nfs[name] = replace(
                        before, over=0, low_since_ns=None, latest_us=None, saturated_since_ns=None
                    )
                continue
            self._new.add(name)
            self._nfs[name] = _evaluated(replace(before, window=number), seen, l95_us, self._now)

    def give_back(self) -> None:
        """Algorithm 2, lines 5 to 8: before anything else is given, and from whoever was given it."""
        for name, taken in sorted(self._taken.items()):
            memory, seen = self._nfs[name], self._seen[name]
            if name in self._new and memory.over >= ENOUGH:
                self._revert(name, taken)
            elif self._now > taken.until_ns or taken.resource not in seen.limits:
                del self._taken[name]
                self._nfs[name] = replace(memory, hurt=0)

    def _revert(self, name: str, taken: Taken) -> None:
        memory = self._nfs[name]
        why = f"{self._l95_text(name)} since {_words(taken.resource)} was taken from it"
        if taken.to is not None and taken.to in self._seen:
            now_has = self._ledger.has(taken.to, taken.resource)
            self._ledger.put(taken.to, taken.resource, now_has - taken.gain, ChangeKind.REVERTED, f"{name}: {why}")
        self._ledger.give_back(name, taken.resource, taken.before, why)
        rest_ns = min(LONGEST_REST_NS, HURT_REST_NS << min(memory.hurt, 10))
        del self._taken[name]
        self._nfs[name] = replace(
            memory,
            over=0,
            low_since_ns=None,
            hurt=memory.hurt + 1,
            rests_until_ns=self._now + rest_ns,
            resource=memory.resource.after,  # Algorithm 2, line 7
        )

    def raise_those_above(self) -> None:
        """Algorithm 1, lines 9 to 22; who is furthest above comes first."""
        above = [name for name in self._new if self._nfs[name].over >= ENOUGH]
        for name in sorted(above, key=lambda name: (-self._excess(name), name)):
            self._raise(name)

    def _raise(self, name: str) -> None:
        memory = self._nfs[name]
        l95_us = memory.latest_us or 0.0
        first = memory.resource
        if memory.raised_at_us is not None and l95_us >= memory.raised_at_us:
            first = first.after  # lines 10 to 12
        why = f"{self._l95_text(name)} in {memory.over} windows running"
        for resource in _from(first):  # lines 13 and 14
            if self._ledger.raise_one(name, resource, why) > 0:
                self._given(name, resource, l95_us)
                return
        for resource in _from(first):  # lines 15 to 19
            if self._take_for(name, resource, why):
                self._given(name, resource, l95_us)
                return
        since_ns = self._now if memory.saturated_since_ns is None else memory.saturated_since_ns
        self._nfs[name] = replace(memory, saturated_since_ns=since_ns)  # line 20

    def _given(self, name: str, resource: Resource, l95_us: float) -> None:
        self._taken.pop(name, None)
        self._nfs[name] = replace(
            self._nfs[name],
            over=0,
            low_since_ns=None,
            resource=resource,
            raised_at_us=l95_us,
            saturated_since_ns=None,
            rests_until_ns=max(self._nfs[name].rests_until_ns, self._now + REST_NS),
        )

    def _take_for(self, name: str, resource: Resource, why: str) -> bool:
        """From the NF with the most slack (line 8) that has the same pool; False where nobody has any."""
        if not self._ledger.wants(name, resource):
            return False
        others = [other for other in self._ledger.sharers(name, resource) if self._has_slack(other)]
        for other in sorted(others, key=lambda other: (-self._slack_us(other), other)):
            before = self._ledger.has(other, resource)
            if not self._ledger.can_take(name, other, resource):
                continue
            if self._ledger.free_one(other, resource, ChangeKind.TAKEN, f"{name}: {why}") > 0:
                gain = self._ledger.raise_one(name, resource, why)
                self._watch(other, Taken(resource, before, name, gain, self._now + WATCHED_NS))
                return True
        return False

    def reclaim(self) -> None:
        """Algorithm 1, lines 23 and 24, of what is not needed."""
        for name, memory in self._nfs.items():
            low_since_ns = memory.low_since_ns
            if low_since_ns is None or self._now - low_since_ns < LOW_NS or not self._may_lose(name):
                continue
            why = f"{self._l95_text(name)} for {(self._now - low_since_ns) / 1e9:.0f} s"
            for resource in _from(memory.resource):
                before = self._ledger.has(name, resource)
                if self._ledger.free_one(name, resource, ChangeKind.RECLAIMED, why) > 0:
                    self._watch(name, Taken(resource, before, None, 0.0, self._now + WATCHED_NS))
                    break

    def _watch(self, name: str, taken: Taken) -> None:
        self._taken[name] = taken
        self._nfs[name] = replace(self._nfs[name], low_since_ns=None, rests_until_ns=self._now + REST_NS)

    def _may_lose(self, name: str) -> bool:
        return name not in self._taken and self._now >= self._nfs[name].rests_until_ns

    def _has_slack(self, name: str) -> bool:
        memory, seen = self._nfs[name], self._seen[name]
        low = memory.latest_us is None or memory.latest_us < LOW * seen.l_max_us
        return self._may_lose(name) and low and seen.oldest_us < LOW * seen.l_max_us

    def _slack_us(self, name: str) -> float:
        """Line 7; all of L_max where it has no packets."""
        return self._seen[name].l_max_us - (self._nfs[name].latest_us or 0.0)

    def _excess(self, name: str) -> float:
        return (self._nfs[name].latest_us or 0.0) / self._seen[name].l_max_us

    def _l95(self, before: NfMemory, seen: NfObserved) -> float | None:
        """None where there is no news."""
        new = seen.window is not None and seen.window.number != before.window
        if seen.window is not None and new:
            return max(seen.window.p95_us, seen.oldest_us)
        waited = self._now - before.evaluated_ns >= WINDOW_NS
        return seen.oldest_us if waited and seen.oldest_us > seen.l_max_us else None

    def _l95_text(self, name: str) -> str:
        l95_us, l_max_us = self._nfs[name].latest_us or 0.0, self._seen[name].l_max_us
        sign = ">" if l95_us > l_max_us else "<="
        return f"p95 {_ms(l95_us)} ms {sign} {_ms(l_max_us)} ms"


def _evaluated(before: NfMemory, seen: NfObserved, l95_us: float, now_ns: int) -> NfMemory:
    above = l95_us > seen.l_max_us
    low_since_ns = before.low_since_ns or now_ns if l95_us < LOW * seen.l_max_us else None
    return replace(
        before,
        evaluated_ns=now_ns,
        latest_us=l95_us,
        over=before.over + 1 if above else 0,
        low_since_ns=low_since_ns,
        raised_at_us=before.raised_at_us if above else None,
        saturated_since_ns=before.saturated_since_ns if above else None,
    )


def _from(first: Resource) -> Iterator[Resource]:
    """All of them, in turn."""
    resource = first
    for _ in Resource:
        yield resource
        resource = resource.after


def _ms(microseconds: float) -> str:
    """Three digits, or all before the point."""
    milliseconds = microseconds / 1000
    return f"{milliseconds:.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def _words(resource: Resource) -> str:
    return {
        Resource.CPU_QUOTA: "CPU quota",
        Resource.LLC_WAYS: "LLC ways",
        Resource.MEMORY_BANDWIDTH: "memory bandwidth",
    }[resource]
