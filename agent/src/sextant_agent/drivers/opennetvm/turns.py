"""The order of one apply: chains are changed one after the other, since one makes room for the next; meanwhile every
chain in which something died is brought back by a thread of its own, also where it dies while others are changed."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import structlog

from sextant_agent.contract.driver import Failure
from sextant_agent.contract.errors import DriverError
from sextant_agent.control.differences import Difference, Kind

WAIT_STEP_S = 1.0
"""Longest time between two checks while processes change."""

log = structlog.get_logger()

Repair = Callable[[Difference], str | None]
"""What was done, None where it had been done before. Raises DriverError."""


@dataclass(slots=True)
class ChangeResult:
    """What was done, and by chain or NF what could not be."""

    done: list[str] = field(default_factory=list)
    failures: dict[str, Failure] = field(default_factory=dict)


class _Turn(threading.Thread):
    """One chain's. The end of the agent does not wait for it: its successor finds what was written down."""

    def __init__(self, chain: str, *, back: bool, work: Callable[[], ChangeResult], news: threading.Event) -> None:
        super().__init__(name="fix", daemon=True)
        self.chain, self.back = chain, back
        self.outcome: ChangeResult | BaseException | None = None
        """None while it goes on."""
        self._work = work
        self._news = news

    def run(self) -> None:
        try:
            self.outcome = self._work()
        except BaseException as error:  # whoever waits for it raises it
            self.outcome = error
        self._news.set()


class Turns:
    """Each chain is changed once, and brought back once: what dies again is the next apply's."""

    def __init__(self, find_gaps: Callable[[], Iterable[Difference]], repair: Repair, news: threading.Event) -> None:
        """`find_gaps`: what is to be done now, in its order. `news`: set when a process has ended."""
        self._find_gaps = find_gaps
        self._repair = repair
        self._news = news
        self._outcome = ChangeResult()
        self._failed: dict[str, Failure] = {}
        """By chain: after one failure the rest of it waits for the next apply."""
        self._begun: set[tuple[str, bool]] = set()
        """Chains, and whether they were brought back or changed."""
        self._at_work: list[_Turn] = []

    def take(self) -> ChangeResult:
        """All of them."""
        try:
            while True:
                self._begin()
                if not self._at_work:
                    return self._outcome
                self._news.wait(WAIT_STEP_S)
                self._news.clear()
                self._end()
        finally:
            for turn in self._at_work:
                turn.join()

    def _begin(self) -> None:
        gaps = list(self._find_gaps())
        for chain in dict.fromkeys(gap.chain for gap in gaps):
            of_chain = [gap for gap in gaps if gap.chain == chain]
            dead = [gap for gap in of_chain if gap.kind is Kind.RESTART]
            if chain in self._failed:
                self._outcome.failures |= {gap.key: self._failed[chain] for gap in of_chain}
            elif any(turn.chain == chain for turn in self._at_work):
                continue
            elif dead:  # beside a dead NF no other is moved
                if (chain, True) not in self._begun:
                    self._start(chain, dead, back=True)
            elif (chain, False) not in self._begun and all(turn.back for turn in self._at_work):
                self._start(chain, of_chain, back=False)

    def _start(self, chain: str, gaps: Sequence[Difference], *, back: bool) -> None:
        self._begun.add((chain, back))
        turn = _Turn(chain, back=back, work=lambda: self._repair_all(gaps), news=self._news)
        self._at_work.append(turn)
        turn.start()

    def _end(self) -> None:
        for turn in [turn for turn in self._at_work if turn.outcome is not None]:
            self._at_work.remove(turn)
            if isinstance(turn.outcome, BaseException):
                raise turn.outcome
            if turn.outcome is not None:
                self._outcome.done += turn.outcome.done
                self._outcome.failures |= turn.outcome.failures
                for failure in turn.outcome.failures.values():
                    self._failed[turn.chain] = failure

    def _repair_all(self, gaps: Sequence[Difference]) -> ChangeResult:
        outcome = ChangeResult()
        for number, gap in enumerate(gaps):
            try:
                reported = self._repair(gap)
            except DriverError as error:
                failure = Failure(str(error), permanent=error.permanent)
            except Exception as error:  # a mistake in the driver must keep no other chain from what was ordered
                log.exception("driver error", chain=gap.chain, next_step="report it; it is tried again")
                failure = Failure(f"{gap.text}: {type(error).__name__}: {error}: the agent's log says where; report it")
            else:
                outcome.done += [] if reported is None else [reported]
                continue
            outcome.failures = {left.key: failure for left in gaps[number:]}
            break
        return outcome
