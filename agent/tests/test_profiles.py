"""Ordered measurements: one at a time, asked for by key; an order always wins. The driver waits for the test."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from sextant_agent.contract.driver import HostOffer
from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_agent.orders.problems import NoSuchProfile, ProfileBusy, ProfileConflict
from sextant_agent.orders.profiles import KEPT, ProfileRuns
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import HostContent
from sextant_domain.profiling.job import ProfileOrder, ProfileRun, ProfileRunState
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    ProfiledNf,
    ProfileMode,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
)

from .orders import chain, content, nf
from .test_orders import INVENTORY
from .waiting import wait_for

ONE = Estimate(value=1.0, count=1)
TRAFFIC_CORE = 5


class Bench:
    """The part of a driver that measures: it goes on until the test says how to end."""

    name = "bench"

    def __init__(self) -> None:
        self.begun = 0
        self.stage: Literal["calibrating", "measuring"] = "measuring"
        self.outcome: Exception | None = None
        self.go_on = threading.Event()

    def inventory(self) -> HostOffer:
        return HostOffer(INVENTORY, frozenset({"router"}), traffic_core=TRAFFIC_CORE)

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        self.begun += 1
        watch.progress(ProfileProgress(stage=self.stage, samples=self.begun))
        while not self.go_on.wait(0.01):
            if watch.cancelled():
                raise MeasurementCancelled
        if self.outcome is not None:
            raise self.outcome
        figures = NfEstimates(mpps=ONE, cycles_per_packet=ONE, cpu_percent=ONE)
        return ProfileResult(request=request, provenance=Provenance.MEASURED, ended="narrow", nf=figures)


class World:
    """Runs over a bench, and the order in force."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.ordered = content()
        self.runs = ProfileRuns(self.bench, lambda: self.ordered)  # type: ignore[arg-type]

    def ended(self, key: str) -> ProfileRun:
        return wait_for(
            f"{key} ends", lambda: run if (run := self.runs.get(key)).state is not ProfileRunState.RUNNING else None
        )


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.runs.close()


def point(key: str, core: int = 3, **changes: Any) -> ProfileOrder:
    subject = ProfiledNf(nf_type="router", core=core)
    return ProfileOrder(key=key, request=ProfileRequest(mode=ProfileMode.SOLO, nf=subject, **changes))


def test_a_measurement_is_begun_once_and_found_by_its_key(world: World) -> None:
    assert world.runs.order(point("a")).state is ProfileRunState.RUNNING
    reported = wait_for("it begins", lambda: run if (run := world.runs.get("a")).progress else None)
    assert reported.progress and reported.progress.samples == 1
    assert [run.key for run in world.runs.active().runs] == ["a"]
    assert world.runs.cores() == {3}
    world.bench.go_on.set()
    assert world.ended("a").result is not None
    again = world.runs.order(point("a"))
    assert (again.state, world.bench.begun) == (ProfileRunState.DONE, 1)
    assert world.runs.active().runs == ()


def test_a_key_stands_for_one_request(world: World) -> None:
    world.runs.order(point("a"))
    with pytest.raises(ProfileConflict):
        world.runs.order(point("a", core=4))


def test_one_at_a_time_and_who_runs_is_named(world: World) -> None:
    world.runs.order(point("a"))
    with pytest.raises(ProfileBusy, match="a is measured now") as refusal:
        world.runs.order(point("b"))
    assert refusal.value.difference == {"key": {"sent": "b", "running": "a"}}
    with pytest.raises(NoSuchProfile):
        world.runs.get("b")
    world.bench.go_on.set()
    world.ended("a")
    assert world.runs.order(point("b")).state is ProfileRunState.RUNNING


def test_cancelling_ends_it_and_may_be_repeated(world: World) -> None:
    world.runs.order(point("a"))
    assert [world.runs.cancel("a").state for _ in range(2)] == [ProfileRunState.CANCELLED] * 2
    assert world.runs.order(point("a")).state is ProfileRunState.CANCELLED, "another key measures it again"
    world.bench.go_on.set()
    world.runs.order(point("b"))
    world.ended("b")
    assert world.runs.cancel("b").state is ProfileRunState.DONE, "what has ended stays what it is"


def test_a_cancellation_that_overtakes_its_order_holds(world: World) -> None:
    assert world.runs.cancel("late").state is ProfileRunState.CANCELLED
    assert world.runs.order(point("late")).state is ProfileRunState.CANCELLED
    assert world.bench.begun == 0
    with pytest.raises(NoSuchProfile):
        world.runs.cancel("../etc")


@pytest.mark.parametrize(
    ("error", "kind", "permanent"),
    [
        (CoreBusy("core 3 runs web.router"), "busy", False),
        (NotSupported("no program"), "unsupported", True),
        (DriverError("bad rule", permanent=True), "failed", True),
        (DriverError("it died"), "failed", False),
        (ZeroDivisionError(), "failed", False),
    ],
)
def test_failures_say_whether_trying_again_can_help(world: World, error: Exception, kind: str, permanent: bool) -> None:
    world.bench.outcome = error
    world.bench.go_on.set()
    world.runs.order(point("a"))
    run = world.ended("a")
    assert (run.state, run.kind, run.permanent) == (ProfileRunState.FAILED, kind, permanent)
    assert (str(error) or "error of its own") in (run.reason or "")


def web(core: int) -> HostContent:
    return content(chain("web", nf("web", "router", core=core)))


def test_a_host_that_cannot_give_resources_measures_nothing_instead_of_something_else(world: World) -> None:
    """Its driver would measure the NF with all the cache there is."""
    for field in ("llc_ways", "memory_bandwidth_percent"):
        world.runs.order(point(field.replace("_", "-"), **{field: 1}))
        found = world.ended(field.replace("_", "-"))
        assert found.state is ProfileRunState.DONE and found.result is not None
        assert (found.result.ended, found.result.not_measurable) == (
            "not-measurable", "cache ways and memory bandwidth of its own: its driver does not offer it",
        )  # fmt: skip
    assert world.bench.begun == 0


def test_an_order_takes_the_core_before_it_is_carried_out(world: World) -> None:
    world.runs.order(point("a"))
    world.runs.give_way(web(4))
    assert world.runs.get("a").state is ProfileRunState.RUNNING, "another core is left to it"
    world.runs.give_way(web(3))
    run = world.runs.get("a")
    assert (run.state, run.kind, run.permanent) == (ProfileRunState.FAILED, "busy", False)
    assert run.reason == "core 3 was given to web.router"


def test_the_source_of_a_chain_takes_its_core_too(world: World) -> None:
    world.runs.order(point("a", core=TRAFFIC_CORE))
    world.runs.give_way(content())
    assert world.runs.get("a").state is ProfileRunState.RUNNING
    world.runs.give_way(web(4))
    assert world.runs.get("a").reason == f"core {TRAFFIC_CORE} was given to the source and sink of web"


def test_while_it_calibrates_every_core_without_nfs_is_its_own(world: World) -> None:
    """The host offers cores 0 and 1, and the NF is to be measured on 3. Core 1 had an NF before, and was not
    calibrated."""
    world.ordered = web(1)
    world.bench.stage = "calibrating"
    assert world.runs.cores() == frozenset()
    world.runs.order(point("a"))
    wait_for("it calibrates", lambda: world.runs.get("a").progress)
    assert world.runs.cores() == {0, 3}
    world.runs.give_way(web(1))
    assert world.runs.get("a").state is ProfileRunState.RUNNING
    world.runs.give_way(web(4))
    assert world.runs.get("a").reason == "core 4 was given to web.router"


def test_nothing_is_begun_on_a_core_that_was_given_away(world: World) -> None:
    """Ordered and not there yet: the driver would find the core free."""
    world.ordered = web(3)
    run = world.runs.order(point("a"))
    assert (run.state, run.kind, world.bench.begun) == (ProfileRunState.FAILED, "busy", 0)
    assert world.runs.order(point("b", sandboxed=True)).state is ProfileRunState.RUNNING, "its own NFs are no obstacle"
    world.runs.give_way(web(3))
    assert world.runs.get("b").state is ProfileRunState.RUNNING


def test_results_are_kept_within_bounds(world: World) -> None:
    world.bench.go_on.set()
    for number in range(KEPT + 3):
        world.runs.order(point(f"p{number}"))
        world.ended(f"p{number}")
    for number in range(3):
        with pytest.raises(NoSuchProfile):
            world.runs.get(f"p{number}")
    assert world.runs.get("p3").result is not None


def test_files_are_lent_for_as_long_as_it_runs(world: World) -> None:
    seen: list[str] = []

    def refuse(_: ProfileRequest) -> None:
        raise NoSuchProfile("a file is missing")

    with pytest.raises(NoSuchProfile, match="file"):
        world.runs.order(point("a"), refuse)
    with pytest.raises(NoSuchProfile):
        world.runs.get("a")
    end: Callable[[], None] = lambda: seen.append("taken back")  # noqa: E731
    world.runs.order(point("a"), lambda _: seen.append("lent"), end)
    world.runs.order(point("a"), lambda _: seen.append("lent again"), end)
    world.runs.cancel("a")
    assert seen == ["lent", "taken back"]


def test_the_agents_end_is_its_end(world: World) -> None:
    world.runs.order(point("a"))
    world.runs.close()
    assert world.runs.get("a").state is ProfileRunState.CANCELLED
    assert world.runs.order(point("b")).state is ProfileRunState.FAILED
