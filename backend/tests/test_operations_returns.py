"""A stopped operation and a host that reports again: worked examples, with the arithmetic of the clock written out."""

import pytest
from sextant_backend.modules.operations import host_return
from sextant_backend.modules.operations.events import (
    Asked,
    Claimed,
    Ended,
    HostSeen,
    HostSettled,
    Released,
    StepDone,
    StepFailed,
    StepRun,
)
from sextant_backend.modules.operations.limits import RETURN_DELAYS_S
from sextant_domain.plans.operation import OperationAction, OperationState, StepName
from sextant_domain.problem import Problem
from test_operations_decider import CHECK, CONVERGE, PUT, TROUBLE, VERIFY, Machine

STUCK = Problem(type="urn:sextant:problem:not-converged", title="t", status=500, detail="1 of 2 NFs run")


def stopped(machine: Machine, step: StepName, problem: Problem = TROUBLE, definitive: bool = False) -> None:
    """Three tries of the step fail: the third 6 s after the first."""
    failed = StepFailed("edge-1", step, problem, definitive)
    machine.handle(failed)
    for wait in () if definitive else (2, 4):
        machine.handle(Claimed(), after_s=wait)
        machine.handle(failed)
    assert machine.state is OperationState.FAILED_TEMP


def at(step: StepName) -> Machine:
    """An operation whose next step this is."""
    machine = Machine("edge-1")
    machine.handle(Claimed())
    names = [one.name for one in machine.record.host("edge-1").steps]
    machine.through(*names[: names.index(step)])
    return machine


def test_a_host_that_comes_back_as_it_was_is_tried_again_after_two_seconds() -> None:
    machine = at(PUT)
    stopped(machine, PUT)
    assert host_return.goes_on(machine.record)
    assert machine.handle(HostSeen("edge-1", 4), after_s=1.9) == []
    assert machine.state is OperationState.FAILED_TEMP
    assert machine.handle(HostSeen("edge-1", 4), after_s=0.1) == [Released()]
    assert machine.state is OperationState.QUEUED
    assert machine.handle(Claimed()) == [StepRun("edge-1", PUT, undo=False)]
    machine.through(PUT, CONVERGE, VERIFY)
    assert machine.state is OperationState.COMPLETED
    assert machine.record.error is None


def test_a_host_that_comes_back_with_what_was_ordered_completes() -> None:
    """Its agent went away while it converged at generation 5, and reports that generation."""
    machine = at(CONVERGE)
    stopped(machine, CONVERGE)
    machine.handle(HostSeen("edge-1", 5), after_s=2)
    assert machine.handle(Claimed()) == [StepRun("edge-1", CONVERGE, undo=False)]
    machine.through(CONVERGE, VERIFY)
    assert machine.state is OperationState.COMPLETED


def test_a_host_that_converges_later_completes_though_it_was_never_away() -> None:
    machine = at(CONVERGE)
    stopped(machine, CONVERGE, STUCK)
    assert not host_return.goes_on(machine.record), "nobody can tell whether it will"
    for generation in (None, 4, 6):
        assert machine.handle(HostSeen("edge-1", generation), after_s=100) == []
    machine.handle(HostSeen("edge-1", 5))
    assert machine.state is OperationState.QUEUED


def test_tries_have_an_end_and_grow_rare() -> None:
    """2 + 5 + 10 + 20 + 40 s after a failure each; the sixth failure waits for an operator, whose retry begins anew."""
    machine = at(PUT)
    stopped(machine, PUT)
    for delay in RETURN_DELAYS_S:
        assert machine.handle(HostSeen("edge-1", 4), after_s=delay - 0.1) == []
        assert machine.handle(HostSeen("edge-1", 4), after_s=0.1) == [Released()]
        machine.handle(Claimed())
        stopped(machine, PUT)
    assert not host_return.goes_on(machine.record)
    assert machine.handle(HostSeen("edge-1", 4), after_s=10_000) == []
    machine.handle(Asked(OperationAction.RETRY))
    machine.handle(Claimed())
    stopped(machine, PUT)
    assert host_return.goes_on(machine.record)


def test_a_host_that_runs_what_was_ordered_is_looked_at_again_however_often_it_was_away() -> None:
    machine = at(CONVERGE)
    for _ in range(len(RETURN_DELAYS_S) + 3):
        stopped(machine, CONVERGE)
        machine.handle(HostSeen("edge-1", 5), after_s=RETURN_DELAYS_S[-1])
        assert machine.state is OperationState.QUEUED
        machine.handle(Claimed())


def test_what_was_refused_for_good_stays() -> None:
    machine = at(PUT)
    stopped(machine, PUT, definitive=True)
    assert not host_return.goes_on(machine.record)
    for generation in (4, 5):
        assert machine.handle(HostSeen("edge-1", generation), after_s=1000) == []
    assert machine.state is OperationState.FAILED_TEMP


@pytest.mark.parametrize(
    ("action", "ends"),
    [(OperationAction.FAIL, OperationState.FAILED), (OperationAction.ROLLBACK, OperationState.ROLLED_BACK)],
)
def test_an_operator_decides_before_the_host_is_back(action: OperationAction, ends: OperationState) -> None:
    machine = at(CONVERGE)
    stopped(machine, CONVERGE)
    machine.handle(Asked(action))
    assert machine.handle(HostSeen("edge-1", 5), after_s=1000) == []
    if ends is OperationState.ROLLED_BACK:
        machine.handle(Claimed())
        machine.through(PUT, CONVERGE, VERIFY)
    assert machine.state is ends


def test_a_rollback_that_stopped_goes_on_with_the_former_content() -> None:
    """The former content is generation 6: at 5 the host is back as it was, at 6 it is there."""
    machine = at(CONVERGE)
    stopped(machine, CONVERGE)
    machine.handle(Asked(OperationAction.ROLLBACK))
    machine.handle(Claimed())
    machine.through(PUT)
    stopped(machine, CONVERGE, STUCK)
    assert machine.handle(HostSeen("edge-1", 5), after_s=100) == []
    machine.handle(HostSeen("edge-1", 6))
    assert machine.state is OperationState.ROLLING_BACK
    assert machine.handle(Claimed()) == [StepRun("edge-1", CONVERGE, undo=True)]
    machine.through(CONVERGE)
    assert machine.handle(Claimed()) == [StepRun("edge-1", VERIFY, undo=True)]
    machine.through(VERIFY)
    assert machine.state is OperationState.ROLLED_BACK


def test_a_second_host_waits_for_the_first_and_both_complete() -> None:
    machine = Machine("edge-1", "edge-2", waits_for={"edge-2": ("edge-1",)})
    machine.handle(Claimed())
    machine.through(CHECK, PUT)
    machine.through(CHECK, host="edge-2")
    stopped(machine, CONVERGE)
    machine.handle(HostSeen("edge-1", 5), after_s=2)
    machine.handle(Claimed())
    machine.through(CONVERGE, VERIFY)
    machine.through(PUT, CONVERGE, host="edge-2")
    assert machine.handle(StepDone("edge-2", VERIFY, "")) == [
        HostSettled("edge-2", 5),
        Ended(OperationState.COMPLETED),
    ]
