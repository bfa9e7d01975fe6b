"""The decider: worked examples of each rule, and thousands of seeded schedules."""

from dataclasses import replace

import pytest
from sextant_agent.contract.driver import ApplyReport, Failure
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.backoff import (
    FIRST_DELAY_S,
    LONGEST_DELAY_S,
    STABLE_AFTER_S,
    Trouble,
    delay_s,
    is_waiting,
    ready_at,
)
from sextant_agent.control.differences import Difference, Kind
from sextant_agent.control.reconciler import Apply, ReconcilerState, decide, forgive, learn
from sextant_domain.hosts.desired import DesiredHostConfig, NfState, Phase

from .orders import chain, content, nf
from .reconciler_world import World

SCHEDULES = 2400
BLOCKS = 6
TROUBLED_TICKS = 40
CALM_LIMIT = 200
"""Ticks of at most a second within which a host without further trouble must have converged."""
WEB = chain("web", nf("web", "router", core=1), nf("web", "firewall", core=2))


def converged(seed: int = 1) -> World:
    world = World(seed)
    world.trouble = False
    world.desired = DesiredHostConfig.of(1, content(WEB))
    for _ in range(5):
        world.tick()
    assert world.last and world.last.phase is Phase.CONVERGED
    return world


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_schedule_ends_converged_and_then_stays_still(block: int) -> None:
    for seed in range(block, SCHEDULES, BLOCKS):
        world = World(seed)
        reached = 0
        for _ in range(TROUBLED_TICKS):
            decision = world.tick()
            assert decision.memory.applied_generation >= reached, f"seed {seed}: it never goes back"
            reached = decision.memory.applied_generation
            if decision.phase is Phase.CONVERGED:
                assert reached == world.desired.generation, f"seed {seed}"
        world.trouble = False
        for _ in range(CALM_LIMIT):
            if world.tick().phase is Phase.CONVERGED:
                break
        assert world.is_as_ordered(), f"seed {seed}: {world.last}"
        assert world.memory.applied_generation == world.desired.generation, f"seed {seed}"
        applies = world.applies
        for _ in range(20):
            decision = world.tick()
            assert decision.phase is Phase.CONVERGED, f"seed {seed}: it left convergence by itself"
        assert world.applies == applies, f"seed {seed}: it acted although all was as ordered"


def test_the_schedules_meet_every_kind_of_trouble() -> None:
    """Guards the simulation itself: it must reach each phase and both sources of failure."""
    phases, blocked, crashes, deaths = set(), 0, 0, 0
    for seed in range(50):
        world = World(seed)
        for _ in range(TROUBLED_TICKS):
            decision = world.tick()
            phases.add(decision.phase)
            blocked += decision.phase is Phase.BLOCKED
        crashes += sum(found.restarts for found in world.memory.nfs.values())
        deaths += world.epoch > 1
    assert phases == set(Phase)
    assert min(blocked, crashes, deaths) > 10


def test_the_same_schedule_twice_is_the_same() -> None:
    first, second = World(7), World(7)
    for _ in range(TROUBLED_TICKS):
        assert first.tick() == second.tick()


def test_no_data_plane_is_started_at_once() -> None:
    decision = decide(DesiredHostConfig.of(0, content()), DataPlaneDown("not started yet"), 0.0, ReconcilerState())
    assert decision.actions == (Apply(hold=frozenset()),)
    assert decision.phase is Phase.CONVERGING


def test_a_data_plane_that_does_not_start_is_tried_ever_more_rarely() -> None:
    """0.5, 1, 2, 4, 8, 16, 30, 30 s between tries; blocked from the third failure on."""
    desired, down = DesiredHostConfig.of(0, content()), DataPlaneDown("no hugepages")
    memory, now, waits, phases = ReconcilerState(), 0.0, [], []
    for _ in range(8):
        decision = decide(desired, down, now, memory)
        assert decision.actions
        memory = learn(decision.memory, down, now)
        waiting = decide(desired, down, now, memory)
        assert not waiting.actions and waiting.wake_at is not None
        assert "no hugepages; next try in" in waiting.detail
        waits.append(waiting.wake_at - now)
        phases.append(waiting.phase)
        memory, now = waiting.memory, waiting.wake_at
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert phases == [Phase.CONVERGING] * 2 + [Phase.BLOCKED] * 6


def test_a_first_crash_is_mended_at_once_and_repeated_ones_later() -> None:
    world = converged()
    gaps = []
    for crash in range(1, 5):
        crashed_at = world.now
        world.nfs["web.router"] = replace(
            world.nfs["web.router"], state=NfState.CRASHED, core=None, exit="killed by signal 11"
        )
        while world.nfs["web.router"].state is NfState.CRASHED:
            world.tick()
        gaps.append(world.now - crashed_at)
        assert world.memory.nfs["web.router"].restarts == crash - 1, "it is counted when it is seen"
        world.tick()
        assert world.memory.nfs["web.router"].restarts == crash
        assert world.memory.nfs["web.router"].last_error == "killed by signal 11"
    assert gaps[0] < 1.3 < gaps[3], gaps
    assert [delay_s(n, crash=True) for n in (1, 2, 3, 4)] == [0, 1, 2, 4]


def test_crashes_are_forgotten_after_a_quiet_while() -> None:
    world = converged()
    world.crash_nf()
    world.tick()
    assert world.memory.troubles
    world.now += STABLE_AFTER_S + 1
    world.tick()
    assert not world.memory.troubles


def test_a_restart_by_the_data_planes_death_counts_and_says_why() -> None:
    world = converged()
    world.kill_data_plane()
    for _ in range(4):
        world.tick()
    found = world.memory.nfs["web.router"]
    assert (found.restarts, found.last_error) == (1, "the runner was started again")


def test_a_permanent_failure_blocks_at_once_and_a_new_order_is_tried_at_once() -> None:
    world = converged()
    world.desired = DesiredHostConfig.of(2, content(WEB, chain("x", nf("x", "router", core=3))))
    decision = decide(world.desired, world.sample(), world.now, world.memory)
    refused = ApplyReport(failures={"x": Failure("core 3 is not in the runner's list", permanent=True)})
    memory = learn(decision.memory, refused, world.now)
    blocked = decide(world.desired, world.sample(), world.now, memory)
    assert blocked.phase is Phase.BLOCKED
    assert "core 3 is not in the runner's list" in blocked.detail
    assert not blocked.actions
    assert blocked.memory.applied_generation == 1
    third = DesiredHostConfig.of(3, content(WEB, chain("x", nf("x", "router", core=2))))
    assert decide(third, world.sample(), world.now, blocked.memory).actions == (Apply(hold=frozenset()),)


def test_the_same_content_under_a_new_number_is_reached_without_an_act() -> None:
    """A rollback to what runs already."""
    world = converged()
    world.desired = DesiredHostConfig.of(2, content(WEB))
    decision = world.step()
    assert (decision.actions, decision.phase, decision.memory.applied_generation) == ((), Phase.CONVERGED, 2)


def test_an_order_sent_again_is_tried_at_once() -> None:
    world = converged()
    world.desired = DesiredHostConfig.of(2, content(WEB, chain("x", nf("x", "router", core=3))))
    decision = decide(world.desired, world.sample(), world.now, world.memory)
    memory = learn(decision.memory, ApplyReport(failures={"x": Failure("no room", permanent=True)}), world.now)
    assert not decide(world.desired, world.sample(), world.now, memory).actions
    again = decide(world.desired, world.sample(), world.now, forgive(memory))
    assert again.actions
    failed_again = learn(again.memory, ApplyReport(failures={"x": Failure("no room")}), world.now)
    assert failed_again.troubles["x"].failures == 2, "failures stay counted"


def test_what_waits_holds_up_nothing_else() -> None:
    world = converged()
    world.desired = DesiredHostConfig.of(2, content(WEB, chain("x", nf("x", "router", core=3))))
    decision = decide(world.desired, world.sample(), world.now, world.memory)
    memory = learn(decision.memory, ApplyReport(failures={"x": Failure("no room")}), world.now)
    world.nfs["web.router"] = replace(world.nfs["web.router"], state=NfState.CRASHED)
    assert decide(world.desired, world.sample(), world.now, memory).actions == (Apply(hold=frozenset({"x"})),)


def test_what_is_said_to_be_done_but_is_not_counts_as_failure() -> None:
    """Without this a driver that errs would be called without end."""
    world = converged()
    found = world.sample()
    assert isinstance(found, HostSample)
    desired = DesiredHostConfig.of(2, content())
    first = decide(desired, found, world.now, world.memory)
    assert first.actions
    second = decide(desired, found, world.now, learn(first.memory, ApplyReport(done=("removed web",)), world.now))
    assert not second.actions
    assert "had no effect" in second.detail
    assert second.wake_at == world.now + FIRST_DELAY_S


def test_an_nf_waits_for_itself_and_for_its_chain() -> None:
    """Troubles until 5 s and until 9 s: ready at 9 s. Waking for the earlier one would only turn in a circle."""
    gap = Difference(Kind.MOVE, "web.router", "web", "moving")
    troubles = {"web.router": Trouble(1, 5.0, "no"), "web": Trouble(1, 9.0, "no")}
    assert ready_at(troubles, gap) == 9.0
    assert is_waiting(troubles, gap, 8.9) and not is_waiting(troubles, gap, 9.0)


def test_the_applied_generation_never_goes_back() -> None:
    """A ledger moved away by hand begins at 0 again; what was reached before was reached."""
    world = converged()
    world.memory = replace(world.memory, applied_generation=7)
    assert world.step().memory.applied_generation == 7


def test_delays_are_bounded() -> None:
    assert max(delay_s(n) for n in range(1, 100)) == LONGEST_DELAY_S
    assert delay_s(1, permanent=True) == 15
