"""What to do next to make a host run what it was ordered: pure functions, with the clock passed in.

`decide` compares the order with what was found and says whether the driver shall act now; `learn` takes in how
that went. Both are values in, values out, so that tests drive thousands of schedules through them.
The thread that executes is `loop.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sextant_domain.hosts.desired import DesiredHostConfig, NfState, Phase

from sextant_agent.contract.driver import ApplyReport
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.control import cpu_requests, resource_requests
from sextant_agent.control.backoff import Trouble, Troubles, is_waiting, ready_at, settle, worsen
from sextant_agent.control.differences import DATA_PLANE, Difference, Kind, differences

BLOCKED_AFTER = 3
"""Failures in a row after which the report says that it does not go on by itself."""


@dataclass(frozen=True, slots=True)
class NfMemory:
    """What the decider keeps of an NF beyond one sample."""

    epoch: str
    starts: int
    restarts: int
    """Restarts over all lives of the data plane."""
    state: NfState
    since: datetime
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class ReconcilerState:
    """What the decider carries from one decision to the next."""

    applied_generation: int = 0
    order: tuple[int, str] | None = None
    """Generation and digest last decided on: a new order forgives the failures of the old one."""
    was_up: bool = False
    troubles: Troubles = field(default_factory=dict)
    attempted: frozenset[tuple[Kind, str]] = frozenset()
    """What the last decision let the driver do; found undone again, it counts as a failure."""
    nfs: Mapping[str, NfMemory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Apply:
    """Let the driver bring the host to the order now, but for what is on hold."""

    hold: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReconcilerDecision:
    """What to do now, when to look again at the latest, and what to report."""

    actions: tuple[Apply, ...]
    memory: ReconcilerState
    phase: Phase
    detail: str
    wake_at: float | None
    """Monotonic seconds; None where only news can change anything."""


def decide(
    desired: DesiredHostConfig, found: HostSample | DataPlaneDown, now: float, memory: ReconcilerState
) -> ReconcilerDecision:
    """One step. `now` is monotonic, in seconds. Deterministic, and does nothing to the world."""
    memory = _notice(desired, found, now, memory)
    gaps = differences(desired.content, found)
    troubles = settle(memory.troubles, {gap.key for gap in gaps}, now)
    for gap in gaps:
        if (gap.kind, gap.key) in memory.attempted and not is_waiting(troubles, gap, now):
            troubles = worsen(troubles, gap.key, now, "it was carried out but had no effect")
    ready = [gap for gap in gaps if not is_waiting(troubles, gap, now)]
    waiting = [gap for gap in gaps if is_waiting(troubles, gap, now)]
    memory = replace(
        memory,
        troubles=troubles,
        attempted=frozenset((gap.kind, gap.key) for gap in ready),
        applied_generation=memory.applied_generation if gaps else max(memory.applied_generation, desired.generation),
    )
    return ReconcilerDecision(
        actions=(Apply(hold=frozenset(gap.key for gap in waiting)),) if ready else (),
        memory=memory,
        phase=_phase(gaps, troubles),
        detail=_detail(desired, found, gaps, memory, now),
        wake_at=min((ready_at(troubles, gap) for gap in waiting), default=None),
    )


def learn(memory: ReconcilerState, result: ApplyReport | DataPlaneDown, now: float) -> ReconcilerState:
    """Memory after an apply: what failed waits longer each time; what went well is seen in the next sample."""
    troubles = memory.troubles
    if isinstance(result, DataPlaneDown):
        return replace(memory, troubles=worsen(troubles, DATA_PLANE, now, str(result), permanent=result.permanent))
    for key, failure in result.failures.items():
        troubles = worsen(troubles, key, now, failure.message, permanent=failure.permanent)
    return replace(memory, troubles=troubles)


def forgive(memory: ReconcilerState) -> ReconcilerState:
    """Somebody asks to try again: nothing waits any longer, though what failed stays counted."""
    troubles = {key: replace(each, next_at=0.0) for key, each in memory.troubles.items()}
    return replace(memory, troubles=troubles, attempted=frozenset())


def forget_shares(memory: ReconcilerState) -> ReconcilerState:
    """A law gives other ways and bandwidth now: what was attempted before says nothing of them."""
    return replace(memory, attempted=frozenset(one for one in memory.attempted if one[0] is not Kind.RESOURCES))


def _notice(
    desired: DesiredHostConfig, found: HostSample | DataPlaneDown, now: float, memory: ReconcilerState
) -> ReconcilerState:
    """Take in what was found: deaths, crashes, restarts, and a new order."""
    order = desired.generation, desired.digest
    if order != memory.order:
        # A new order is a new chance for its chains; the data plane's and the NFs' crash counts stay.
        kept = {key: trouble for key, trouble in memory.troubles.items() if key == DATA_PLANE or trouble.crash}
        memory = replace(memory, order=order, troubles=kept, attempted=frozenset())
    if isinstance(found, DataPlaneDown):
        if not memory.was_up:
            return memory
        troubles = worsen(memory.troubles, DATA_PLANE, now, str(found), permanent=found.permanent, crash=True)
        return replace(memory, was_up=False, troubles=troubles)
    wanted = {nf.nf_id for chain in desired.content.chains for nf in chain.nfs}
    nfs = {nf_id: _notice_nf(nf, found, memory.nfs.get(nf_id)) for nf_id, nf in found.nfs.items()}
    gone = {nf_id: old for nf_id, old in memory.nfs.items() if nf_id in wanted and nf_id not in nfs}
    troubles = memory.troubles
    for nf_id, nf in found.nfs.items():
        if nf.state is NfState.CRASHED and _is_news(nf, found, memory.nfs.get(nf_id)):
            troubles = worsen(troubles, nf_id, now, f"{nf_id} {nf.exit or 'ended'}", crash=True)
    return replace(memory, was_up=True, nfs=nfs | gone, troubles=troubles)


def _is_news(nf: NfCounters, found: HostSample, old: NfMemory | None) -> bool:
    """A crash is counted once, however often it is seen."""
    return old is None or old.state is not NfState.CRASHED or (old.epoch, old.starts) != (found.epoch, nf.starts)


def _notice_nf(nf: NfCounters, found: HostSample, old: NfMemory | None) -> NfMemory:
    if old is None:
        return NfMemory(found.epoch, nf.starts, max(0, nf.starts - 1), nf.state, found.taken_at, nf.exit)
    restarts, error = old.restarts, nf.exit or old.last_error
    if old.epoch != found.epoch:  # the data plane died under it and was started again, and so was the NF
        restarts, error = restarts + nf.starts, nf.exit or found.note or error
    elif nf.starts >= old.starts:
        restarts += nf.starts - old.starts
    else:  # its chain was added again
        restarts = max(0, nf.starts - 1)
    changed = (old.state, old.epoch, old.starts) != (nf.state, found.epoch, nf.starts)
    since = found.taken_at if changed else old.since
    return NfMemory(found.epoch, nf.starts, restarts, nf.state, since, error)


def _troubles_of(gap: Difference, troubles: Troubles) -> list[Trouble]:
    return [troubles[key] for key in sorted(gap.keys) if key in troubles]


def _phase(gaps: tuple[Difference, ...], troubles: Troubles) -> Phase:
    if not gaps:
        return Phase.CONVERGED
    in_the_way = [trouble for gap in gaps for trouble in _troubles_of(gap, troubles)]
    stuck = any(trouble.permanent or trouble.failures >= BLOCKED_AFTER for trouble in in_the_way)
    return Phase.BLOCKED if stuck else Phase.CONVERGING


def _detail(
    desired: DesiredHostConfig,
    found: HostSample | DataPlaneDown,
    gaps: tuple[Difference, ...],
    memory: ReconcilerState,
    now: float,
) -> str:
    if isinstance(found, DataPlaneDown):
        trouble = memory.troubles.get(DATA_PLANE)
        return _with_next_try(trouble.message if trouble else str(found), trouble, now)
    unmet = (requests.unmet(desired.content, found) for requests in (cpu_requests, resource_requests))
    notes = (found.note, *unmet)
    note = "".join(f"; {text}" for text in notes if text)
    wanted = [nf.nf_id for chain in desired.content.chains for nf in chain.nfs]
    running = sum(found.nfs[nf].state is NfState.RUNNING for nf in wanted if nf in found.nfs)
    progress = f"{running} of {len(wanted)} NFs run"
    if not gaps:
        return (f"{progress} as ordered" if wanted else "nothing is ordered and nothing runs") + note
    worst = max(gaps, key=lambda gap: sum(trouble.failures for trouble in _troubles_of(gap, memory.troubles)))
    more = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
    for trouble in _troubles_of(worst, memory.troubles)[:1]:
        return _with_next_try(f"{worst.text}: {trouble.message}", trouble, now) + f"; {progress}{note}"
    return f"{worst.text}{more}; {progress}{note}"


def _with_next_try(text: str, trouble: Trouble | None, now: float) -> str:
    if trouble is None or trouble.next_at <= now:
        return text
    return f"{text}; next try in {trouble.next_at - now:.0f} s"
