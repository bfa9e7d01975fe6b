"""LLC ways and memory bandwidth that the agent sets by what packets say: the law, the root helper's verbs and threads
of real processes over the double of resctrl, in this process and mounted, with the helper as a process of its own. How
long NFs have packets a test chooses; a look each 10 ms, a window each 20 ms."""

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from sextant_agent.contract.driver import CpuGiven, GivesMemory, MemoryOffer, NfCpuTime, NfTimes
from sextant_agent.contract.sample import HostSample, NfCpu, NfResources
from sextant_agent.control.nf_memory import NfMemory, NfThread
from sextant_agent.controllers.srv6 import NfQuotas
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, BoundedResource, QuotaChange, QuotaState
from sextant_domain.hosts.desired import ChainResources, HostContent
from sextant_domain.hosts.telemetry import TelemetryBatch

from .batches import a_batch
from .helper_process import why_no_groups
from .orders import chain, content, nf
from .resctrl_double import ResctrlDouble
from .resctrl_mount import HelperOnDouble, MountedDouble, mounted, why_no_fuse
from .test_helper_threads import PROGRAM
from .test_resource_control import Host, NfHost, gaps, order

ROUTER, FIREWALL = "web.router", "web.firewall"
BOUNDS = QuotaBounds(
    max_p95_us=1000, least_percent=50, most_percent=50, least_ways=2, most_ways=6, least_bandwidth_percent=30
)
"""Quotas stay as they are: ways are what can be given."""
WELL, ABOVE, LOW = 600.0, 5000.0, 100.0
WHY_NOT_MOUNTED = why_no_fuse() or why_no_groups()
SHARES = NfResources(None, None)


def bounded(bounds: QuotaBounds | None = BOUNDS, base: HostContent | None = None, **changes: object) -> HostContent:
    (web,) = (base or order()).chains
    return content(web.model_copy(update={"quota_bounds": bounds, **changes}))


class Measured:
    """The host of the resource tests as a driver whose packets say what a test chooses."""

    name = "measured"

    def __init__(self, host: NfHost) -> None:
        self.host, self.memory = host, NfMemory(host.client, host.control, host.root)
        self.applying = threading.Lock()
        self.now_ms = 0
        self.p95_us = {ROUTER: WELL, FIREWALL: WELL}
        self.quotas: dict[str, float | None] = dict.fromkeys(self.p95_us, 50.0)

    def nf_times(self) -> Mapping[str, NfTimes]:
        return {name: NfTimes(self.now_ms // 20, p95, 0.0, 1) for name, p95 in self.p95_us.items()}

    def nf_cpu(self) -> Mapping[str, NfCpuTime]:
        return {name: NfCpuTime(NfCpu(100, has, 0), 0) for name, has in self.quotas.items()}

    def cpu_budget(self) -> float | None:
        return None

    def counted(self) -> HostSample:
        return self.host.sample()

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        self.quotas.update({name: one.quota_percent for name, one in given.items()})

    def memory_offer(self) -> MemoryOffer:
        return self.memory.offer(self.threads())

    def give_memory(self, given: Mapping[str, NfResources]) -> Mapping[str, str]:
        return self.memory.give(given, self.threads(), self.applying)

    def threads(self) -> dict[str, NfThread]:
        host = self.host
        return {
            name: NfThread(host.cores[name], one.pid, host.thread(name))
            for name, one in host.processes.items()
            if one.poll() is None
        }


class World:
    """An agent's part."""

    def __init__(self, folder: Path, host: NfHost, resctrl: ResctrlDouble | MountedDouble) -> None:
        self.file, self.host, self.resctrl = folder / "quotas.json", host, resctrl
        self.driver = Measured(host)
        assert isinstance(self.driver, GivesMemory)
        self.order = bounded()
        self.restart()

    def restart(self) -> None:
        self.quotas = NfQuotas(self.driver, lambda: None, self.file, lambda: self.driver.now_ms * 1_000_000)  # type: ignore[arg-type]

    def run(self, milliseconds: int) -> BoundedNf:
        for _ in range(milliseconds // 10):
            self.driver.now_ms += 10
            self.quotas.tick(self.order)
        return self.said(ROUTER)

    def apply(self) -> list[str]:
        """As the reconciler has it done: what differs, and nothing else."""
        done, failures = self.host.apply(self.order)
        assert not failures
        return done

    def batch(self) -> TelemetryBatch:
        return self.quotas.reported(a_batch())

    def said(self, name: str) -> BoundedNf:
        return next(one for one in self.batch().bounded_nfs if one.nf_id == name)

    def changes(self) -> tuple[QuotaChange, ...]:
        return self.batch().quota_changes

    def ways(self) -> list[tuple[str, str, int | None, int | None]]:
        return [
            (one.nf_id, one.reason.value, one.before_ways, one.after_ways)
            for one in self.changes()
            if one.resource is BoundedResource.LLC_WAYS
        ]

    @property
    def has(self) -> NfResources | None:
        """What the kernel shows of the router's thread."""
        return self.host.found()["router"]


@pytest.fixture
def in_this_process(tmp_path: Path) -> Iterator[World]:
    tmp_path.chmod(0o700)
    host = Host(tmp_path)
    yield World(tmp_path, host, host.helper.double)
    host.end()


@pytest.fixture
def on_a_mount(tmp_path: Path) -> Iterator[World]:
    tmp_path.chmod(0o700)
    with mounted(tmp_path / "resctrl") as place:
        helper = HelperOnDouble(tmp_path, Path(PROGRAM), place)
        helper.start()
        host = NfHost(tmp_path, helper.socket)
        yield World(tmp_path, host, MountedDouble(place))
        host.end()
        helper.end_all()
        assert MountedDouble(place).groups() == [], "nothing is left"


needs_fuse = pytest.mark.skipif(WHY_NOT_MOUNTED is not None, reason=f"nothing can be mounted here: {WHY_NOT_MOUNTED}")


@pytest.fixture(params=["in_this_process", pytest.param("on_a_mount", marks=needs_fuse)])
def world(request: pytest.FixtureRequest) -> World:
    found: World = request.getfixturevalue(request.param)
    return found


def test_what_cpu_time_does_not_help_gets_ways_of_its_own_as_many_as_its_bounds_allow(world: World) -> None:
    """0 -> 2 -> 3 -> 4 -> 6, and no other thread is in its group; then bandwidth is at its most, and the host has no
    more."""
    world.driver.p95_us[ROUTER] = ABOVE
    found = world.run(500)
    assert world.ways() == [
        (ROUTER, "raised", 0, 2), (ROUTER, "raised", 2, 3), (ROUTER, "raised", 3, 4), (ROUTER, "raised", 4, 6),
    ]  # fmt: skip
    assert (found.llc_ways, found.memory_bandwidth_percent, found.not_given) == (6, None, None)
    assert (found.state, world.has) == (QuotaState.SATURATED, NfResources(6, None))
    (group,) = world.resctrl.groups()
    assert world.resctrl.read(f"{group}/tasks").split() == [str(world.host.thread(ROUTER))]
    first = world.changes()[0]
    assert first.cause == "p95 5 ms > 1 ms in 2 windows running" and first.took_us >= 0
    assert (first.before_percent, round(first.after_percent, 1)) == (0, 18.2), "2 of 11"


def test_ways_within_the_bounds_count_as_ordered(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    assert world.has == NfResources(3, None)
    assert gaps(world.order, world.host.sample()) == [] and world.apply() == []
    assert world.has == NfResources(3, None)


def test_who_needs_no_more_is_limited_in_bandwidth_and_has_all_again_once_it_does(world: World) -> None:
    """Steps of this CPU are 30, 60, 90 and 100 %."""
    world.driver.p95_us[ROUTER] = LOW
    found = world.run(4500)
    assert (found.memory_bandwidth_percent, world.has) == (30, NfResources(None, 30))
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(50)
    assert world.has == NfResources(None, 60), "what was taken hurt"
    world.run(400)
    assert world.has is not None and world.has.memory_bandwidth_percent is None
    given = [one for one in world.changes() if one.resource is BoundedResource.MEMORY_BANDWIDTH]
    assert [(one.before_percent, one.after_percent) for one in given[:2]] == [(100, 60), (60, 30)]


def test_an_agent_that_begins_again_goes_on_from_what_the_kernel_has(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    world.quotas.save()
    done = world.changes()
    world.restart()
    assert world.run(10).llc_ways == 3 and world.changes() == done
    world.run(100)
    assert world.ways()[-1] == (ROUTER, "raised", 4, 6)


def test_bounds_that_are_taken_away_leave_nothing(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    world.order = bounded(bounds=None)
    assert world.apply() == ["gave web.router all shared LLC ways and 100 % memory bandwidth"]
    assert (world.has, world.resctrl.groups()) == (SHARES, [])


def test_a_chain_that_is_paused_gives_back_what_the_agent_gave(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    world.order = bounded(paused=True)
    world.apply()
    assert (world.has, world.resctrl.groups()) == (SHARES, [])
    assert world.quotas.tick(world.order) == 1.0


def test_an_nf_that_is_gone_leaves_no_group_and_its_ways_to_all(world: World) -> None:
    """Whoever is there forgets it: this agent, or the next."""
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    world.host.processes[ROUTER].kill()
    world.host.processes[ROUTER].wait()
    world.host.control.forget_ended()
    assert world.resctrl.groups() == [] and "L3:0=7ff" in world.resctrl.read("schemata")
    world.host.processes[ROUTER] = world.host.start()  # another life of it shares
    assert world.has == SHARES


def test_an_nf_that_moves_to_another_cache_leaves_the_ways_of_the_one_before(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(100)
    world.host.cores[ROUTER], world.driver.p95_us[ROUTER] = 8, WELL
    assert world.run(1100).llc_ways is None
    assert "L3:0=7ff" in world.resctrl.read("schemata")


def test_what_is_ordered_comes_before_what_the_agent_gave(world: World) -> None:
    """8 of the 10 ways that can be given are the firewall's by order, and the router has 6 of them."""
    world.driver.p95_us[ROUTER] = ABOVE
    world.run(500)
    world.order = bounded(base=order(firewall=(8, None)))
    assert world.apply() == ["gave web.firewall 8 LLC ways of its own and 100 % memory bandwidth"]
    assert world.host.found() == {"router": SHARES, "firewall": NfResources(8, None)}
    world.run(1500)
    assert world.has == NfResources(2, None), "what is left"


def test_ways_that_are_ordered_are_what_an_nf_begins_with(world: World) -> None:
    """It is never left without any."""
    world.order = bounded(base=order(router=(4, None)))
    world.apply()
    world.driver.p95_us[ROUTER] = LOW
    world.run(10_000)
    assert world.has is not None and world.has.llc_ways == 2
    assert gaps(world.order, world.host.sample()) == []


def test_what_the_kernel_refuses_is_said_and_quotas_go_on(world: World) -> None:
    """All classes of service are other programs'. Asked again 2 s later, when there is one."""
    for number in range(7):
        world.resctrl.make(f"other-{number}")
        world.resctrl.write(f"other-{number}/schemata", "L3:0=400\n")
    world.order = bounded(BOUNDS.model_copy(update={"most_percent": 60}))
    world.driver.p95_us[ROUTER] = ABOVE
    found = world.run(300)
    assert found.state is QuotaState.SATURATED and found.not_given is not None
    assert found.not_given.startswith("LLC ways not given: set_resources: all 8 classes of service of this CPU are")
    assert (found.quota_percent, world.ways(), world.has) == (60, [], SHARES)
    world.resctrl.remove("other-6")
    assert world.run(1500).llc_ways is None
    assert world.run(1000).not_given is None and world.ways()[0] == (ROUTER, "raised", 0, 2)
    for number in range(6):
        world.resctrl.remove(f"other-{number}")


def test_while_an_order_is_carried_out_nothing_is_given(world: World) -> None:
    world.driver.p95_us[ROUTER] = ABOVE
    with world.driver.applying:
        found = world.run(200)
    assert found.not_given == "LLC ways not given: an order is being carried out" and world.ways() == []
    assert world.run(2500).llc_ways == 6


def test_a_thread_that_cannot_be_placed_leaves_no_group(world: World) -> None:
    """Its process ends before its thread is moved: the NF that runs in its place is asked for later."""
    threads = world.driver.threads()
    gone = NfThread(threads[ROUTER].core, threads[ROUTER].pid, os.getpid())
    refused = world.driver.memory.give({ROUTER: NfResources(2, None)}, {ROUTER: gone}, threading.Lock())
    assert "is no thread of process" in refused[ROUTER] and world.resctrl.groups() == []


def test_nfs_whose_chain_has_ways_together_have_none_of_their_own(world: World) -> None:
    world.order = bounded(resources=ChainResources(llc_ways=4))
    world.apply()
    world.driver.p95_us[ROUTER] = ABOVE
    found = world.run(200)
    assert found.not_given == "LLC ways and memory bandwidth not given: all NFs of its chain have theirs together"
    assert world.has == NfResources(4, None, of_chain=True)


def test_a_host_without_resctrl_says_so_and_sets_quotas(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    host = Host(tmp_path)
    try:
        for path in sorted((host.root / "sys/fs/resctrl").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (host.root / "sys/fs/resctrl").rmdir()
        world = World(tmp_path, host, host.helper.double)
        world.order = bounded(BOUNDS.model_copy(update={"most_percent": 80}))
        world.driver.p95_us[ROUTER] = ABOVE
        found = world.run(500)
        assert found.not_given == (
            "LLC ways and memory bandwidth not given: no resctrl: this CPU or kernel does not offer it"
        )
        assert (found.quota_percent, found.state) == (80, QuotaState.SATURATED)
        assert gaps(world.order, host.sample()) == []
    finally:
        host.end()


@pytest.mark.parametrize(
    ("ways", "percent", "reason"),
    [((1, 1), None, "whoever has ways of his own has 2 at least here, and the bounds end at 1"),
     (None, 90, "60 % is ordered, and the bounds begin at 90 %")],
)  # fmt: skip
def test_bounds_that_this_host_cannot_keep_are_said(
    in_this_process: World, ways: tuple[int, int] | None, percent: int | None, reason: str
) -> None:
    world = in_this_process
    (world.host.root / "sys/fs/resctrl/info/L3/min_cbm_bits").write_text("2\n")
    bounds = QuotaBounds(
        max_p95_us=1000, least_percent=50, most_percent=50, least_ways=ways and ways[0], most_ways=ways and ways[1],
        least_bandwidth_percent=percent,
    )  # fmt: skip
    world.order = bounded(bounds, order(router=(None, 60)))
    found = world.run(100)
    assert found.not_given is not None and found.not_given.endswith(reason)


def test_a_driver_that_gives_none_says_so(tmp_path: Path) -> None:
    """And without such bounds nobody is asked."""
    asked: list[str] = []

    class Plain:
        name = "plain"

        def nf_times(self) -> Mapping[str, NfTimes]:
            return {ROUTER: NfTimes(1, WELL, 0.0, 1)}

        def nf_cpu(self) -> Mapping[str, NfCpuTime]:
            return {ROUTER: NfCpuTime(NfCpu(100, 50.0, 0), 0)}

        def cpu_budget(self) -> float | None:
            return None

        def counted(self) -> HostSample:
            raise NotImplementedError

        def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
            asked.extend(given)

    quotas = NfQuotas(Plain(), lambda: None, tmp_path / "q.json")  # type: ignore[arg-type]
    quotas.tick(content(chain("web", nf("web", "router")).model_copy(update={"quota_bounds": BOUNDS})))
    (found,) = quotas.standing()
    assert found.not_given == "LLC ways and memory bandwidth not given: this host's driver gives none to single NFs"
