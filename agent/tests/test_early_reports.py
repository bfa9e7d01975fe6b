"""Reports between seconds: by a driver whose rings a test fills, and over a real connection."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.driver import SharesCores
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import ChainCounters, CpuTime, HostSample, NfCounters
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.reporting import reporter
from sextant_agent.reporting.early import IDLE_LOOK_S, LOOK_S, EarlyReports
from sextant_agent.reporting.reporter import Reporter
from sextant_domain.base import Provenance
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.desired import HostContent, NfState
from sextant_domain.hosts.early_report import EarlyReport, OverloadedNf

from .fleet import FleetListener
from .orders import HOST, chain, content, nf
from .pki import Authority
from .test_reporter import batch
from .waiting import wait_for

ALONE = content(chain("a", nf("a", "simple-forward", core=6)))
SHARED = content(
    chain("a", nf("a", "simple-forward", core=6, slot=0)), chain("b", nf("b", "simple-forward", core=6, slot=1))
)
A, B = "a.simple-forward", "b.simple-forward"
RING = 1000


class Rings:
    """What the agent asks of a driver. Each NF is offered 1,200 packets a look and serves 1,000, at 40 us each."""

    name = "rings"

    def __init__(self) -> None:
        self.used = {A: 0, B: 0}
        self.looks = 0
        self.asked = 0
        self.down = False
        self.epoch = "first"

    def queues(self) -> HostSample:
        """A look is .1 s after the one before."""
        self.asked += 1
        if self.down:
            raise DataPlaneDown("the runner has ended")
        self.looks += 1
        nfs = {name: self._nf(name, used) for name, used in self.used.items()}
        chains = {
            name[0]: ChainCounters(name[0], None, 1, offered=1200 * self.looks, delivered=1000 * self.looks)
            for name in self.used
        }
        return HostSample(self.looks * 100_000_000, datetime.now(UTC), self.epoch, nfs=nfs, chains=chains)

    def _nf(self, name: str, used: int) -> NfCounters:
        served = 1000 * self.looks
        return NfCounters(
            nf_id=name, chain=name[0], nf_type="simple-forward", state=NfState.RUNNING, pid=1, core=6, last_core=6,
            starts=1, exit=None, rx=served, tx=served, cpu_ns=40_000 * served, busy_ns=40_000 * served,
            ring_used=used, ring_size=RING, ring_peak=used,
        )  # fmt: skip

    def give_cpu(self, given: Any) -> None:
        """Nobody asks."""


class World:
    """The agent's part beside these rings."""

    def __init__(self) -> None:
        self.rings = Rings()
        self.reports: list[EarlyReport] = []
        self.early = EarlyReports(
            HOST, (6,), self.rings, self.reports.append,  # type: ignore[arg-type]
            restarts=dict, cpus=lambda: {6: CpuTime(9 * self.rings.looks, 10 * self.rings.looks)},
        )  # fmt: skip

    def looked(self, times: int, order: HostContent = SHARED, **used: int) -> float:
        """So many looks at these rings; seconds until the next."""
        self.rings.used.update({f"{name}.simple-forward": places for name, places in used.items()})
        waits_s = 0.0
        for _ in range(times):
            waits_s = self.early.look(order)
        return waits_s


@pytest.fixture
def world() -> World:
    return World()


def test_an_overload_is_reported_with_what_the_last_looks_measured(world: World) -> None:
    """In .2 s 2,000 packets served of 2,400 offered: .01 of .012 Mpps. 80 ms of work in .2 s are 40 % of the core for
    each NF; of 90 % that the core was busy, the rest is nobody's."""
    assert world.looked(3) == LOOK_S
    assert world.looked(2, a=950) == LOOK_S and world.reports == []
    world.looked(1)
    (report,) = world.reports
    assert [(one.nf_id, one.stood_s) for one in report.overloaded] == [(A, pytest.approx(0.2))]
    assert (report.host_id, report.provenance, report.interval_s) == (HOST, Provenance.MEASURED, pytest.approx(0.2))
    found = {one.nf_id: one for one in report.nfs}
    assert found[A].utilisation_percent == pytest.approx(40) and found[A].ring_used_percent == pytest.approx(95)
    (of_a,) = (one for one in report.chains if one.chain == "a")
    assert (of_a.offered_mpps, of_a.delivered_mpps) == (pytest.approx(0.012), pytest.approx(0.010))
    (core,) = report.cores
    assert core.busy_percent == pytest.approx(90) and core.other_percent == pytest.approx(10)
    world.looked(20)
    assert len(world.reports) == 1, "an edge is reported once"


def test_recovery_is_reported_even_where_no_core_is_shared_any_more(world: World) -> None:
    world.looked(6, a=1000)
    assert world.looked(2, ALONE, a=0) == LOOK_S
    world.looked(1, ALONE)
    assert [report.overloaded for report in world.reports[1:]] == [()]
    assert world.looked(1, ALONE) == IDLE_LOOK_S


def test_where_every_nf_has_its_core_nothing_is_asked_of_the_driver(world: World) -> None:
    assert world.looked(10, ALONE, a=1000) == IDLE_LOOK_S
    assert world.rings.asked == 0 and world.reports == []


def test_a_paused_chain_shares_no_core(world: World) -> None:
    paused = SHARED.model_copy(
        update={"chains": (SHARED.chains[0], SHARED.chains[1].model_copy(update={"paused": True}))}
    )
    assert world.looked(5, paused, a=1000) == IDLE_LOOK_S and world.rings.asked == 0


def test_a_data_plane_that_is_down_or_another_one_is_looked_at_anew(world: World) -> None:
    """Three looks to know the rings, three full ones: never across the gap."""
    world.looked(4, a=1000)
    world.rings.down = True
    assert world.looked(1) == IDLE_LOOK_S
    world.rings.down, world.rings.epoch = False, "second"
    world.looked(4)
    assert world.reports == []
    world.looked(1)
    assert [one.nf_id for one in world.reports[0].overloaded] == [A]


def test_a_driver_without_rings_is_left_alone(world: World) -> None:
    alone = EarlyReports(HOST, (6,), object(), world.reports.append, restarts=dict)  # type: ignore[arg-type]
    assert alone.look(SHARED) == IDLE_LOOK_S


WEB, DNS = "web.simple-forward", "dns.simple-forward"


class Counts(Rings):
    """What the agent asks of a driver whose packets say how long NFs have them: no rings are looked at."""

    counted = Rings.queues
    queues = None  # type: ignore[assignment]

    def nf_times(self) -> Any:
        """Nobody asks here."""

    def nf_cpu(self) -> Any:
        """Nor this."""

    def cpu_budget(self) -> Any:
        """Nor this."""


class Bounded:
    """The agent's part where NFs have quota bounds: how its law stands with them, and what it reports."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.counts.used = {WEB: 0, DNS: 0}
        self.states: dict[str, QuotaState] = {WEB: QuotaState.WELL, DNS: QuotaState.ABOVE}
        self.reports: list[EarlyReport] = []
        self.now_ns = 0
        self.early = EarlyReports(
            HOST, (6,), self.counts, self.reports.append,  # type: ignore[arg-type]
            restarts=dict, bounded=self.standing, clock_ns=lambda: self.now_ns,
            cpus=lambda: {6: CpuTime(9 * self.counts.looks, 10 * self.counts.looks)},
        )  # fmt: skip

    def standing(self) -> tuple[BoundedNf, ...]:
        return tuple(
            BoundedNf(
                nf_id=name, chain=name.partition(".")[0], quota_percent=15, p95_us=5000, max_p95_us=1000, state=state,
                stood_s=0.25 if state is QuotaState.SATURATED else None,
            )
            for name, state in self.states.items()
        )  # fmt: skip

    def looked(self, times: int, **states: QuotaState) -> float:
        """So many looks, .1 s apart, at NFs that stand so; seconds until the next."""
        self.states |= {f"{name}.simple-forward": state for name, state in states.items()}
        waits_s = 0.0
        for _ in range(times):
            self.now_ns += 100_000_000
            waits_s = self.early.look(ALONE)
        return waits_s

    def named(self) -> list[list[str]]:
        return [[one.nf_id for one in report.overloaded] for report in self.reports]


@pytest.fixture
def bounded() -> Bounded:
    return Bounded()


def test_an_nf_at_its_bound_is_reported_once_with_how_all_stand(bounded: Bounded) -> None:
    """Saturated in three looks running; of the .2 s between them, packets are counted: 2,000 of 2,400 offered."""
    assert not isinstance(bounded.counts, SharesCores)
    assert bounded.looked(10) == LOOK_S and bounded.counts.asked == 0
    bounded.looked(2, web=QuotaState.SATURATED)
    assert bounded.reports == []
    bounded.looked(1)
    [report] = bounded.reports
    assert [(one.nf_id, one.stood_s) for one in report.overloaded] == [(WEB, pytest.approx(0.2))]
    assert [(one.nf_id, one.state, one.stood_s) for one in report.bounded_nfs] == [
        (WEB, QuotaState.SATURATED, 0.25), (DNS, QuotaState.ABOVE, None),
    ]  # fmt: skip
    assert report.interval_s == pytest.approx(0.2)
    of_web = next(one for one in report.chains if one.chain == "w")
    assert (of_web.offered_mpps, of_web.delivered_mpps) == (pytest.approx(0.012), pytest.approx(0.010))
    bounded.looked(50)
    assert len(bounded.reports) == 1 and bounded.counts.asked == 3, "nothing changes: nothing is asked, nothing said"


def test_that_it_is_over_is_reported_and_a_second_nf_as_well(bounded: Bounded) -> None:
    bounded.looked(5, web=QuotaState.SATURATED)
    bounded.looked(5, dns=QuotaState.SATURATED)
    bounded.looked(5, web=QuotaState.WELL)
    bounded.looked(5, dns=QuotaState.HELD)
    assert bounded.named() == [[WEB], [DNS, WEB], [DNS], []]
    assert bounded.reports[-1].bounded_nfs[1].state is QuotaState.HELD


def test_a_look_or_two_are_no_news(bounded: Bounded) -> None:
    for _ in range(20):
        bounded.looked(2, web=QuotaState.SATURATED)
        bounded.looked(1, web=QuotaState.ABOVE)
    assert bounded.reports == []


def test_however_it_flaps_no_more_is_reported_than_the_budget_says(bounded: Bounded) -> None:
    """60 s: eight at once, and one in 3 s: 28 at most."""
    for number in range(100):
        bounded.looked(6, web=(QuotaState.SATURATED, QuotaState.WELL)[number % 2])
    assert 20 <= len(bounded.reports) <= 28


def test_an_order_without_bounds_takes_back_what_was_reported(bounded: Bounded) -> None:
    """Then nothing is looked at any more."""
    bounded.looked(5, web=QuotaState.SATURATED)
    bounded.states = {}
    assert bounded.looked(5) == IDLE_LOOK_S
    assert bounded.named() == [[WEB], []]


def test_a_data_plane_that_is_down_says_nothing_of_bounds(bounded: Bounded) -> None:
    bounded.counts.down = True
    assert bounded.looked(5, web=QuotaState.SATURATED) == IDLE_LOOK_S and bounded.reports == []
    bounded.counts.down = False
    bounded.looked(3)
    assert bounded.named() == [[WEB]]


def a_report(stood_s: float = 0.2) -> EarlyReport:
    return EarlyReport(
        host_id=HOST, taken_at=datetime.now(UTC), interval_s=0.2, provenance=Provenance.MEASURED,
        overloaded=(OverloadedNf(nf_id=A, stood_s=stood_s),),
    )  # fmt: skip


@pytest.fixture
def reporting(authority: Authority, fleet: FleetListener) -> Iterator[Reporter]:
    host = build_inventory(read_machine(Path("/")), HOST, "testbed")
    credentials = TlsCredentials(authority.folder / "host", HOST)
    made = Reporter(FleetClient(fleet.url, credentials), lambda: host, "https://127.0.0.1:1")
    made.start()
    made.deliver(batch(0))
    wait_for("it is registered, and has reported a second", lambda: fleet.batches)
    yield made
    made.stop()


def test_an_early_report_goes_on_its_own(reporting: Reporter, fleet: FleetListener) -> None:
    reporting.deliver_early(a_report())
    wait_for("the report", lambda: fleet.early)
    assert [one.overloaded[0].stood_s for one in fleet.early] == [0.2] and len(fleet.batches) == 1


def test_a_console_that_does_not_know_them_is_sent_no_more(reporting: Reporter, fleet: FleetListener) -> None:
    """And is sent its seconds as before."""
    fleet.knows_early = False
    reporting.deliver_early(a_report())
    wait_for("it is refused", lambda: fleet.early_refused == 1)
    wait_for("that is remembered", lambda: reporting._none_early_until > 0)
    fleet.knows_early = True
    reporting.deliver_early(a_report())
    reporting.deliver(batch(1))
    wait_for("the second", lambda: len(fleet.batches) == 2)
    assert fleet.early == [] and reporting.trouble is None


def test_one_that_waited_for_too_long_is_not_sent(
    reporting: Reporter, fleet: FleetListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporter, "EARLY_GOOD_S", -1.0)
    reporting.deliver_early(a_report())
    reporting.deliver(batch(1))
    wait_for("the second", lambda: len(fleet.batches) == 2)
    assert fleet.early == []
