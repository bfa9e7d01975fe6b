"""The CONTROL_EACH_SECOND task: one turn of the laws that are evaluated every second, for all hosts, under one lease.
And the CONTROL_EARLY task: the same of hosts that have made an early report, by those of these laws that go by such.

It knows no law by name. It has a thread and a lease of its own: another law's search of seconds does not delay it.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sqlalchemy import ColumnElement, false, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.domain_events import RecommendationMade, announce
from sextant_backend.kit import outbox
from sextant_backend.kit.db import allow_idle, db_now, read_snapshot, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.memory import without_collector
from sextant_backend.kit.tasks import TaskName
from sextant_backend.laws import registry
from sextant_backend.laws.frame import Draft, HostInput, HostOutcome, PacedLaw
from sextant_backend.modules.control import decisions, gains, parameters, policy_table, recommending, repository
from sextant_backend.modules.control.evaluation import APPLY, DECISIONS_TALLY, NO_ACTION, RECOMMEND, WITHDRAW
from sextant_backend.modules.control.models import CONTROL_ROW_ID, FLEET, LawRow, PacedTurnRow
from sextant_backend.modules.control.reading import ALL_STOPPED
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.telemetry import early

MOST_DRAFTS = 8
"""Plans of one turn: what else is proposed comes with the next ones. Each takes some 20 ms."""
NOT_LOOKED_AT = "the law does not look at its host any more: it runs no chain, or no levels are promoted for it"
AGAIN_WITHIN_S = 1.0
"""What is to be evaluated again later than that, a turn of the second does first."""
_had: int | None = None
"""The last turn that this process had."""
_due: set[str] = set()
"""Hosts that are to be evaluated again now."""
_noting = threading.Lock()


@dataclass(frozen=True)
class PacedTurn:
    """One law, for all hosts."""

    law: PacedLaw
    read: Any
    given: tuple[HostInput, ...]
    parameters: Any
    policy: RecommendationPolicy
    version: int
    """Of its policies."""
    only: frozenset[str] | None
    """The turn is one of these hosts; None: of all."""
    gone: tuple[str, ...]
    """Hosts with an open recommendation that it does not look at any more."""
    now_s: float


@dataclass(frozen=True)
class PacedResult:
    """What came of it, before it is stored."""

    turn: PacedTurn
    outcomes: tuple[HostOutcome, ...]
    drafts: Mapping[str, tuple[Any, Draft | str]]
    """By host: its snapshot, and what is to be recommended, or why it cannot be."""


def any_due() -> ColumnElement[bool]:
    """Whether a turn would find something."""
    opened = (repository.any_open_of(law.name) for law in registry.each_second())
    return or_(false(), *opened, *(law.due() for law in registry.each_second()))


def tick() -> None:
    """One turn, if nobody is at it."""
    with session_scope() as session:
        gains.settle_gbps(session, [law.name for law in registry.each_second()])
    _run(_PacedWork(registry.each_second()))


def note_due(hosts: Iterable[str]) -> None:
    """A hold time that was counted on from an early report is over there: the next early turn looks at them as well."""
    with _noting:
        _due.update(hosts)


def tick_early() -> None:
    """One of hosts that have just made an early report, or are due; none where there are none."""
    with _noting:
        hosts = frozenset(_due)
        _due.clear()
    with session_scope() as session:
        hosts |= early.hosts_with_news(session)
    if hosts:
        _run(_PacedWork(tuple(law for law in registry.each_second() if law.reads_early), hosts))


def _run(work: "_PacedWork") -> None:
    if work.run():
        for recommendation_id, version in work.to_apply:
            recommending.apply_by_itself(recommendation_id, version)


class _PacedWork(LeasedWork[tuple[PacedTurn, ...], tuple[PacedResult, ...]]):
    """One turn of every law of every second."""

    model, name, points = PacedTurnRow, "control_each_second", frozenset({"claimed", "before_store"})

    def __init__(self, laws: Sequence[PacedLaw], only: frozenset[str] | None = None) -> None:
        self._laws, self._only = laws, only
        self.to_apply: list[tuple[int, int]] = []

    def take(self, session: Session) -> ClaimedWork[tuple[PacedTurn, ...]] | None:
        """Whatever there is to evaluate."""
        allow_idle(session)  # the first turn of a process reads every host
        first = {"id": CONTROL_ROW_ID, "turns": 0}
        session.execute(insert(PacedTurnRow).values(**first).on_conflict_do_nothing())
        token = claims.claim(session, PacedTurnRow, CONTROL_ROW_ID)
        if token is None:
            return None
        turns = session.scalar(select(PacedTurnRow.turns))
        if turns != _had:
            for law in registry.each_second():
                law.forget()
        return ClaimedWork(CONTROL_ROW_ID, token, tuple(_turn(session, law, self._only) for law in self._laws))

    def perform(self, taken: ClaimedWork[tuple[PacedTurn, ...]], heart: Heartbeat) -> tuple[PacedResult, ...]:
        """Every law in a step of its own."""
        found = []
        for turn in taken.what:
            heart.next_step()
            with without_collector():
                outcomes = tuple(turn.law.evaluate(turn.read, turn.given, turn.parameters, turn.now_s))
                found.append(PacedResult(turn, outcomes, dict(_drafts(turn, outcomes))))
        return tuple(found)

    def store(
        self, session: Session, taken: ClaimedWork[tuple[PacedTurn, ...]], result: tuple[PacedResult, ...]
    ) -> None:
        """What pages show, what is remembered, and what is recommended."""
        row = session.get_one(PacedTurnRow, CONTROL_ROW_ID, with_for_update=True, populate_existing=True)
        claims.held(row, taken.token)
        claims.give_back(row)
        row.turns += 1
        for one in result:
            self.to_apply += _store(session, one)
        global _had  # noqa: PLW0603 - of this process
        _had = row.turns


def _turn(session: Session, law: PacedLaw, only: frozenset[str] | None) -> PacedTurn:
    of_law = policy_table.law_row(session, law.name)
    read = law.read(session, only)
    hosts = law.hosts(read)
    opened = repository.open_of(session, law.name)
    return PacedTurn(
        law=law,
        read=read,
        given=tuple(_given(session, law, hosts, law.takers(read), opened)),
        parameters=parameters.of(parameters.row_of(session, law.name), law.parameters),
        policy=policy_table.policy_of(policy_table.of_fleet(session, law.name)),
        version=of_law.version,
        only=only,
        gone=tuple(sorted(opened.keys() - hosts.keys())) if only is None else (),
        now_s=db_now(session).timestamp(),
    )


def _given(
    session: Session,
    law: PacedLaw,
    hosts: Mapping[str, tuple[str, ...]],
    takers: Mapping[str, tuple[str, ...]],
    opened: Mapping[str, int],
) -> Iterator[HostInput]:
    stopped = ALL_STOPPED if repository.control(session).stopped else None
    rests = maintenance.resting(session)
    modes = policy_table.modes(session, law.name)
    holders = operations.all_holders(session)
    rows = {row.host: row for row in policy_table.of_hosts(session, law.name)}
    answers = repository.last_states(session, law.name) if rows else {}
    empty = decisions.memory_of(law, LawRow(law=law.name, host=FLEET, memory={}))
    for host, chains in (*hosts.items(), *sorted(takers.items())):
        yield HostInput(
            host=host,
            mode=modes.of_host(host, chains),
            kept=modes.kept(host, chains),
            stopped=stopped or rests.why(host),
            operation=holders.get(host),
            memory=decisions.memory_of(law, rows[host]) if host in rows else empty,
            answered=answers.get(host),
            open_id=opened.get(host),
            only_takes=host in takers,
        )


def _drafts(turn: PacedTurn, outcomes: Sequence[HostOutcome]) -> Iterator[tuple[str, tuple[Any, Draft | str]]]:
    """Of the most urgent proposals."""
    proposals = sorted((one for one in outcomes if one.proposed is not None), key=lambda one: (-one.urgency, one.host))
    for one in proposals[:MOST_DRAFTS]:
        with read_snapshot() as session:
            snapshot = snapshots.narrow(session, [one.host, *one.others])
        yield one.host, (snapshot, turn.law.draft(snapshot, one))


def _store(session: Session, result: PacedResult) -> Iterator[tuple[int, int]]:
    """Recommendations that are applied by themselves, with the version of the policies."""
    turn = result.turn
    of_law = policy_table.law_row(session, turn.law.name, lock=True)
    if of_law.version != turn.version:
        return  # another policy is in force by now, under which to evaluate again
    if turn.only is None:
        of_law.evaluated_at = db_now(session)
    status = turn.law.write(session, turn.read, result.outcomes)
    if status is not None and of_law.status != status:
        of_law.status = status
    counts = dict.fromkeys((NO_ACTION, RECOMMEND, APPLY, WITHDRAW), 0)
    before = {one.host: one.memory for one in turn.given}
    for outcome in result.outcomes:
        word, to_apply = _store_host(session, turn, outcome, before[outcome.host], result.drafts.get(outcome.host))
        counts[word] += 1
        if to_apply is not None:
            yield to_apply, turn.version
        if turn.law.reads_early and outcome.again_s is not None and outcome.again_s <= AGAIN_WITHIN_S:
            outbox.ring_later(session, outcome.again_s, TaskName.CONTROL_EARLY, outcome.host)
    for host in turn.gone:
        counts[WITHDRAW] += _withdraw(session, turn.law, host, NOT_LOOKED_AT)
    for word, number in counts.items():
        if number:
            outbox.count(session, DECISIONS_TALLY, number, turn.law.name, word)


def _store_host(
    session: Session, turn: PacedTurn, outcome: HostOutcome, before: Any, drafted: tuple[Any, Draft | str] | None
) -> tuple[str, int | None]:
    """What it is counted as, and the recommendation that is applied by itself."""
    law, host = turn.law, outcome.host
    if outcome.memory is before and outcome.withdraw is None and drafted is None:
        return NO_ACTION, None
    row = policy_table.law_row(session, law.name, host, lock=True)
    if decisions.memory_of(law, row) != before:
        return NO_ACTION, None  # an operator has decided meanwhile; the next turn knows it
    word = NO_ACTION
    if outcome.withdraw is not None and _withdraw(session, law, host, outcome.withdraw):
        word = WITHDRAW
    memory = outcome.memory
    made = None
    if drafted is not None:
        snapshot, draft = drafted
        if isinstance(draft, str):
            memory = law.drafted(outcome, None, draft)
        else:
            made = recommending.recommend(session, law.name, host, draft)
            announce(session, RecommendationMade(made.plan_id, snapshot, draft.body, _without_races(turn.policy)))
            memory = law.drafted(outcome, made.id, None)
            word = APPLY if outcome.apply else RECOMMEND
    decisions.remember(law, row, memory)
    return word, made.id if made is not None and outcome.apply else None


def _without_races(policy: RecommendationPolicy) -> RecommendationPolicy:
    """Other algorithms plan for placements of whole fleets, not for what one host's chains are given."""
    return policy.model_copy(update={"races": False, "mode": PolicyMode.RECOMMEND})


def _withdraw(session: Session, law: PacedLaw, host: str, why: str) -> bool:
    opened = repository.open_one(session, law.name, host, lock=True)
    if opened is not None:
        decisions.withdraw(session, opened, why)
    return opened is not None
