"""Thousands of seeded schedules: crashes, frozen workers, lost replies, refusals, buttons pressed at any time."""

import pytest
from operations_world import World
from sextant_backend.modules.operations import host_return
from sextant_backend.modules.operations.record import FINAL_STATES
from sextant_domain.plans.operation import OperationAction, OperationState

SCHEDULES = 3200
BLOCKS = 8
TROUBLED_TICKS = 250
CALM_TICKS = 4000


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_operation_ends_and_every_effect_happens_once(block: int) -> None:
    ends: dict[str, int] = {}
    for seed in range(block, SCHEDULES, BLOCKS):
        world = World(seed, 1 + seed % 3, waits=seed % 5 == 0, measures=seed % 4 == 1, worse=seed % 8 == 1)
        for _ in range(TROUBLED_TICKS):
            world.tick(trouble=True)
        world.mend()
        _let_it_end(world, seed)
        _judge(world, seed)
        _next_operation_works(world, seed)
        state = world.database.record.state.value
        ends[state] = ends.get(state, 0) + 1
    assert sum(ends.values()) == SCHEDULES // BLOCKS


def test_the_schedules_reach_every_end() -> None:
    """The simulation is worth something only if its troubles lead everywhere, within 400 of them."""
    seen: set[OperationState] = set()
    for seed in range(400):
        if seen == set(OperationState):
            break
        world = World(seed, hosts=1 + seed % 3)
        for _ in range(TROUBLED_TICKS):
            world.tick(trouble=True)
            seen.add(world.database.record.state)
        world.mend()
        _let_it_end(world, seed)
        seen.add(world.database.record.state)
    assert seen == set(OperationState)


@pytest.mark.parametrize("block", range(4))
def test_chains_that_hosts_exchange_run_somewhere_all_the_time(block: int) -> None:
    """Two or three hosts in a circle, whatever dies meanwhile, forwards and back."""
    ends: set[OperationState] = set()
    for seed in range(block, 400, 4):
        world = World(seed, hosts=2 + seed // 4 % 2, exchanges=True)
        for _ in range(TROUBLED_TICKS):
            world.tick(trouble=True)
            assert not world.run_nowhere(), f"seed {seed}"
        world.mend()
        _let_it_end(world, seed)
        _judge(world, seed)
        assert not world.run_nowhere(), f"seed {seed}"
        ends.add(world.database.record.state)
    assert {OperationState.COMPLETED, OperationState.ROLLED_BACK} <= ends


@pytest.mark.parametrize("worse", [False, True])
def test_what_moves_bring_is_measured_and_undone_where_it_is_worse(worse: bool) -> None:
    world = World(1, hosts=2, measures=True, worse=worse)
    _let_it_end(world, seed=1)
    _judge(world, seed=1)
    outcomes = [host.outcome for host in world.database.record.hosts if host.outcome is not None]
    assert {one.worse for one in outcomes} == {worse}
    assert world.database.record.state is (OperationState.ROLLED_BACK if worse else OperationState.COMPLETED)


def _let_it_end(world: World, seed: int) -> None:
    for _ in range(CALM_TICKS):
        if world.database.record.state in FINAL_STATES:
            return
        assert not world.exchanges or not world.run_nowhere(), f"seed {seed}"
        if world.database.record.state is OperationState.FAILED_TEMP and not host_return.goes_on(world.database.record):
            world.press(OperationAction.RETRY)
        world.tick(trouble=False)
    raise AssertionError(f"seed {seed}: still {world.database.record.state} after {CALM_TICKS} calm ticks")


def _judge(world: World, seed: int) -> None:
    db = world.database
    assert len(db.ended) == 1, f"seed {seed}: ended {db.ended}"
    assert len(db.accepted) == len(set(db.accepted)), f"seed {seed}: booked twice: {db.accepted}"
    for name, agent in world.agents.items():
        book, work = world.books[name], db.works[name]
        generations = [generation for generation, _ in agent.adopted]
        assert generations == sorted(set(generations)), f"seed {seed}: {name} adopted {generations}"
        assert agent.fences == sorted(agent.fences), f"seed {seed}: {name} took fences {agent.fences}"
        assert not agent.refused, f"seed {seed}: {name} refused {agent.refused}"
        assert agent.ledger.generation <= book.generation, f"seed {seed}: {name}'s number would be used again"
        state = db.record.state
        if state is OperationState.FAILED:
            continue
        assert not (world.worse and state is OperationState.COMPLETED), f"seed {seed}: what is worse is not undone"
        wanted = work.target if state is OperationState.COMPLETED else work.former
        assert agent.ledger.content == wanted.content, f"seed {seed}: {name} holds another content after {state}"
        assert book.content == agent.ledger.content, f"seed {seed}: the books of {name} differ from its ledger"
        assert book.generation == agent.ledger.generation, f"seed {seed}: {name}: number"


def _next_operation_works(world: World, seed: int) -> None:
    """Whatever happened before, failed operations included, the database leads to a plan that the agents take."""
    former, world.worse = world.database, False
    world.operation("next")
    _let_it_end(world, seed)
    assert world.database.record.state is OperationState.COMPLETED, f"seed {seed}: {world.database.record.error}"
    world.database = former
