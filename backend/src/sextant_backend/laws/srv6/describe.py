"""How the console describes what SRv6-INT's global loop does and recommends."""

from collections.abc import Sequence

from sextant_engine.control.srv6.chains import LanesAsked, MoveAsked

from sextant_backend.laws.srv6.memory import Pending

TITLE = "SRv6-INT"
SUMMARY = (
    "Where packets say that an NF has them for too long and its host has no more to give it, carries its chain in more "
    "lanes, or moves all of it to another host where its own is contended; where a lane less has done for long, one "
    "goes."
)
WHEN_OFF = "an operator changes how many lanes a chain has"
BY_ITSELF = (
    "It starts lanes once an NF has been above its latency for the hold time on a host that has no more for it, and "
    "ends a lane that was not needed for long, one change of a host at a time; it moves a chain whose host leaves it "
    "less than its bounds grant."
)


def in_lanes(chain: str, count: int) -> str:
    """'web in 2 lanes'."""
    return f"{chain} in {'one lane' if count == 1 else f'{count} lanes'}"


def why(asked: LanesAsked, uncounted: Sequence[str] = ()) -> str:
    """Because of more lanes, or one less. `uncounted`: NFs whose CPU time is not measured."""
    if asked.nf is None:
        return f"{in_lanes(asked.chain, asked.lanes)} would have done for long"
    starts = ", ".join(f"{lane} on {host}" for lane, host in sorted(asked.hosts.items()))
    return (
        f"{asked.nf} has its packets longer than tolerated, and its host has no more for it; "
        f"{in_lanes(asked.chain, asked.lanes)}: {starts}{_not_counted(uncounted)}"
    )


def why_moved(asked: MoveAsked, home: str, uncounted: Sequence[str] = ()) -> str:
    """Because of all of a chain on another host."""
    return (
        f"{asked.nf} has its packets longer than tolerated, and {home} has no more for it, though its bounds grant "
        f"more; all of {asked.chain} goes from {home} to {asked.host}, which has most left{_not_counted(uncounted)}"
    )


def _not_counted(nf_ids: Sequence[str]) -> str:
    """What was not looked at when a host was chosen."""
    if not nf_ids:
        return ""
    return f"; what {' and '.join(nf_ids)} will take of cores there is not counted, since nobody measures it"


def offered_again(gbps: str) -> str:
    """Of lanes that an operator dismissed."""
    return f"offered again once {gbps} arrive"


def no_more(pending: Pending) -> str:
    """Why there is no reason for it any more."""
    if pending.nf is None:
        return f"{in_lanes(pending.chain, pending.lanes)} would not do any more"
    return f"{pending.chain} needs no more than its hosts have any more"


def recommended(pending: Pending) -> str:
    """What waits for an answer."""
    if pending.to is not None:
        return f"{pending.chain} on {pending.to} is recommended"
    return f"{in_lanes(pending.chain, pending.lanes)} is recommended"


def status(hosts: int, saturated: int) -> str:
    """Of the fleet."""
    if not hosts:
        return "no chain has quota bounds"
    where = "1 host" if hosts == 1 else f"{hosts} hosts"
    if not saturated:
        return f"looks at {where}: no NF needs more than its host has"
    return f"looks at {where}: {saturated} chain{' needs' if saturated == 1 else 's need'} more than their hosts have"
