"""The registry of steps: each with its fault points, each harmless when done or undone twice."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
import sextant_backend.modules
from operations_world import SimAgent, World, file_of
from sextant_backend.faults import FAULT_POINTS, fault_point, replaced
from sextant_backend.kit.leases.work import LeasedWork
from sextant_backend.modules.operations.events import StepDone, StepFailed, StepPending
from sextant_backend.modules.operations.record import STEP_ORDER, UNDO_ORDER
from sextant_backend.modules.operations.steps import STEPS, perform
from sextant_domain.plans.operation import StepName

SOURCE = Path(sextant_backend.__file__).parent


def test_every_step_is_data() -> None:
    assert tuple(STEPS) == STEP_ORDER == tuple(StepName)
    assert set(UNDO_ORDER) == {name for name, spec in STEPS.items() if spec.undo is not None}
    assert all(spec.precondition for spec in STEPS.values())


def test_every_step_has_its_fault_points() -> None:
    for spec in STEPS.values():
        assert spec.fault_points()
        assert set(spec.fault_points()) <= FAULT_POINTS.keys(), (
            f"step {spec.name}: points are missing in faults/points.py"
        )


def test_every_fault_point_is_in_the_code() -> None:
    """Those of steps are called by name of the step; each of the others stands somewhere in the source."""
    of_steps = {point for spec in STEPS.values() for point in spec.fault_points()}
    text = "\n".join(path.read_text() for path in SOURCE.rglob("*.py"))
    called = set(re.findall(r'fault_point\("([^"]+)"\)', text))
    for module in walk_packages(sextant_backend.modules.__path__, "sextant_backend.modules."):
        import_module(module.name)
    for work in LeasedWork.__subclasses__():
        if work.__module__.startswith("sextant_backend."):
            called |= {f"{work.name}.{point}" for point in work.points}
    assert called == FAULT_POINTS.keys() - of_steps


def test_a_point_that_is_not_listed_is_refused() -> None:
    with pytest.raises(KeyError, match=r"points\.py"):
        fault_point("operate.nowhere")


@pytest.mark.parametrize("name", STEP_ORDER)
def test_performing_a_step_passes_its_points(name: StepName) -> None:
    world, seen = World(0, hosts=2, exchanges=True), []
    with replaced(seen.append):
        for undo in (False, True):
            own, comes = file_of("own-edge-1"), file_of("own-edge-2")
            world.agents["edge-1"].files = {comes if undo else own}
            perform(name, undo, world.database.works["edge-1"], world.agents["edge-1"])
    assert seen == [point for point in STEPS[name].fault_points() if not point.endswith("_commit")]


def run_through(world: World, undo: bool, times: int) -> None:
    """Every step so often, in order; the host converges between tries."""
    agent, work = world.agents["edge-1"], world.database.works["edge-1"]
    given = {step.name for step in world.database.record.host("edge-1").steps}
    for name in UNDO_ORDER if undo else STEP_ORDER:
        if name not in given:
            continue
        for _ in range(times):
            result = perform(name, undo, work, agent)
            for _ in range(20):
                if not isinstance(result, StepPending):
                    break
                agent.tick()
                result = perform(name, undo, work, agent)
            assert isinstance(result, StepDone), result


def test_what_the_agent_is_busy_with_is_reported_and_counts_as_progress() -> None:
    world = World(0)
    agent, work = world.agents["edge-1"], world.database.works["edge-1"]
    for name in (StepName.CHECK, StepName.PUT):
        world.agents["edge-1"].files = {file_of("old"), file_of("web")}
        assert isinstance(perform(name, False, work, agent), StepDone)
    for busy in (None, "removing web"):
        agent.busy = busy
        result = perform(StepName.CONVERGE, False, work, agent)
        assert isinstance(result, StepPending)
        assert (result.busy, "edge-1 is removing web" in result.detail) == (busy is not None,) * 2


@pytest.mark.parametrize(("exchanges", "orders"), [(False, [5]), (True, [5, 6])])
def test_doing_every_step_twice_changes_nothing(exchanges: bool, orders: list[int]) -> None:
    once, twice = (World(0, hosts=2, exchanges=exchanges) for _ in range(2))
    run_through(once, undo=False, times=1)
    run_through(twice, undo=False, times=2)
    assert effects(once.agents["edge-1"]) == effects(twice.agents["edge-1"])
    assert [generation for generation, _ in twice.agents["edge-1"].adopted] == orders


@pytest.mark.parametrize("exchanges", [False, True])
def test_undoing_every_step_twice_changes_nothing(exchanges: bool) -> None:
    once, twice = (World(0, hosts=2, exchanges=exchanges) for _ in range(2))
    for world, times in ((once, 1), (twice, 2)):
        before = world.agents["edge-1"].ledger.content
        run_through(world, undo=False, times=1)
        run_through(world, undo=True, times=times)
        assert world.agents["edge-1"].ledger.content == before
    assert effects(once.agents["edge-1"]) == effects(twice.agents["edge-1"])


def effects(agent: SimAgent) -> tuple[object, ...]:
    return agent.ledger, agent.adopted, sorted(agent.running), agent.applied, agent.files


def test_the_check_takes_the_base_an_older_ledger_and_the_target_but_nothing_else() -> None:
    """Plan on generation 4: a ledger at 4, one that lost its disk (0), and one that has the target (5) will do."""
    world = World(0)
    agent, work = world.agents["edge-1"], world.database.works["edge-1"]
    for ledger in (agent.ledger, work.target, work.former.model_copy(update={"generation": 0})):
        agent.ledger = ledger
        assert isinstance(perform(StepName.CHECK, False, work, agent), StepDone)
    for ledger in (work.former, work.target.model_copy(update={"generation": 4})):
        agent.ledger = ledger
        result = perform(StepName.CHECK, False, work, agent)
        assert isinstance(result, StepFailed)
        assert result.definitive
