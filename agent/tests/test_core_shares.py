"""Cores that the agent divides by itself: on a simulated host, and against a driver whose figures a test chooses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_agent.contract.driver import CpuGiven, SharesCores
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfCpu
from sextant_agent.control.differences import differences
from sextant_agent.controllers.core_shares import CoreShares
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_domain.base import Provenance
from sextant_domain.chains.cpu_bounds import ShareBounds, ShareLaw
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState, OrderedLine
from sextant_domain.hosts.telemetry import SharedCore, TelemetryBatch

from .orders import HOST, chain, content, nf
from .served import served_parts
from .waiting import wait_for

BOUNDS = ShareBounds(least_percent=5, most_percent=80)


def bounded(
    name: str, rate_mpps: float, slot: int, bounds: ShareBounds | None = BOUNDS, loops: int = 3000
) -> DesiredChain:
    """A chain of one NF on core 6."""
    one = nf(name, "simple-forward", core=6, slot=slot, loops=loops)
    return chain(name, one, rate_mpps=rate_mpps).model_copy(update={"share_bounds": bounds})


TWO = content(bounded("a", 0.9, 0), bounded("b", 0.3, 1))


class Figures:
    """What the agent asks of a driver, with figures that a test sets. 10 us a packet."""

    name = "figures"

    def __init__(self) -> None:
        self.weights = {"a.simple-forward": 100, "b.simple-forward": 100}
        self.arrive = {"a.simple-forward": 9_000, "b.simple-forward": 3_000}
        """Packets a period; 5,000 can be served by half of the core."""
        self.period = 0
        self.epoch = "first"
        self.down = self.refuses = self.no_helper = None
        self.orders: list[dict[str, int]] = []
        self._totals = dict.fromkeys(self.weights, (0, 0))

    @property
    def now_s(self) -> float:
        """The clock of this world."""
        return self.period * 0.1

    def passed(self) -> None:
        """A period."""
        self.period += 1
        total = sum(self.weights.values())
        for name, (arrived, served) in self._totals.items():
            room = int(10_000 * self.weights[name] / total)
            self._totals[name] = arrived + self.arrive[name], served + min(room, self.arrive[name])

    def queues(self) -> HostSample:
        if self.down:
            raise DataPlaneDown(self.down)
        nfs, chains = {}, {}
        for name, (arrived, served) in self._totals.items():
            of = name[0]
            nfs[name] = NfCounters(
                nf_id=name, chain=of, nf_type="simple-forward", state=NfState.RUNNING, pid=1, core=6, last_core=6,
                starts=1, exit=None, rx=served, cpu_ns=10_000 * served, cpu=NfCpu(self.weights[name], None, 0),
            )  # fmt: skip
            chains[of] = ChainCounters(of, None, 1, offered=arrived)
        taken_ns = int(self.now_s * 1e9)
        return HostSample(
            taken_ns, datetime.now(UTC), self.epoch, nfs=nfs, chains=chains, no_cpu_control=self.no_helper
        )

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        if self.refuses:
            raise DriverError(self.refuses)
        self.weights.update({name: one.weight for name, one in given.items()})
        self.orders.append(dict(self.weights))


class World:
    """An agent's part beside these figures."""

    def __init__(self) -> None:
        self.figures = Figures()
        self.stopped: str | None = None
        self.restart()

    def restart(self) -> None:
        """The agent ends, and another begins."""
        self.shares = CoreShares(self.figures, lambda: self.stopped, lambda: self.figures.now_s)  # type: ignore[arg-type]

    def periods(self, number: int, order: HostContent = TWO) -> SharedCore:
        """So many pass; what is reported then."""
        for _ in range(number):
            self.figures.passed()
            assert self.shares.tick(order)
        return said(self.shares)


def said(shares: CoreShares) -> SharedCore:
    empty = TelemetryBatch(
        host_id=HOST, epoch="e", sequence=0, taken_at=datetime.now(UTC), interval_s=1, provenance=Provenance.SIMULATED,
        applied_generation=1, phase="converged",
    )  # fmt: skip
    (core,) = shares.reported(empty).shared_cores
    return core


@pytest.fixture
def world() -> World:
    return World()


def test_shares_follow_arrivals_in_two_periods(world: World) -> None:
    """9,000 and 3,000 packets a period at 10 us: 90 % and 30 %, so 3/4 and 1/4 of the core."""
    core = world.periods(2)
    assert world.figures.weights == {"a.simple-forward": 750, "b.simple-forward": 250}
    assert [(one.nf_id[0], one.percent) for one in core.nfs] == [("a", 75), ("b", 25)] and core.held is None
    assert core.changed is not None
    assert core.changed.cause == "a.simple-forward is offered 0.09 Mpps, which needs 90 % of the core"
    moved = [(one.nf_id[0], one.before_percent, one.after_percent) for one in core.changed.nfs]
    assert moved == [("a", 50, 75), ("b", 50, 25)]
    world.periods(5)
    assert len(world.figures.orders) == 1, "constant traffic changes nothing more"


def test_a_line_of_the_order_says_what_an_nf_takes_without_packets(world: World) -> None:
    """a needs a quarter of the core however few packets come, and 5 us for each: 9,000 in 100 ms are 45 % more, and
    30 % are left to b, which needs that for 3,000 at 10 us. A line of another version of the type is none of theirs."""
    line = OrderedLine(nf_type="simple-forward", nf_version=1, shares_id=7, slope=5.0, intercept=0.25)
    assert all(one.nf_version == 1 for chain in TWO.chains for one in chain.nfs)
    newer = bounded("b", 0.3, 1)
    newer = newer.model_copy(update={"nfs": (newer.nfs[0].model_copy(update={"nf_version": 2}),)})
    world.periods(2, TWO.model_copy(update={"chains": (TWO.chains[0], newer), "share_lines": (line,)}))
    assert world.figures.weights == {"a.simple-forward": 700, "b.simple-forward": 300}


def test_the_reconciler_takes_shares_within_bounds_as_ordered(world: World) -> None:
    """And repairs those outside: 900 is more than 80 %."""
    world.periods(2)
    assert [gap.kind for gap in differences(TWO, world.figures.queues()) if gap.kind == "cpu"] == []
    world.figures.weights["a.simple-forward"] = 900
    found = [gap.text for gap in differences(TWO, world.figures.queues()) if gap.kind == "cpu"]
    assert found == ["giving a.simple-forward CPU share 100"]


def by_rate_cost(order: HostContent) -> HostContent:
    """The same, divided by the other law."""
    bounds = BOUNDS.model_copy(update={"law": "rate-cost"})
    chains = tuple(chain.model_copy(update={"share_bounds": bounds}) for chain in order.chains)
    return order.model_copy(update={"chains": chains})


def test_by_rate_and_cost_shares_follow_once_costs_are_known(world: World) -> None:
    """Three windows after the first reading. 9,000 and 3,000 packets a period at 10 us each: 3 to 1 of the core."""
    core = world.periods(3, by_rate_cost(TWO))
    assert core.law == "rate-cost" and world.figures.orders == []
    assert core.held == "what a packet of a.simple-forward costs was measured in 2 of 3 windows"
    core = world.periods(1, by_rate_cost(TWO))
    assert world.figures.weights == {"a.simple-forward": 750, "b.simple-forward": 250} and core.held is None
    assert core.changed is not None
    cause = "a.simple-forward is offered 0.09 Mpps at 10 us a packet, 75 % of what is asked of the core"
    assert core.changed.cause == cause
    moved = [(one.nf_id[0], one.before_percent, one.after_percent) for one in core.changed.nfs]
    assert moved == [("a", 50, 75), ("b", 50, 25)]
    world.periods(5, by_rate_cost(TWO))
    assert len(world.figures.orders) == 1, "constant traffic changes nothing more"


def test_one_law_divides_a_core(world: World) -> None:
    """Where chains name two, neither does, and it is said who names which."""
    both = TWO.model_copy(update={"chains": (TWO.chains[0], by_rate_cost(TWO).chains[1])})
    core = world.periods(5, both)
    assert core.law is None and world.figures.orders == []
    named = "queue-matching (a.simple-forward) and rate-cost (b.simple-forward)"
    assert core.held == f"its NFs are to be divided by {named}: one law divides a core"


def test_another_law_begins_anew_and_shares_stay_meanwhile(world: World) -> None:
    before = world.periods(3)
    core = world.periods(1, by_rate_cost(TWO))
    assert core.held == "its rings are measured anew" and core.changed == before.changed
    assert world.periods(4, by_rate_cost(TWO)).held is None
    assert len(world.figures.orders) == 1, "both laws say the same of NFs without an intercept"


def test_a_runner_that_is_killed_holds_rate_cost_shares_too(world: World) -> None:
    order = by_rate_cost(TWO)
    world.periods(5, order)
    world.figures.down = "the runner has ended"
    assert world.periods(3, order).held == "its rings cannot be read: the runner has ended"
    world.figures.down, world.figures.epoch = None, "second"
    assert world.periods(1, order).held == "its rings are measured anew"
    assert world.periods(3, order).held is None


def test_without_bounds_nothing_is_done_and_nothing_said(world: World) -> None:
    world.figures.passed()
    assert not world.shares.tick(content(bounded("a", 0.9, 0, None), bounded("b", 0.3, 1, None)))
    assert world.figures.orders == []


def test_one_nf_without_bounds_keeps_the_core_as_it_is(world: World) -> None:
    core = world.periods(3, content(bounded("a", 0.9, 0), bounded("b", 0.3, 1, None)))
    assert core.held == "b.simple-forward shares it and has no bounds of its share" and world.figures.orders == []


def test_where_laws_are_stopped_nothing_moves(world: World) -> None:
    world.stopped = "an operator has stopped all laws"
    assert world.periods(3).held == "an operator has stopped all laws" and world.figures.orders == []
    world.stopped = None
    world.periods(2)
    assert len(world.figures.orders) == 1


def test_a_helper_that_is_gone_is_said_and_asked_again_later(world: World) -> None:
    """Refused in the second period, tried again two seconds later: 20 periods."""
    world.figures.refuses = "no root helper answers at helper.sock"
    assert world.periods(2).held == "shares not met: no root helper answers at helper.sock"
    world.figures.refuses = None
    assert world.periods(10).held == "shares not met: no root helper answers at helper.sock"
    assert world.figures.orders == []
    assert world.periods(12).held is None
    assert world.figures.weights == {"a.simple-forward": 750, "b.simple-forward": 250}


def test_a_host_that_cannot_set_shares_says_so(world: World) -> None:
    world.figures.no_helper = "there is no root helper"
    assert world.periods(3).held == "shares not met: there is no root helper" and world.figures.orders == []


def test_an_agent_that_is_killed_goes_on_from_what_the_kernel_has(world: World) -> None:
    """Nothing moves for its sake; a step after it is answered to within a hundredth of the core."""
    world.periods(3)
    world.restart()
    assert world.periods(3).changed is None and len(world.figures.orders) == 1
    world.figures.arrive = {"a.simple-forward": 3_000, "b.simple-forward": 9_000}
    world.periods(8)
    assert world.figures.weights == pytest.approx({"a.simple-forward": 250, "b.simple-forward": 750}, abs=10)


def test_a_runner_that_is_killed_holds_the_core_until_it_counts_again(world: World) -> None:
    world.periods(2)
    world.figures.down = "the runner has ended"
    assert world.periods(3).held == "its rings cannot be read: the runner has ended"
    world.figures.down, world.figures.epoch = None, "second"
    assert world.periods(1).held == "its rings are measured anew"
    assert world.periods(1).held is None


def test_an_nf_that_has_crashed_holds_its_core(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = world.figures.queues

    def crashed() -> HostSample:
        found = whole()
        b = replace(found.nfs["b.simple-forward"], state=NfState.CRASHED)
        return replace(found, nfs={**found.nfs, "b.simple-forward": b})

    monkeypatch.setattr(world.figures, "queues", crashed)
    assert world.periods(3).held == "b.simple-forward does not run"


def test_a_core_with_an_nf_whose_cpu_time_is_not_measured_is_not_divided(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of an NF in the kernel: how much of the core it has nobody knows. Else it would be divided, 9 to 3."""
    counted = world.figures.queues

    def uncounted() -> HostSample:
        found = counted()
        b = replace(found.nfs["b.simple-forward"], cpu_ns=None)
        return replace(found, nfs={**found.nfs, "b.simple-forward": b})

    monkeypatch.setattr(world.figures, "queues", uncounted)
    assert world.periods(20).held == "the CPU time of b.simple-forward is not measured"
    assert world.figures.orders == []
    monkeypatch.undo()
    world.periods(20)
    assert world.figures.orders != []


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50_000), st.integers(0, 50_000), st.booleans(), st.booleans()), max_size=30),
    st.integers(1, 50),
    st.integers(50, 100),
    st.sampled_from(get_args(ShareLaw)),
)
def test_whatever_happens_bounds_hold(
    seconds: list[tuple[int, int, bool, bool]], least: int, most: int, law: ShareLaw
) -> None:
    """Any traffic, a runner that comes and goes, a helper that refuses."""
    world, bounds = World(), ShareBounds(least_percent=least, most_percent=most, law=law)
    order = content(bounded("a", 0.9, 0, bounds), bounded("b", 0.3, 1, bounds))
    for a, b, down, refuses in seconds:
        world.figures.arrive = {"a.simple-forward": a, "b.simple-forward": b}
        world.figures.down = "killed" if down else None
        world.figures.refuses = "no helper" if refuses else None
        world.periods(1, order)
    for weights in world.figures.orders:
        assert sum(weights.values()) <= 1000
        assert all(bounds.hold(weight) for weight in weights.values())


@pytest.fixture
def twin() -> Iterator[TwinDriver]:
    world = SimulatedWorld(period_s=0.02, delays={"start_s": 0.0})
    world.start()
    yield TwinDriver(world, HOST, "xeon-gold-6126")
    world.stop()


def test_a_simulated_host_divides_its_core_by_arrivals(twin: TwinDriver) -> None:
    """Offered 0.9 and 0.3 of what one core has for .87: with equal shares b has all it is offered and a .5; by arrivals
    both are served the same part, and nothing of it counts as drift."""
    assert isinstance(twin, SharesCores)
    twin.apply(TWO)
    shares = CoreShares(twin, lambda: None)
    wait_for("a share of 3/4", lambda: shares.tick(TWO) and twin.sample().nfs["a.simple-forward"].cpu.weight > 700)
    assert differences(TWO, twin.sample()) == ()
    twin.apply(TWO)
    found = twin.sample().nfs
    assert found["a.simple-forward"].cpu.weight > 700 > 300 > found["b.simple-forward"].cpu.weight
    core = said(shares)
    assert core.core == 6 and core.changed is not None


COSTS = by_rate_cost(content(bounded("a", 1.0, 0, loops=1000), bounded("b", 1.0, 1, loops=3000)))
"""The same rate at costs that are about 1:3; together more than the core."""


def test_on_a_simulated_host_nfs_of_costs_1_to_3_are_served_the_same_part(twin: TwinDriver) -> None:
    """With equal shares the dear one is served a third as many packets. By rate and cost, both the same part."""
    twin.apply(COSTS)
    cheap, dear = served_parts(twin, "ab")
    assert cheap > 2 * dear
    shares = CoreShares(twin, lambda: None)
    weight = "b.simple-forward"
    wait_for("a share of 3/4", lambda: shares.tick(COSTS) and twin.sample().nfs[weight].cpu.weight > 700)
    cheap, dear = served_parts(twin, "ab")
    assert abs(cheap - dear) < 10
    core = said(shares)
    assert core.law == "rate-cost" and core.changed is not None and "us a packet" in core.changed.cause
