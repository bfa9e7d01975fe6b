"""Two watches, of which one leads: killed as often as can be, nothing is missed and nothing is done twice."""

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import repository as telemetry
from sqlalchemy import text
from worker_world import Kept, Processes, eventually, forking

pytestmark = pytest.mark.fault
SEED = 85
HOSTS = 40
APART_S = 0.25
KILLS = 6
_NOTE = """
CREATE TABLE noted_marks (host TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE noted_terms (term BIGINT NOT NULL, holder TEXT);
CREATE FUNCTION note_mark() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO noted_marks VALUES (NEW.host_id, NEW.status); RETURN NULL; END $$;
CREATE FUNCTION note_term() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO noted_terms VALUES (NEW.term, NEW.holder); RETURN NULL; END $$;
CREATE TRIGGER note_mark AFTER UPDATE OF status ON hosts FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND NEW.status <> 'up') EXECUTE FUNCTION note_mark();
CREATE TRIGGER note_term AFTER UPDATE ON leaders FOR EACH ROW EXECUTE FUNCTION note_term();
"""
_FORGET = """
DROP TRIGGER note_mark ON hosts; DROP TRIGGER note_term ON leaders;
DROP FUNCTION note_mark, note_term; DROP TABLE noted_marks, noted_terms;
"""


@pytest.fixture
def noted(clean: object) -> Iterator[None]:
    """PostgreSQL notes what watches commit."""
    with session_scope() as session:
        session.execute(text(_NOTE))
    yield
    with session_scope() as session:
        session.execute(text(_FORGET))


@pytest.fixture
def watches(noted: None, tmp_path: Path) -> Iterator[tuple[Kept, Kept]]:
    """Two, each started again when it ends. A host is stale after 1.5 s and unreachable after 3."""
    folder = Processes(tmp_path, stale_after_s=1.5)
    environment = {**folder.environment(), "SEXTANT_UNREACHABLE_AFTER_S": "3"}
    both = tuple(Kept(forking(folder.log, environment, "watch")) for _ in range(2))
    yield both[0], both[1]
    for one in both:
        one.end()


def leader() -> int | None:
    """The process that leads, by its lease; None where it has run out."""
    with session_scope() as session:
        lasting = text("SELECT holder FROM leaders WHERE lease_until > clock_timestamp()")
        holder = session.scalar(lasting)
    return int(holder.split("/")[1]) if holder else None


def another_leads(pid: int | None) -> None:
    eventually(lambda: leader() not in (None, pid))


def marks() -> list[tuple[str, str]]:
    with session_scope() as session:
        return [(row.host, row.status) for row in session.execute(text("SELECT * FROM noted_marks"))]


def rung(task: TaskName) -> int:
    """How often that task was sent: there is no worker, so that nobody takes one."""
    waiting = [json.loads(one) for name in Queue for one in queue.client().lrange(name.value, 0, -1)]
    return sum(one["headers"]["task"] == task.value for one in waiting)


def hosts_that_fall_silent(*names: str) -> None:
    """One after the other: each was heard a little later than the one before."""
    with session_scope() as session:
        for name in names:
            hosts.enrol(session, name, {})
            telemetry.heard(session, [name])
        later = text("UPDATE latest_hosts SET heard_at = now() + :seconds * interval '1 s' WHERE host_id = :name")
        session.execute(later, [{"name": name, "seconds": number * APART_S} for number, name in enumerate(names)])
        session.execute(text("UPDATE hosts SET status = 'up'"))


def test_leaders_that_are_killed_miss_nothing_and_nothing_happens_twice(watches: tuple[Kept, Kept]) -> None:
    """40 hosts fall silent; 6 times, after as many of their 80 marks as chance says, the leader is killed.

    What comes once an hour is rung for once, although seven processes have led.
    """
    names = [f"edge-{number}" for number in range(HOSTS)]
    eventually(lambda: _noted_in_the_lease("housekeep"))
    hosts_that_fall_silent(*names)
    for after in sorted(random.Random(SEED).sample(range(1, 2 * HOSTS - 1), KILLS)):
        eventually(lambda after=after: len(marks()) >= after)
        pid = leader()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            another_leads(pid)
    eventually(lambda: len(marks()) >= 2 * HOSTS)
    assert Counter(marks()) == {(name, status): 1 for name in names for status in ("stale", "unreachable")}
    assert rung(TaskName.HOUSEKEEP) == 1
    _one_leader_a_term()


def test_a_leader_that_was_frozen_finds_another_when_it_comes_back(watches: tuple[Kept, Kept]) -> None:
    another_leads(None)
    first = leader()
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    try:
        another_leads(first)
        second = leader()
    finally:
        os.kill(first, signal.SIGCONT)
    hosts_that_fall_silent("edge-1")
    eventually(lambda: ("edge-1", "unreachable") in marks())
    assert leader() == second
    _one_leader_a_term()


def test_a_leader_that_ends_in_order_does_not_have_its_lease_waited_for(watches: tuple[Kept, Kept]) -> None:
    another_leads(None)
    first = leader()
    assert first is not None
    os.kill(first, signal.SIGTERM)
    another_leads(first)
    with session_scope() as session:
        given_back = text("SELECT count(*) FROM noted_terms WHERE holder IS NULL")
        assert session.scalar(given_back) == 1
    _one_leader_a_term()


def _noted_in_the_lease(what: str) -> bool:
    with session_scope() as session:
        return bool(session.scalar(text("SELECT rung ? :what FROM leaders"), {"what": what}))


def _one_leader_a_term() -> None:
    with session_scope() as session:
        found = session.execute(
            text("SELECT DISTINCT term, holder FROM noted_terms WHERE holder IS NOT NULL ORDER BY term")
        ).all()
    assert all(after.term == before.term + 1 for before, after in pairwise(found)), found
