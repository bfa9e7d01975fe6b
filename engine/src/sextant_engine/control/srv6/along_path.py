"""What the global loop sees of a lane that passes several hosts: its parts as one. Pure."""

from collections.abc import Sequence

from sextant_engine.control.srv6.chains import LaneSeen


def along_path(parts: Sequence[LaneSeen]) -> LaneSeen:
    """Parts in the order in which packets pass, each as its host sees it: the lane is offered what enters with the
    first, and carries what leaves with the last, and what rules of those before filter. It is as badly off as the part
    that is worst, and one that can be given nothing is enough for it to need more. What is lacking is that of the first
    part alone: whether a host is contended is asked of the one whose turn it is, and the others have their own."""
    first, last = parts[0], parts[-1]
    worst = max((part.worst for part in parts if part.worst is not None), default=None)
    saturated = [part for part in parts if part.saturated is not None]
    longest = max(saturated, key=lambda part: part.stood_s, default=None)
    filtered_before = sum(part.filtered_mpps for part in parts[:-1])
    return LaneSeen(
        offered_mpps=first.offered_mpps,
        carried_mpps=last.carried_mpps + filtered_before,
        worst=worst,
        saturated=None if longest is None else longest.saturated,
        stood_s=0.0 if longest is None else longest.stood_s,
        lacks=first.lacks,
        filtered_mpps=last.filtered_mpps + filtered_before,
    )
