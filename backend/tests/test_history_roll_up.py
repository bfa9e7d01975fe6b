"""History is rolled up from samples: every row against plain Python, in whatever order the samples came."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from console_world import a_batch, an_inventory
from history_world import roll_up, store
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.history import tasks
from sextant_backend.modules.history.policy import CHAIN, CORE, HOST, LEVELS, NF, Level
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import partitions
from sextant_backend.modules.telemetry import service as telemetry
from sextant_backend.modules.telemetry.intervals import start_of
from sextant_backend.modules.telemetry.models import RAW_TABLES
from sextant_backend.sweep import due
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text
from sqlalchemy.orm import Session

FIVE_MINUTES, HOUR = LEVELS[1:3]
NONE = -1.0


def _rows(session: Session, table: str) -> list[dict[str, Any]]:
    session.rollback()
    return [dict(row) for row in session.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4")).mappings()]


def _chain(name: str = "web-edge", **figures: Any) -> dict[str, Any]:
    return {"chain": name, "offered_mpps": 0.5, "delivered_mpps": 0.4, "drop_mpps": 0.1, **figures}


@pytest.fixture
def start(edge: HostInventory) -> datetime:
    """The beginning of an interval a minute ago."""
    return start_of(datetime.now(UTC) - timedelta(minutes=1))


def test_ten_seconds_have_mean_least_and_most(session: Session, start: datetime) -> None:
    """0.2, 0.4 and 0.6 Mpps within ten seconds: 0.4 in the mean; 0.9 belongs to the next interval."""
    for second, mpps in ((0, 0.2), (4, 0.4), (9.9, 0.6), (10, 0.9)):
        at = start + timedelta(seconds=second)
        store(a_batch(int(second * 10), taken_at=at, chains=[_chain(delivered_mpps=mpps, p95_us=None)]))
    roll_up(start + timedelta(seconds=30))
    first, second_row = _rows(session, "history_chain_10s")
    assert (first["ts"], first["samples"], first["intervals"]) == (start, 3, 1)
    found = [first[f"delivered_mpps_{what}"] for what in ("mean", "min", "max")]
    assert found == pytest.approx([0.4, 0.2, 0.6])
    assert (second_row["ts"], second_row["samples"]) == (start + timedelta(seconds=10), 1)


def test_what_is_not_reported_is_counted_apart(session: Session, start: datetime) -> None:
    """Three samples, two of which have a latency: 100 and 200 us, 150 in the mean of two."""
    for second, p95 in enumerate((100.0, None, 200.0)):
        store(a_batch(second, taken_at=start + timedelta(seconds=second), chains=[_chain(p95_us=p95)]))
    roll_up(start + timedelta(seconds=30))
    (row,) = _rows(session, "history_chain_10s")
    assert (row["samples"], row["p95_us_n"], row["p95_us_mean"], row["p95_us_max"]) == (3, 2, 150.0, 200.0)
    assert (row["p50_us_n"], row["p50_us_mean"], row["p50_us_min"]) == (0, None, None)


def test_cpu_time_that_was_not_measured_is_not_rolled_up_as_0(session: Session, start: datetime) -> None:
    """Of an NF in the kernel. Of two samples of the other one says nothing: 40 in the mean of one."""
    nf = {"chain": "web-edge", "core": 1, "rx_mpps": 0.5, "tx_mpps": 0.5, "drop_mpps": 0.0}
    for second, cpu in enumerate(({"cpu_percent": 40.0}, {})):
        nfs = [nf | {"nf_id": "web-edge.nft"}, nf | {"nf_id": "web-edge.router"} | cpu]
        store(a_batch(second, taken_at=start + timedelta(seconds=second), nfs=nfs))
    roll_up(start + timedelta(minutes=10))
    for level in ("10s", "5min"):
        rows = {row["nf_id"]: row for row in _rows(session, f"history_nf_{level}")}
        found = {name: (row["samples"], row["cpu_percent_n"], row["cpu_percent_mean"]) for name, row in rows.items()}
        assert found == {"web-edge.nft": (2, 0, None), "web-edge.router": (2, 1, 40.0)}


def test_an_interval_that_is_not_over_is_left(session: Session, start: datetime) -> None:
    store(a_batch(1, taken_at=start))
    assert roll_up(start + timedelta(seconds=14)) > 0  # the intervals before; this one is over at 10 s, settled at 15
    assert _rows(session, "history_chain_10s") == []
    assert roll_up(start + timedelta(seconds=15)) == 1
    assert [row["ts"] for row in _rows(session, "history_chain_10s")] == [start]


def test_a_late_sample_has_its_intervals_rolled_up_again(session: Session, start: datetime) -> None:
    """An agent that could not deliver sends what it kept. The interval had one sample, and has two then, at every
    level; what lies behind is rolled up again, and is equal."""
    end = start + timedelta(hours=2)
    store(a_batch(1, taken_at=start, chains=[_chain(delivered_mpps=0.2)]))
    store(a_batch(2, taken_at=start + timedelta(seconds=10), chains=[_chain(delivered_mpps=0.4)]))
    roll_up(end)
    before = _rows(session, "history_chain_10s")
    store(a_batch(3, taken_at=start + timedelta(seconds=1), chains=[_chain(delivered_mpps=0.6)]))
    assert session.scalars(text("SELECT rolled_until FROM latest_hosts")).one() == start
    roll_up(end)
    after = _rows(session, "history_chain_10s")
    assert [row["samples"] for row in after] == [2, 1]
    assert after[0]["delivered_mpps_mean"] == pytest.approx((0.2 + 0.6) / 2)
    assert after[1] == before[1]
    for level in (FIVE_MINUTES, HOUR):
        assert sum(row["samples"] for row in _rows(session, CHAIN.table(level))) == 3


def test_a_host_without_samples_has_no_rows_and_is_not_asked_again(session: Session, start: datetime) -> None:
    assert roll_up(start + timedelta(minutes=1)) > 0  # it has registered
    assert roll_up(start + timedelta(minutes=1)) == 0
    assert _rows(session, "history_chain_10s") == []


def test_simulated_figures_say_so_at_every_level(session: Session, start: datetime) -> None:
    """One simulated sample is enough: a mean with it in it was not measured."""
    for second, provenance in enumerate(("measured", "simulated", "measured")):
        store(a_batch(second, taken_at=start + timedelta(seconds=10 * second), provenance=provenance))
    roll_up(start + timedelta(hours=2))
    assert [row["simulated"] for row in _rows(session, "history_core_10s")] == [False, True, False]
    assert any(row["simulated"] for row in _rows(session, "history_core_1h"))


def test_objectives_are_judged_second_by_second(session: Session, start: datetime) -> None:
    """At least 1 Mpps (0.98 will do) and at most 0.2 ms: of five samples one is paused, and of the four that can be
    judged two meet them: the second misses the throughput, the third the latency."""
    spec = {"slo": {"min_throughput_mpps": 1.0, "max_p95_ms": 0.2}}
    with session_scope() as mine:
        mine.add(ChainRow(name="web-edge", spec=spec, created_by="ada", created_at=start - timedelta(days=1)))
    samples = (
        {"delivered_mpps": 0.98, "p95_us": 199.0},
        {"delivered_mpps": 0.9, "p95_us": 100.0},
        {"delivered_mpps": 1.0, "p95_us": 201.0},
        {"delivered_mpps": 0.5, "filtered_mpps": 0.5},
        {"delivered_mpps": 0.0, "paused": True},
    )
    for second, sample in enumerate(samples):
        store(a_batch(second, taken_at=start + timedelta(seconds=second), chains=[_chain(**sample), _chain("mail")]))
    roll_up(start + timedelta(seconds=30))
    mail, web = _rows(session, "history_chain_10s")
    assert (web["samples"], web["judged"], web["met"]) == (5, 4, 2)
    assert (mail["samples"], mail["judged"], mail["met"]) == (5, 0, 0)


def test_a_chain_of_the_same_name_is_judged_by_its_own_objectives(session: Session, start: datetime) -> None:
    """web-edge was deleted 3 s in; the next one asks for less, from 5 s on."""
    first, second = ({"slo": {"min_throughput_mpps": least, "max_p95_ms": None}} for least in (1.0, 0.1))
    with session_scope() as mine:
        moments = [start + timedelta(seconds=number) for number in range(6)]
        mine.add(ChainRow(name="web-edge", spec=first, created_by="ada", created_at=moments[0], deleted_at=moments[3]))
        mine.add(ChainRow(name="web-edge", spec=second, created_by="ada", created_at=moments[5]))
    for number, at in enumerate(moments):
        store(a_batch(number, taken_at=at))  # 0.4 Mpps
    roll_up(start + timedelta(seconds=30))
    (row,) = _rows(session, "history_chain_10s")
    assert (row["samples"], row["judged"], row["met"]) == (6, 4, 1)


def test_a_host_is_the_sum_of_its_chains_second_by_second(session: Session, start: datetime) -> None:
    """0.4 + 0.1 and 0.2 + 0.6 Mpps: from 0.5 to 0.8, not from 0.3 to 1.0 as the sum of extremes would say."""
    for second, (one, other) in enumerate(((0.4, 0.1), (0.2, 0.6))):
        chains = [_chain("web", delivered_mpps=one), _chain("mail", delivered_mpps=other)]
        store(a_batch(second, taken_at=start + timedelta(seconds=second), chains=chains))
    roll_up(start + timedelta(seconds=30))
    (row,) = _rows(session, "history_host_10s")
    found = [row[f"delivered_mpps_{what}"] for what in ("mean", "min", "max")]
    assert found == pytest.approx([0.65, 0.5, 0.8])
    assert row["samples"] == 2


def test_an_nf_that_moved_has_a_row_on_each_core(session: Session, start: datetime) -> None:
    nf = a_batch().nfs[0].model_dump(mode="json")
    for second, core in enumerate((1, 1, 0)):
        store(a_batch(second, taken_at=start + timedelta(seconds=second), nfs=[{**nf, "core": core}]))
    roll_up(start + timedelta(seconds=30))
    assert [(row["core"], row["samples"]) for row in _rows(session, "history_nf_10s")] == [(0, 1), (1, 2)]


@dataclass(frozen=True)
class Sent:
    """A sample as it was sent."""

    host: str
    at: datetime
    chain: str
    delivered: float
    p95: float | None


def _expected(sent: Sequence[Sent], level: Level) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """(start, host, chain) -> samples, intervals, mean, least, most; samples with a latency, its mean."""
    groups: dict[tuple[Any, ...], list[Sent]] = defaultdict(list)
    for one in sent:
        groups[start_of(one.at, level.length), one.host, one.chain].append(one)
    found = {}
    for key, group in groups.items():
        values = [one.delivered for one in group]
        latencies = [one.p95 for one in group if one.p95 is not None]
        mean = sum(latencies) / len(latencies) if latencies else NONE
        intervals = len({start_of(one.at) for one in group})
        found[key] = (
            len(group), intervals, sum(values) / len(values), min(values), max(values), len(latencies), mean,
        )  # fmt: skip
    return found


def _found(session: Session, level: Level) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    names = ("samples", "intervals", "delivered_mpps_mean", "delivered_mpps_min", "delivered_mpps_max", "p95_us_n")
    return {
        (row["ts"], row["host_id"], row["chain"]): (
            *(row[name] for name in names),
            NONE if row["p95_us_mean"] is None else row["p95_us_mean"],
        )
        for row in _rows(session, CHAIN.table(level))
    }


@pytest.mark.parametrize("seed", range(3))
def test_every_row_is_what_plain_python_makes_of_the_samples(session: Session, start: datetime, seed: int) -> None:
    """Two hosts with two chains each: samples late by up to four minutes, some delivered twice, some never, and
    roll-ups between them, up to the present or an hour beyond. What comes out depends on the samples alone."""
    chance = random.Random(seed)
    hosts.enrol(session, "edge-2", {})
    hosts.register(session, an_inventory("edge-2"), "https://127.0.0.1:9444")
    session.commit()
    sent: list[Sent] = []
    for sequence in range(1, 41):
        host = chance.choice(("edge-1", "edge-2"))
        at = datetime.now(UTC) - timedelta(seconds=chance.uniform(0, 240 if chance.random() < 0.3 else 20))
        samples = [
            Sent(host, at, name, float(chance.randint(1, 64)) / 16, chance.choice((None, 128.0, 256.5)))
            for name in (f"{host}-a", f"{host}-b")
            if chance.random() < 0.8
        ]
        chains = [_chain(one.chain, delivered_mpps=one.delivered, p95_us=one.p95) for one in samples]
        batch = a_batch(sequence, host_id=host, taken_at=at, chains=chains)
        store(batch)
        if chance.random() < 0.2:
            store(batch)
        sent += samples
        if chance.random() < 0.15:
            roll_up(datetime.now(UTC) + chance.choice((timedelta(0), timedelta(minutes=7), timedelta(hours=1))))
    roll_up(datetime.now(UTC) + timedelta(hours=1))
    for level in LEVELS[:3]:
        expected, found = _expected(sent, level), _found(session, level)
        assert found.keys() == expected.keys()
        for key, row in expected.items():
            assert found[key] == pytest.approx(row, rel=1e-6), (level.name, key)


def test_to_roll_up_again_gives_equal_rows(session: Session, start: datetime) -> None:
    for second in range(25):
        store(a_batch(second, taken_at=start + timedelta(seconds=second)))
    tables = [kind.table(level) for kind in (CHAIN, NF, CORE, HOST) for level in LEVELS[:3]]  # no day is over
    roll_up(start + timedelta(hours=2))
    before = [_rows(session, table) for table in tables]
    with session_scope() as mine:
        mine.execute(text("UPDATE latest_hosts SET rolled_until = :start"), {"start": start})
    roll_up(start + timedelta(hours=2))
    assert [_rows(session, table) for table in tables] == before
    assert all(before)


def test_samples_that_are_being_stored_are_waited_for(session: Session, start: datetime) -> None:
    """A batch is stored in a transaction that is still open while its interval is rolled up: the host is passed over,
    and loses nothing."""
    store(a_batch(1, taken_at=start))
    with session_scope() as storing:
        telemetry.ingest(storing, a_batch(2, taken_at=start + timedelta(seconds=2)))
        assert roll_up(start + timedelta(seconds=30)) == 0
    assert roll_up(start + timedelta(seconds=30)) > 0
    (row,) = _rows(session, "history_chain_10s")
    assert row["samples"] == 2


def test_a_host_that_is_far_behind_is_rolled_up_in_steps(session: Session, start: datetime) -> None:
    """Five minutes at a time, so that its samples need not wait: an hour takes twelve turns."""
    store(a_batch(1, taken_at=start))
    with session_scope() as mine:
        mine.execute(text("UPDATE latest_hosts SET rolled_until = :at"), {"at": start - timedelta(hours=1)})
    assert roll_up(start + timedelta(seconds=5)) == 12


def test_the_watch_rings_while_a_host_is_behind(session: Session, start: datetime) -> None:
    """Of this moment the last interval may be under way; rolled up an hour ahead, nothing is due."""
    store(a_batch(1, taken_at=start))
    session.rollback()
    assert due(session).roll_up
    roll_up(start + timedelta(hours=1))
    session.rollback()
    assert not due(session).roll_up
    assert tasks.turn() == 0


def test_samples_that_are_not_rolled_up_are_not_dropped(session: Session, start: datetime) -> None:
    """Two days ago is out of date; it goes once the host's watermark is past it."""
    today = datetime.now(UTC).date()
    before = today - timedelta(days=3)
    partitions.make(session, {before})
    late = datetime.combine(before, datetime.min.time(), UTC) + timedelta(hours=12)
    assert partitions.keep(session, today, 1, late) == 0
    assert partitions.keep(session, today, 1, late + timedelta(days=1)) == len(RAW_TABLES)
    session.rollback()


def test_bounds_of_a_turn() -> None:
    """Of 100 hosts 300 s behind, 16: 4800 s; with another it would be 5100. One that is a day behind gets 300 s, and
    those that are further wait for the next turn."""
    until = datetime(2026, 3, 10, tzinfo=UTC)
    behind = [(f"edge-{number}", until - timedelta(minutes=5)) for number in range(100)]
    assert len(tasks.next_turn(behind, until).hosts) == 5000 // 300 == 16
    late = tasks.next_turn([("edge-100", until - timedelta(days=1)), *behind], until)
    assert (late.hosts, late.until - late.since) == (["edge-100"], timedelta(minutes=5))


def test_levels_follow_one_another() -> None:
    """Each is a whole number of intervals of the one before: rows of a coarse level are made of whole finer ones."""
    assert all(coarse.length % fine.length == timedelta(0) for fine, coarse in pairwise(LEVELS))
