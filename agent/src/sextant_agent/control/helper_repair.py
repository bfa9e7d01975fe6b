"""What differs, set right by the root helper one after the other: what one difference meets keeps no other from it."""

from collections.abc import Callable, Iterable

from sextant_agent.contract.driver import Failure
from sextant_agent.control.differences import Difference
from sextant_agent.control.helper_client import HelperError, HelperRefused

PASSING = frozenset({"not-allowed", "busy"})
"""Refusals that the next sample may fix: the process ended in between."""


def repair_each(
    gaps: Iterable[Difference], change: Callable[[Difference], str]
) -> tuple[list[str], dict[str, Failure]]:
    """What was done, and by NF what could not be. `change` says what it did; it may raise HelperError."""
    done: list[str] = []
    failures: dict[str, Failure] = {}
    for gap in gaps:
        try:
            done.append(change(gap))
        except HelperError as error:
            failures[gap.key] = failure_of(error)
    return done, failures


def failure_of(error: HelperError) -> Failure:
    """What cannot be asked at all may be asked later."""
    return Failure(str(error), permanent=isinstance(error, HelperRefused) and error.code not in PASSING)
