"""The decider's rules as worked examples, with the arithmetic of its clock written out."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_backend.modules.operations.decider import decide
from sextant_backend.modules.operations.events import (
    Asked,
    Claimed,
    Ended,
    Event,
    GenerationConsumed,
    HostSettled,
    OrderAccepted,
    Released,
    StepDone,
    StepFailed,
    StepPending,
    StepRun,
    Tick,
)
from sextant_backend.modules.operations.limits import MAX_INTERRUPTIONS, POLL_S, RETRY_DELAYS_S, STALL_S
from sextant_backend.modules.operations.operator_actions import NotAllowedError, offers
from sextant_backend.modules.operations.record import OperationRecord, new_host
from sextant_domain.plans.operation import OperationAction, OperationState, StepName, StepState
from sextant_domain.problem import Problem

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TROUBLE = Problem(type="urn:sextant:problem:agent-unreachable", title="t", status=503, detail="edge-1 is silent")
CHECK, MAKE, READY, PUT, CONVERGE, VERIFY, MEASURE = StepName


class Machine:
    """An operation, driven by events; the clock is set by hand."""

    def __init__(self, *hosts: str, waits_for: dict[str, tuple[str, ...]] | None = None) -> None:
        waits = waits_for or {}
        self.record = OperationRecord(hosts=tuple(new_host(host, 4, 5, waits.get(host, ())) for host in hosts))
        self.now = NOW

    def handle(self, event: Event, after_s: float = 0.0) -> list[object]:
        self.now += timedelta(seconds=after_s)
        decision = decide(self.record, event, self.now)
        self.record = decision.record
        return list(decision.actions)

    def through(self, *steps: StepName, host: str = "edge-1") -> None:
        for step in steps:
            self.handle(StepDone(host, step, "done"))

    @property
    def state(self) -> OperationState:
        return self.record.state


def test_steps_follow_each_other_and_the_books_follow_the_agent() -> None:
    machine = Machine("edge-1")
    assert machine.handle(Claimed()) == [StepRun("edge-1", CHECK, undo=False)]
    assert machine.state is OperationState.STARTING
    assert machine.handle(StepDone("edge-1", CHECK, "")) == [StepRun("edge-1", PUT, undo=False)]
    assert machine.state is OperationState.PROCESSING
    assert machine.handle(StepDone("edge-1", PUT, "")) == [
        OrderAccepted("edge-1", undo=False),
        StepRun("edge-1", CONVERGE, undo=False),
    ]
    machine.handle(StepDone("edge-1", CONVERGE, "3 of 3 NFs run"))
    assert machine.handle(StepDone("edge-1", VERIFY, "")) == [
        HostSettled("edge-1", 5),
        Ended(OperationState.COMPLETED),
    ]
    assert machine.record.finished_at == NOW


def test_three_tries_with_waits_of_two_and_four_seconds() -> None:
    """First try at 0 s fails, second at 2 s, third at 2 + 4 = 6 s: then an operator must act."""
    machine = Machine("edge-1")
    machine.handle(Claimed())
    failed = StepFailed("edge-1", CHECK, TROUBLE, definitive=False)
    for wait in (2, 4):
        assert machine.handle(failed) == [Released()]
        assert machine.state is OperationState.PAUSED
        assert machine.record.next_attempt_at == machine.now + timedelta(seconds=wait)
        assert machine.handle(Claimed(), after_s=wait) == [StepRun("edge-1", CHECK, undo=False)]
    assert machine.handle(failed) == [Released()]
    assert machine.state is OperationState.FAILED_TEMP
    assert machine.record.error == TROUBLE
    assert machine.now - NOW == timedelta(seconds=6)
    assert machine.handle(Claimed(), after_s=100) == [Released()], "nobody but an operator goes on"


def test_nothing_is_due_before_its_time() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.handle(StepFailed("edge-1", CHECK, TROUBLE, definitive=False))
    assert machine.handle(Claimed(), after_s=1.9) == [Released()]
    assert machine.handle(Claimed(), after_s=0.1) == [StepRun("edge-1", CHECK, undo=False)]


def test_a_refusal_is_not_tried_again() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.handle(StepFailed("edge-1", CHECK, TROUBLE, definitive=True))
    assert machine.state is OperationState.FAILED_TEMP
    assert machine.record.hosts[0].step(CHECK).attempts == 1


def test_converging_may_take_long_as_long_as_it_comes_nearer() -> None:
    """Every 5 s one more NF runs: no try fails. Then nothing for 5.5 s: this try has failed."""
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK, PUT)
    for running in range(4):
        pending = StepPending("edge-1", CONVERGE, f"{running} of 9 NFs run", running, TROUBLE)
        assert machine.handle(pending, after_s=5) == [StepRun("edge-1", CONVERGE, undo=False, after_s=POLL_S)]
    same = StepPending("edge-1", CONVERGE, "3 of 9 NFs run", 3, TROUBLE)
    assert machine.handle(same, after_s=STALL_S) == [Released()]
    assert machine.state is OperationState.PAUSED
    assert machine.record.hosts[0].tries == 1


def test_an_agent_that_says_what_it_is_busy_with_comes_nearer_but_not_for_ever() -> None:
    """Removing takes 85 s while no count changes, looked at every 5 s: no try fails. Said for longer than 90 s it is
    believed no more: the try fails at 91 s, two more after waits of 2 and 4 s.
    """
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK, PUT)
    busy = StepPending("edge-1", CONVERGE, "0 of 0 NFs run; edge-1 is removing web", -1, TROUBLE, busy=True)
    for _ in range(17):
        assert machine.handle(busy, after_s=5) == [StepRun("edge-1", CONVERGE, undo=False, after_s=POLL_S)]
    assert machine.handle(busy, after_s=6) == [Released()], "85 + 6 s"
    for wait in RETRY_DELAYS_S:
        machine.handle(Claimed(), after_s=wait)
        machine.handle(busy)
        machine.handle(busy, after_s=STALL_S)
    assert machine.state is OperationState.FAILED_TEMP
    assert machine.record.error == TROUBLE


def test_a_worker_that_died_is_followed_at_the_same_step() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK)
    assert machine.handle(Claimed()) == [StepRun("edge-1", PUT, undo=False)]
    assert machine.record.hosts[0].step(PUT).attempts == 2
    assert machine.record.hosts[0].tries == 0, "a worker's death is no failure of the host"


def test_a_step_that_kills_its_workers_waits_for_an_operator() -> None:
    machine = Machine("edge-1")
    for _ in range(MAX_INTERRUPTIONS + 1):
        machine.handle(Claimed())
    assert machine.state is OperationState.FAILED_TEMP
    assert machine.record.error is not None
    assert "10 workers died in step 'check'" in machine.record.error.detail


def test_a_late_result_changes_nothing() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK)
    before = machine.record
    assert machine.handle(StepDone("edge-1", CHECK, "late")) == []
    assert machine.record == before


def test_a_host_does_not_wait_for_another_that_fails() -> None:
    machine = Machine("edge-1", "edge-2")
    machine.handle(Claimed())
    machine.handle(StepFailed("edge-2", CHECK, TROUBLE, definitive=True))
    assert machine.state is OperationState.STARTING
    machine.through(CHECK, PUT, CONVERGE, VERIFY)
    assert machine.state is OperationState.FAILED_TEMP
    assert [host.state for host in machine.record.hosts] == [OperationState.COMPLETED, OperationState.FAILED_TEMP]


def test_a_host_that_becomes_due_while_another_is_busy_is_started() -> None:
    machine = Machine("edge-1", "edge-2")
    machine.handle(Claimed())
    machine.handle(StepFailed("edge-2", CHECK, TROUBLE, definitive=False))
    assert machine.handle(Tick(), after_s=1) == []
    assert machine.handle(Tick(), after_s=1) == [StepRun("edge-2", CHECK, undo=False)]


def test_the_old_place_of_a_moving_chain_waits_for_the_new_one() -> None:
    machine = Machine("edge-1", "edge-2", waits_for={"edge-1": ("edge-2",)})
    machine.handle(Claimed())
    assert machine.handle(StepDone("edge-1", CHECK, "")) == []
    machine.through(CHECK, PUT, CONVERGE, host="edge-2")
    assert StepRun("edge-1", PUT, undo=False) in machine.handle(StepDone("edge-2", VERIFY, ""))


def test_cancel_between_claim_and_order_changes_no_host() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.handle(Asked(OperationAction.CANCEL))
    assert machine.state is OperationState.STARTING, "the check runs; its end is awaited"
    assert machine.handle(StepDone("edge-1", CHECK, "")) == [Ended(OperationState.CANCELLED)]


def test_cancel_after_the_order_undoes_it_under_a_number_of_its_own() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK, PUT)
    machine.handle(Asked(OperationAction.CANCEL))
    pending = StepPending("edge-1", CONVERGE, "", 0, TROUBLE)
    assert machine.handle(pending) == [StepRun("edge-1", PUT, undo=True)]
    assert machine.state is OperationState.ROLLING_BACK
    assert machine.handle(StepDone("edge-1", PUT, ""))[0] == OrderAccepted("edge-1", undo=True)
    machine.through(CONVERGE)
    assert machine.handle(StepDone("edge-1", VERIFY, "")) == [
        HostSettled("edge-1", 6),
        Ended(OperationState.ROLLED_BACK),
    ]
    assert [step.state for step in machine.record.hosts[0].steps] == [StepState.UNDONE] * 4


def test_retry_of_a_rollback_goes_on_rolling_back() -> None:
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK, PUT)
    machine.handle(StepFailed("edge-1", CONVERGE, TROUBLE, definitive=True))
    machine.handle(Asked(OperationAction.ROLLBACK))
    machine.handle(Claimed())
    machine.handle(StepFailed("edge-1", PUT, TROUBLE, definitive=True))
    assert machine.state is OperationState.FAILED_TEMP
    with pytest.raises(NotAllowedError, match="retry goes on with that"):
        machine.handle(Asked(OperationAction.ROLLBACK))
    machine.handle(Asked(OperationAction.RETRY))
    assert machine.state is OperationState.ROLLING_BACK
    assert machine.handle(Claimed()) == [StepRun("edge-1", PUT, undo=True)]


def test_fail_burns_the_number_of_an_order_whose_fate_is_unknown() -> None:
    """Generation 5 was sent and not answered: 6 is booked, so that the next plan orders 7."""
    machine = Machine("edge-1")
    machine.handle(Claimed())
    machine.through(CHECK)
    machine.handle(StepFailed("edge-1", PUT, TROUBLE, definitive=True))
    assert machine.handle(Asked(OperationAction.FAIL)) == [
        GenerationConsumed("edge-1", 6),
        Ended(OperationState.FAILED),
    ]


def test_every_action_is_offered_with_its_effect_or_the_reason_why_not() -> None:
    machine = Machine("edge-1")
    offered = {offer.action: (offer.allowed, offer.reason) for offer in offers(machine.record)}
    assert offered[OperationAction.CANCEL] == (True, "stops it; nothing is changed")
    assert offered[OperationAction.RETRY] == (False, "only after its tries have failed; now it is QUEUED")
    machine.handle(Claimed())
    machine.through(CHECK)
    machine.handle(StepFailed("edge-1", PUT, TROUBLE, definitive=True))
    offered = {offer.action: (offer.allowed, offer.reason) for offer in offers(machine.record)}
    assert offered == {
        OperationAction.RETRY: (True, "goes on with step 'put' on edge-1"),
        OperationAction.ROLLBACK: (True, "orders the former content again on edge-1"),
        OperationAction.CANCEL: (False, "nothing is going forward: the operation is FAILED_TEMP"),
        OperationAction.FAIL: (True, "ends here; edge-1 stays as ordered"),
    }
