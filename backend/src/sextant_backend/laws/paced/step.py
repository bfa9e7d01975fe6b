"""What is the same in every law's step for a host: what stops it, and what becomes of what it recommends. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from sextant_domain.laws.recommendation import PolicyMode
from sextant_engine.control.frame import OFFERED_AGAIN_FROM, LawMemory, OpenGain, lapsed

from sextant_backend.laws.frame import HostInput, HostOutcome
from sextant_backend.laws.host_reading import HostRead
from sextant_backend.laws.paced.memory import KeptOfHost, PendingChange

WITHDRAWN_AFTER_S = 5
"""Seconds running in which there is no reason for what is recommended: rates waver."""
NOT_EVALUATED = "it has not been evaluated yet"
NOT_KNOWN = "what it would change is not known any more"

KeptT = TypeVar("KeptT", bound=KeptOfHost)


class ProposedOfHost(Protocol):
    """What a law would have done."""

    @property
    def attempt(self) -> str:
        """Two of the same attempt are the same: what could not be ordered once cannot be now."""

    @property
    def gbps(self) -> float:
        """What it gains; 0 where it is not for a gain."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Why a law does nothing on a host in a second."""

    why: str
    withdraws: bool
    """What is recommended there is taken back as well; else it waits until the law goes on."""

    def outcome(self, given: HostInput, outcome: HostOutcome) -> HostOutcome:
        """Of the second."""
        return withdrawn(outcome, self.why) if self.withdraws and given.open_id is not None else outcome


def halted(given: HostInput, host: HostRead) -> Halt | None:
    """Operators first (all laws stopped, maintenance, policy), then an operation, then a host that is away or closed;
    None: the law goes on."""
    off = given.stopped or ("the policy is manual" if given.mode is PolicyMode.MANUAL else None)
    if off is not None:
        return Halt(off, withdraws=True)
    busy = "an operation runs on this host" if given.operation is not None else host.closed
    return None if busy is None else Halt(busy, withdraws=False)


def answer(given: HostInput, kept: KeptOfHost) -> str | None:
    """What became of what was recommended last ('accepted', 'dismissed', 'withdrawn'), once; None: nothing new."""
    return None if kept.pending is None or given.open_id is not None else given.answered


def withdrawn(outcome: HostOutcome, why: str) -> HostOutcome:
    """What is recommended is taken back."""
    memory: LawMemory[KeptOfHost] = outcome.memory
    return replace(outcome, withdraw=why, memory=lapsed(replace(memory, law=replace(memory.law, pending=None))))


def proposing(given: HostInput, outcome: HostOutcome, proposed: ProposedOfHost, urgency: float) -> HostOutcome:
    """What is to be recommended, and applied where the policy is automatic."""
    return replace(outcome, proposed=proposed, urgency=urgency, apply=given.mode is PolicyMode.AUTOMATIC)


def impossible_again(memory: LawMemory[KeptT], proposed: ProposedOfHost) -> str | None:
    """Why what pays is not recommended: it could not be ordered, and nothing has changed since."""
    known = memory.law.impossible == proposed.attempt
    return f"it cannot be ordered: {memory.law.impossible_why}" if known else None


def dismissed_again(
    memory: LawMemory[KeptT], proposed: ProposedOfHost, offered_again: Callable[[str], str]
) -> str | None:
    """Why what pays is not recommended: an operator has said no, and it has not grown by half since. `offered_again`:
    from a gain ('4.20 Gbps') to when it comes again."""
    again = 0.0 if memory.dismissed is None else OFFERED_AGAIN_FROM * memory.dismissed.gain_mpps
    return f"dismissed; {offered_again(f'{again:.2f} Gbps')}" if proposed.gbps < again else None


def recommended(
    memory: LawMemory[KeptT], proposed: ProposedOfHost, pending: PendingChange, *, for_gain: bool = True
) -> LawMemory[KeptT]:
    """What is remembered once what is proposed is recommended. What is not for a gain leaves it known what cannot be
    ordered, and what was dismissed: forgotten, these would come again and take its place."""
    kept = replace(memory.law, pending=pending)
    if for_gain:
        kept = replace(kept, impossible=None, impossible_why=None)
    dismissed = None if for_gain else memory.dismissed
    return replace(memory, law=kept, open=OpenGain(proposed.gbps, 0), dismissed=dismissed)


def not_possible(memory: LawMemory[KeptT], proposed: ProposedOfHost, why: str) -> LawMemory[KeptT]:
    """The same where it cannot be planned: it is not tried again until it would be another one."""
    return replace(memory, law=replace(memory.law, impossible=proposed.attempt, impossible_why=why))
