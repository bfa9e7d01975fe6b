"""What control laws and others do on a host, in sentences. Pure: page and command show the same ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.laws.automation import ScopedPolicy
from sextant_domain.laws.host_automation import PolicySource
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.naming import few
from sextant_domain.profiling.job import JobState

MOST_NAMED = 4


@dataclass(frozen=True)
class HostNow:
    """What holds a law back on a host, whichever law it is."""

    name: str
    status: str
    status_reason: str
    chains: tuple[str, ...]
    operation: int | None
    """That holds the host."""
    elsewhere: bool
    """An operation holds another host."""
    assumed: tuple[str, ...]
    """NF types of its chains of which no measured model is in use."""
    reserved: Mapping[int, str]
    """Core -> for what."""


def policy(mode: PolicyMode, source: PolicySource, changed_by: str, when_off: str, by_itself: str) -> str:
    """How far a law may act on the host, and why. `when_off`, `by_itself`: what the law says of either."""
    whose = _whose(mode, source, changed_by)
    if mode is PolicyMode.MANUAL:
        return f"Off: {whose}. It evaluates nothing here; {when_off}."
    if mode is PolicyMode.RECOMMEND:
        return f"Recommends, and changes nothing by itself: {whose}."
    return f"Acts by itself: {whose}. {by_itself}"


def stopped(by: str) -> str:
    """All laws are."""
    return f"Off: all control laws are stopped, by {by}."


def resting(why: str) -> str:
    """A maintenance window is on."""
    return f"Rests: {why}."


def _whose(mode: PolicyMode, source: PolicySource, changed_by: str) -> str:
    if source is PolicySource.DEFAULT:
        return f"the fleet's policy is {mode.value}, the default"
    if source is PolicySource.CHAIN:
        return f"policies of chains here come to {mode.value}, the least of those that are not manual"
    subject = "the fleet's policy" if source is PolicySource.FLEET else "the policy of this host"
    return f"{subject} is {mode.value}, set by {changed_by}"


def held_back(now: HostNow, kept: Sequence[ScopedPolicy], settles_s: float) -> tuple[str, ...]:
    """What keeps a law from acting just now. `kept`: policies of the chains that it leaves where they are."""
    found: list[str] = []
    if now.status != HostStatus.UP:
        found.append(f"{now.name} is {now.status} ({now.status_reason}): nothing can be ordered there.")
    if not now.chains:
        found.append("No chain runs here: there is nothing to move.")
    if now.operation is not None:
        found.append(f"Operation {now.operation} is at work on this host: nothing is evaluated until it has ended.")
    elif now.elsewhere:
        found.append("An operation is at work on another host: nothing is evaluated until it has ended.")
    elif settles_s > 0:
        found.append(f"The fleet settles after an operation, for {settles_s:.0f} s more.")
    found += [f"Chain {one.name} stays where it is: its policy is manual, set by {one.changed_by}." for one in kept]
    if now.assumed:
        found.append(
            f"No measured model of {few(now.assumed, MOST_NAMED)} is in use here: figures of such NFs are assumed."
        )
    if now.reserved:
        cores = ", ".join(f"{core} ({what})" for core, what in sorted(now.reserved.items()))
        found.append(f"Nothing is placed on reserved cores: {cores}.")
    return tuple(found)


OF_OTHERS = "What was evaluated last is of the fleet's other hosts."
"""Of a law of the whole fleet, where no chain runs."""


def restarts(counts: Mapping[str, int]) -> str:
    """Of NFs of the host. `counts`: NF -> how often it was restarted since it was placed."""
    rule = "The agent restarts an NF that ends: at once the first time, then after growing pauses."
    ended = {nf: count for nf, count in counts.items() if count > 0}
    if not ended:
        return f"{rule} No NF that runs here was restarted."
    most = max(sorted(ended), key=ended.__getitem__)
    total = sum(ended.values())
    return f"{rule} {total} restart{'s' if total > 1 else ''} so far, most of {most} ({ended[most]})."


def manager(inventory: HostInventory, capability: str) -> str | None:
    """Where the driver says that it ends what makes no progress; None elsewhere."""
    found = next((one for one in inventory.capabilities if one.name == capability and one.available), None)
    return None if found is None else f"{found.reason[0].upper()}{found.reason[1:]}."


def operations(tries: int, now: int | None) -> str:
    """What becomes of a step that fails. `now`: the operation that holds the host."""
    rule = (
        f"A step of an operation that fails is tried {tries} times, and again when a host that was away is back; after"
        " that an operator undoes it or tries again. Nothing is undone by itself."
    )
    return rule if now is None else f"{rule} Operation {now} holds this host now."


def profiling(job_id: int, nf_type: str, state: str, note: str | None) -> str:
    """An open profiling job."""
    what = {JobState.PROCESSING: "measures here", JobState.PAUSED: "is paused"}.get(JobState(state), "waits")
    return f"Profiling job {job_id} of {nf_type} {what}{f': {note}' if note else ''}."


NO_PROFILING = "No profiling job is open. One begins by itself for a chain with an NF type that was never measured."
