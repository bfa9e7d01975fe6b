"""CPU quotas that the agent sets by what packets say, against a driver whose figures a test chooses: a look each 10 ms,
a window each 20 ms."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sextant_agent.contract.driver import CpuGiven, NfCpuTime, NfTimes, TimesNfs
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import HostSample, NfCpu
from sextant_agent.controllers.srv6 import HELD_LOOK_S, IDLE_LOOK_S, LOOK_S, NfQuotas
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.telemetry import TelemetryBatch

from .batches import a_batch
from .orders import chain, content, nf

WEB = "web.router"
BOUNDS = QuotaBounds(max_p95_us=1000, least_percent=10, most_percent=80)


def bounded(name: str = "web", bounds: QuotaBounds | None = BOUNDS, slot: int = 0) -> DesiredChain:
    return chain(name, nf(name, "router", core=1, slot=slot)).model_copy(update={"quota_bounds": bounds})


ONE = content(bounded())


class Figures:
    """What the loop asks of a driver."""

    name = "figures"

    def __init__(self) -> None:
        self.now_ms = 0
        self.quotas: dict[str, float | None] = {WEB: 20.0}
        self.needs = {WEB: 40.0}
        self.life = 1
        self.down = self.refuses = self.no_helper = None
        self.budget: float | None = None
        self.orders: list[dict[str, CpuGiven]] = []

    def nf_times(self) -> Mapping[str, NfTimes]:
        if self.down:
            raise DataPlaneDown(self.down)
        return {
            name: NfTimes(self.now_ms // 20, 600.0 if (has or 100) >= self.needs[name] else 5000.0, 0.0, self.life)
            for name, has in self.quotas.items()
        }

    def nf_cpu(self) -> Mapping[str, NfCpuTime]:
        if self.no_helper:
            raise DriverError(self.no_helper)
        return {name: NfCpuTime(NfCpu(100, has, 0), 0) for name, has in self.quotas.items()}

    def cpu_budget(self) -> float | None:
        return self.budget

    def counted(self) -> HostSample:
        raise NotImplementedError("quotas are set by what packets say")

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        if self.refuses:
            raise DriverError(self.refuses)
        if any((one.quota_percent or 100) > (self.budget or 100) for one in given.values()):
            raise DriverError("no-room: more than all NFs of this host have together")
        self.quotas.update({name: one.quota_percent for name, one in given.items()})
        self.orders.append(dict(given))


class World:
    """An agent's part beside these figures."""

    def __init__(self, file: Path) -> None:
        self.figures, self.file = Figures(), file
        assert isinstance(self.figures, TimesNfs)
        self.stopped: str | None = None
        self.restart()

    def restart(self) -> None:
        """The agent ends, and another begins."""
        clock_ns = lambda: self.figures.now_ms * 1_000_000  # noqa: E731
        self.quotas = NfQuotas(self.figures, lambda: self.stopped, self.file, clock_ns)  # type: ignore[arg-type]

    def run(self, milliseconds: int, order: HostContent = ONE) -> BoundedNf:
        for _ in range(milliseconds // 10):
            self.figures.now_ms += 10
            self.quotas.tick(order)
        return self.said()[0]

    def batch(self) -> TelemetryBatch:
        return self.quotas.reported(a_batch())

    def said(self) -> tuple[BoundedNf, ...]:
        return self.batch().bounded_nfs

    def changes(self) -> list[tuple[str, str, float, float]]:
        return [
            (one.nf_id, one.reason.value, one.before_percent, one.after_percent) for one in self.batch().quota_changes
        ]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "quotas.json")


def test_an_nf_above_is_given_more_and_it_is_said_what_was_done_and_why(world: World) -> None:
    """It needs 40 %: 20, 30, 45."""
    found = world.run(200)
    assert (found.nf_id, found.chain, found.quota_percent, found.state) == (WEB, "web", 45, QuotaState.WELL)
    assert (found.p95_us, found.max_p95_us, found.note) == (600, 1000, None)
    assert world.changes() == [(WEB, "raised", 20, 30), (WEB, "raised", 30, 45)]
    assert world.batch().quota_changes[0].cause == "p95 5 ms > 1 ms in 2 windows running"
    assert [given[WEB] for given in world.figures.orders] == [CpuGiven(100, 30), CpuGiven(100, 45)]


def test_where_there_is_no_more_the_host_is_saturated(world: World) -> None:
    world.figures.needs[WEB] = 90
    found = world.run(1000)
    assert (found.quota_percent, found.state) == (80, QuotaState.SATURATED)
    first = found.stood_s
    assert first is not None and 0 < first < 1
    assert world.run(500).stood_s == pytest.approx(first + 0.5, abs=0.02)
    world.figures.needs[WEB] = 60
    assert (well := world.run(1000)).state is QuotaState.WELL and well.stood_s is None


def test_where_the_hosts_budget_ends_it_is_saturated_and_nothing_is_refused(world: World) -> None:
    """All NFs of the host have 30 % together: 20 -> 30. The helper would refuse 45."""
    world.figures.budget = 30.0
    found = world.run(500)
    assert (found.quota_percent, found.state, found.note) == (30, QuotaState.SATURATED, None)
    assert world.changes() == [(WEB, "raised", 20, 30)]


def test_the_budget_is_shared_by_all_cores_and_with_what_others_are_ordered(world: World) -> None:
    """Of 100 %, 60 are dns's by order, on another core: 20 -> 30 -> 40, and there it ends."""
    world.figures.budget, world.figures.needs[WEB] = 100.0, 70.0
    dns = nf("dns", "router", core=2).model_copy(update={"cpu_quota_percent": 60.0})
    found = world.run(500, content(chain("dns", dns), bounded()))
    assert (found.quota_percent, found.state) == (40, QuotaState.SATURATED)


def test_what_is_taken_is_set_before_what_is_given(world: World) -> None:
    """All of core 1 is given. Of dns, which has packets and no need, 60 -> 48; web gets the 12."""
    world.figures.quotas = {WEB: 40.0, "dns.router": 60.0}
    world.figures.needs = {WEB: 90.0, "dns.router": 10.0}
    low = world.figures.nf_times

    def times() -> dict[str, NfTimes]:
        found = dict(low())
        one = found["dns.router"]
        return found | {"dns.router": NfTimes(one.window, 100.0, 0.0, one.life)}

    world.figures.nf_times = times  # type: ignore[method-assign]
    world.run(50, content(bounded("dns", slot=1), bounded()))
    assert world.changes() == [("dns.router", "taken", 60, 48), (WEB, "raised", 40, 52)]
    assert list(world.figures.orders[0]) == ["dns.router", WEB]


def test_a_quota_that_the_order_gives_another_is_none_of_its(world: World) -> None:
    """Of core 1, 70 % are dns's by order: 20 -> 30, and there it ends."""
    dns = nf("dns", "router", core=1, slot=1).model_copy(update={"cpu_quota_percent": 70.0})
    found = world.run(500, content(chain("dns", dns), bounded()))
    assert (found.quota_percent, found.state) == (30, QuotaState.SATURATED)


def test_without_bounds_nothing_is_done_and_nothing_said(world: World) -> None:
    assert world.quotas.tick(content(bounded(bounds=None))) == IDLE_LOOK_S
    paused = bounded().model_copy(update={"paused": True})
    assert world.quotas.tick(content(paused)) == IDLE_LOOK_S
    assert world.said() == () and world.quotas.tick(ONE) == LOOK_S


def test_where_laws_are_stopped_nothing_moves(world: World) -> None:
    world.stopped = "an operator has stopped all laws"
    found = world.run(500)
    assert (found.state, found.note) == (QuotaState.HELD, "quotas not met: an operator has stopped all laws")
    assert world.quotas.tick(ONE) == HELD_LOOK_S and world.figures.orders == []
    world.stopped = None
    assert world.run(200).quota_percent == 45


def test_a_helper_that_refuses_is_said_and_asked_again_later(world: World) -> None:
    """Refused at the second window, tried again 2 s later."""
    world.figures.refuses = "no root helper answers at helper.sock"
    assert world.run(100).note == "quotas not met: no root helper answers at helper.sock"
    world.figures.refuses = None
    assert world.run(1500).state is QuotaState.HELD and world.figures.orders == []
    assert world.run(1000).quota_percent == 45


def test_a_host_without_a_helper_says_so(world: World) -> None:
    world.figures.no_helper = "no root helper answers"
    found = world.run(100)
    assert (found.note, found.quota_percent) == ("quotas not met: no root helper answers", None)


def test_a_daemon_that_is_gone_holds_it_until_it_measures_again(world: World) -> None:
    world.run(20)
    world.figures.down = "sextant-srv6 does not answer"
    assert world.run(100).note == "windows cannot be read: sextant-srv6 does not answer"
    world.figures.down = None
    assert world.run(200).quota_percent == 45


def test_an_nf_without_a_group_or_a_process_is_left_alone(world: World) -> None:
    world.figures.nf_cpu = dict  # type: ignore[method-assign]
    assert world.run(100).note == f"{WEB} has no CPU group yet"
    world.figures.nf_times = dict  # type: ignore[method-assign]
    assert world.run(100).note == f"{WEB} does not run"


def test_another_process_is_not_judged_by_windows_of_the_one_before(world: World) -> None:
    """It is above in every window, and restarted after each."""
    for life in range(20):
        world.figures.life = life
        world.run(20)
    assert world.figures.orders == []


def test_an_agent_that_begins_again_goes_on_from_what_the_kernel_has_and_remembers_what_was_done(world: World) -> None:
    world.run(200)
    world.quotas.save()
    done = world.changes()
    world.restart()
    assert world.run(200).quota_percent == 45 and world.changes() == done
    world.figures.needs[WEB] = 60
    world.run(200)
    assert world.changes() == [*done, (WEB, "raised", 45, 67)]


@pytest.mark.parametrize("text", ["", "{", '{"format": 2}', "\x00"])
def test_a_file_that_is_damaged_is_begun_anew(world: World, text: str) -> None:
    world.file.write_text(text)
    world.restart()
    world.run(200)
    assert len(world.changes()) == 2


def test_a_file_that_cannot_be_written_stops_nothing(world: World) -> None:
    world.file.mkdir()
    world.run(200)
    world.quotas.save()
    assert len(world.changes()) == 2


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.floats(1, 100), st.booleans(), st.booleans(), st.booleans()), max_size=30),
    st.integers(1, 50),
    st.integers(50, 100),
)
def test_whatever_happens_bounds_hold(
    tmp_path: Path, moments: list[tuple[float, bool, bool, bool]], least: int, most: int
) -> None:
    """Any need, a daemon and a helper that come and go, an agent that begins again."""
    world = World(tmp_path / "any.json")
    bounds = QuotaBounds(max_p95_us=1000, least_percent=least, most_percent=most)
    for need, down, refuses, begins_again in moments:
        world.figures.needs[WEB] = need
        world.figures.down = "killed" if down else None
        world.figures.refuses = "no helper" if refuses else None
        if begins_again:
            world.restart()
        world.run(100, content(bounded(bounds=bounds)))
    assert all(bounds.hold(given[WEB].quota_percent) for given in world.figures.orders)
