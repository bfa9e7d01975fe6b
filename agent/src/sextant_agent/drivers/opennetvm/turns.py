"""The order of one apply: chains are changed one after the other, since one makes room for the next; meanwhile every
chain in which something died is brought back by a thread of its own, also where it dies while others are changed."""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog

from sextant_agent.differences import Difference, Kind
from sextant_agent.driver import DriverError, Failure

AT_ONCE = 8
"""Chains: one a manager, of which opennetvm.toml has eight at most."""
LOOK_S = 1.0
"""Longest time between two looks while processes change."""

log = structlog.get_logger()

Mend = Callable[[Difference], str | None]
"""What was done, None where it had been done before. Raises DriverError."""


@dataclass(slots=True)
class Outcome:
    """What was done, and by chain or NF what could not be."""

    done: list[str] = field(default_factory=list)
    failures: dict[str, Failure] = field(default_factory=dict)


class Turns:
    """Each chain is changed once, and brought back once: what dies again is the next apply's."""

    def __init__(self, look: Callable[[], Iterable[Difference]], mend: Mend, news: threading.Event) -> None:
        """`look`: what is to be done now, in its order. `news`: set when a process has ended."""
        self._look = look
        self._mend = mend
        self._news = news
        self._outcome = Outcome()
        self._failed: dict[str, Failure] = {}
        """By chain: after one failure the rest of it waits for the next apply."""
        self._begun: set[tuple[str, bool]] = set()
        """Chains, and whether they were brought back or changed."""
        self._at_work: dict[Future[Outcome], tuple[str, bool]] = {}

    def take(self) -> Outcome:
        """All of them."""
        with ThreadPoolExecutor(AT_ONCE, "mend") as pool:
            while True:
                self._begin(pool)
                if not self._at_work:
                    return self._outcome
                self._news.wait(LOOK_S)
                self._news.clear()
                self._end()

    def _begin(self, pool: ThreadPoolExecutor) -> None:
        gaps = list(self._look())
        for chain in dict.fromkeys(gap.chain for gap in gaps):
            of_chain = [gap for gap in gaps if gap.chain == chain]
            dead = [gap for gap in of_chain if gap.kind is Kind.RESTART]
            rest = [gap for gap in of_chain if gap.kind is not Kind.RESTART]
            if chain in self._failed:
                self._outcome.failures |= {gap.key: self._failed[chain] for gap in of_chain}
            elif any(busy == chain for busy, _ in self._at_work.values()):
                continue
            elif dead and (chain, True) not in self._begun:
                self._submit(pool, chain, dead, back=True)
            elif rest and (chain, False) not in self._begun and all(back for _, back in self._at_work.values()):
                self._submit(pool, chain, rest, back=False)

    def _submit(self, pool: ThreadPoolExecutor, chain: str, gaps: Sequence[Difference], *, back: bool) -> None:
        self._begun.add((chain, back))
        future = pool.submit(self._turn, gaps)
        self._at_work[future] = chain, back
        future.add_done_callback(lambda _: self._news.set())

    def _end(self) -> None:
        for future in [future for future in self._at_work if future.done()]:
            chain, _ = self._at_work.pop(future)
            ended = future.result()
            self._outcome.done += ended.done
            self._outcome.failures |= ended.failures
            if ended.failures:
                self._failed[chain] = next(iter(ended.failures.values()))

    def _turn(self, gaps: Sequence[Difference]) -> Outcome:
        outcome = Outcome()
        for number, gap in enumerate(gaps):
            try:
                told = self._mend(gap)
            except DriverError as error:
                failure = Failure(str(error), permanent=error.permanent)
            except Exception as error:  # a mistake in the driver must keep no other chain from what was ordered
                log.exception("driver error", chain=gap.chain, next_step="report it; it is tried again")
                failure = Failure(f"{gap.text}: {type(error).__name__}: {error}: the agent's log says where; report it")
            else:
                outcome.done += [] if told is None else [told]
                continue
            outcome.failures = {left.key: failure for left in gaps[number:]}
            break
        return outcome
