"""The fifth step: kept over interruptions, compared at the load of after, and undone by itself where it made worse."""

from dataclasses import replace
from datetime import timedelta

import pytest
from operations_world import START, SimSamples, World
from sextant_backend.modules.operations.events import (
    Asked,
    Claimed,
    Ended,
    HostSettled,
    Measured,
    Released,
    StepDone,
    StepFailed,
    StepPending,
    StepRun,
)
from sextant_backend.modules.operations.limits import MEASURE_LIMIT_S
from sextant_backend.modules.operations.move_outcome import move_outcome, not_measured
from sextant_backend.modules.operations.readings import Reading, Sample, dropped, reading_of
from sextant_backend.modules.operations.record import HostRecord, new_host
from sextant_backend.modules.operations.steps import perform
from sextant_domain.plans.intents import LossBudget
from sextant_domain.plans.operation import MoveOutcome, OperationAction, OperationState, StepName, StepState
from test_operations_decider import CHECK, CONVERGE, MEASURE, NOW, PUT, TROUBLE, VERIFY, Machine

BEFORE, CONVERGED = Reading(at=START), Reading(at=START + timedelta(seconds=3))
GOOD = not_measured("for the sake of the example")
WORSE = GOOD.model_copy(update={"worse": True, "text": "carries 7.00 Gbps, 8.00 before; 0 packets lost"})


class Measuring(Machine):
    """An operation whose hosts measure."""

    def __init__(self, *hosts: str) -> None:
        super().__init__(*hosts)
        self.record = self.record.model_copy(
            update={"hosts": tuple(new_host(host, 4, 5, measures=True) for host in hosts)}
        )

    def verified(self, host: str = "edge-1") -> list[object]:
        self.handle(StepDone(host, CHECK, "", BEFORE))
        self.through(PUT, CONVERGE, host=host)
        return self.handle(StepDone(host, VERIFY, "", CONVERGED))

    def undone(self, host: str = "edge-1") -> list[object]:
        self.through(PUT, CONVERGE, host=host)
        return self.handle(StepDone(host, VERIFY, "undone"))


def measured(outcome: MoveOutcome, host: str = "edge-1") -> StepDone:
    return StepDone(host, MEASURE, outcome.text, outcome=outcome)


def test_what_was_measured_before_is_there_after_and_for_the_next_worker() -> None:
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    run = StepRun("edge-1", MEASURE, undo=False, measured=Measured(BEFORE, CONVERGED, NOW))
    assert machine.verified() == [run]
    stored = HostRecord.model_validate_json(machine.record.hosts[0].model_dump_json())
    assert (stored.before, stored.converged) == (BEFORE, CONVERGED)
    assert machine.handle(Claimed(), after_s=5.0) == [run], "the first worker died: since when is what it was"
    assert machine.handle(measured(GOOD)) == [HostSettled("edge-1", 5), Ended(OperationState.COMPLETED)]
    assert machine.record.hosts[0].outcome == GOOD


def test_what_is_worse_goes_back_by_itself_once() -> None:
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    machine.verified()
    assert machine.handle(measured(WORSE)) == [StepRun("edge-1", PUT, undo=True)], "nothing is settled"
    assert machine.state is OperationState.ROLLING_BACK
    assert machine.undone() == [HostSettled("edge-1", 6), Ended(OperationState.ROLLED_BACK)]
    (host,) = machine.record.hosts
    assert [step.state for step in host.steps] == [StepState.UNDONE] * 4 + [StepState.DONE]
    assert machine.record.error is not None
    assert machine.record.error == host.error
    assert machine.record.error.detail == f"edge-1: {WORSE.text}. It goes back to what it ran before."
    assert machine.handle(Claimed()) == [Released()], "it ends there"


def test_more_lost_than_allowed_goes_back_too() -> None:
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    machine.verified()
    lost = GOOD.model_copy(update={"within_budget": False})
    assert machine.handle(measured(lost)) == [StepRun("edge-1", PUT, undo=True)]


def test_one_host_that_is_worse_takes_all_others_back() -> None:
    """edge-2 is complete, edge-3 converges; edge-4 has not been ordered yet."""
    machine = Measuring("edge-1", "edge-2", "edge-3", "edge-4")
    machine.handle(Claimed())
    machine.verified("edge-2")
    machine.handle(measured(GOOD, "edge-2"))
    machine.through(CHECK, PUT, host="edge-3")
    machine.verified()
    machine.handle(StepFailed("edge-4", CHECK, TROUBLE, definitive=False))
    begun = machine.handle(measured(WORSE))
    assert begun == [StepRun("edge-1", PUT, undo=True), StepRun("edge-2", PUT, undo=True)]
    waits = StepPending("edge-3", CONVERGE, "1 of 2 NFs run", 1, TROUBLE)
    assert machine.handle(waits) == [StepRun("edge-3", PUT, undo=True)]
    for host in ("edge-1", "edge-2", "edge-3"):
        last = machine.undone(host)
    assert Ended(OperationState.ROLLED_BACK) in last
    assert [host.state.value for host in machine.record.hosts] == ["ROLLED_BACK"] * 3 + ["CANCELLED"]
    assert machine.record.error is not None
    assert machine.record.error.detail.startswith("edge-1: ")


def test_an_undo_that_fails_waits_for_an_operator_and_keeps_the_reason() -> None:
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    machine.verified()
    machine.handle(measured(WORSE))
    machine.handle(StepFailed("edge-1", PUT, TROUBLE, definitive=True))
    assert (machine.state, machine.record.error) == (OperationState.FAILED_TEMP, TROUBLE)
    machine.handle(Asked(OperationAction.RETRY))
    machine.handle(Claimed())
    machine.undone()
    assert machine.state is OperationState.ROLLED_BACK
    assert machine.record.error is not None
    assert machine.record.error.title == "The moves were undone: they made it worse"


def test_cancelled_while_it_measures_all_goes_back() -> None:
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    machine.verified()
    machine.handle(Asked(OperationAction.CANCEL))
    waits = StepPending("edge-1", MEASURE, "2 of 5 s measured", 2, TROUBLE, busy=True)
    assert machine.handle(waits) == [StepRun("edge-1", PUT, undo=True)]
    machine.undone()
    assert machine.state is OperationState.ROLLED_BACK
    assert machine.record.hosts[0].step(MEASURE).state is StepState.SKIPPED
    assert machine.record.error is None


def test_measuring_takes_its_time() -> None:
    """A try of a step ends after 5.5 s without progress; one that waits for telemetry does not."""
    machine = Measuring("edge-1")
    machine.handle(Claimed())
    machine.verified()
    waits = StepPending("edge-1", MEASURE, "0 of 5 s measured", 0, TROUBLE, busy=True)
    assert machine.handle(waits, after_s=15.0) == [
        StepRun("edge-1", MEASURE, False, 0.25, Measured(BEFORE, CONVERGED, NOW))
    ]


def test_records_of_an_earlier_version_have_four_steps() -> None:
    old = new_host("edge-1", 4, 5).model_dump(mode="json", exclude={"before", "converged", "outcome", "loss_budget"})
    host = HostRecord.model_validate(old)
    assert ([step.name for step in host.steps], host.measures) == ([CHECK, PUT, CONVERGE, VERIFY], False)


# -- what is compared


def samples(carried: float, offered: float, count: int = 5, drop: float = 0.0, chain: str = "web") -> list[Sample]:
    return [Sample(START + timedelta(seconds=n), chain, offered, carried, drop) for n in range(count)]


def outcome(
    before: list[Sample], after: list[Sample], meanwhile: list[Sample] | None = None, most: int | None = None
) -> MoveOutcome:
    """Of frames of 1226 bytes: 1226 + 4 + 20 bytes are 10 kbit on the wire, so that 1 Mpps is 10 Gbps."""
    budget = None if most is None else LossBudget(most_packets=most)
    chains = {one.chain for one in (*before, *after)}
    return move_outcome(
        reading_of(START, None, before), meanwhile or [], reading_of(START, None, after), budget,
        dict.fromkeys(chains, 1226.0),
    )  # fmt: skip


def test_a_gain_is_said_in_gbps_on_the_wire() -> None:
    found = outcome(samples(0.8, 1.0), samples(1.0, 1.0), samples(0.8, 1.0, 2))
    assert (found.worse, found.kept) == (False, True)
    assert found.text == "carries 10.00 Gbps, 8.00 before; 0 packets lost"


@pytest.mark.parametrize(
    ("carried", "offered", "worse"),
    [
        (0.97, 1.0, True),  # 3 % of 1.0 less than before
        (0.985, 1.0, False),  # 1.5 %: within the margin
        (0.5, 0.5, False),  # half is offered: that it carries half is no loss
        (0.45, 0.5, True),  # of half it carries 90 %: it lacks 0.05 of 1.0
        (1.0, 1.2, False),  # more is offered; what it carried, it carries
    ],
)
def test_what_counts_is_the_load_of_after(carried: float, offered: float, worse: bool) -> None:
    assert outcome(samples(1.0, 1.0), samples(carried, offered)).worse is worse


def test_the_latency_that_changed_most_is_said() -> None:
    """web: from 300 us to 150, half of it; nat: from 100 to 110. A sample without a packet has no latency."""

    def timed(chain: str, *latencies: float | None) -> list[Sample]:
        return [Sample(START + timedelta(seconds=n), chain, 1.0, 1.0, 0.0, us) for n, us in enumerate(latencies)]

    found = outcome(
        [*timed("web", 200.0, 400.0, None), *timed("nat", 100.0)], [*timed("web", 150.0), *timed("nat", 110.0)]
    )
    assert found.text.startswith("carries 20.00 Gbps, 20.00 before, 95th percentile of web 150 us, 300 before; ")
    assert [(one.before_p95_us, one.after_p95_us) for one in found.chains] == [(100.0, 110.0), (300.0, 150.0)]


def test_two_chains_count_together() -> None:
    """web carries 0.1 Mpps less than before, nat 0.2 more: together they lack 0.1 - 0.2 < 0."""
    both = outcome(
        [*samples(1.0, 1.0), *samples(0.7, 1.0, chain="nat")], [*samples(0.9, 1.0), *samples(0.9, 1.0, chain="nat")]
    )
    assert both.worse is False
    assert outcome(samples(1.0, 1.0), samples(0.9, 1.0)).worse is True


def test_scatter_is_no_loss() -> None:
    """0.6 and 1.4 in turn: 0.16 of variance in 5 samples each, so that the difference of two means has a standard error
    of sqrt(0.144 / 5 + 0.144 / 5) = 0.24, and 0.1 less is nothing."""
    turns = [Sample(START + timedelta(seconds=n), "web", 2.0, 0.6 + 0.8 * (n % 2), 0.0) for n in range(6)]
    lower = [one._replace(carried_mpps=one.carried_mpps - 0.1) for one in turns]
    assert outcome(turns, lower).worse is False
    assert outcome(samples(1.0, 2.0), samples(0.9, 2.0)).worse is True


def test_packets_lost_meanwhile_count_against_the_budget() -> None:
    """0.002 Mpps dropped for one second are 2000 packets."""
    meanwhile = [*samples(1.0, 1.0, 2), Sample(START + timedelta(seconds=2), "web", 1.0, 0.998, 0.002)]
    allowed = outcome(samples(1.0, 1.0), samples(1.0, 1.0), meanwhile, most=2000)
    assert (allowed.lost_packets, allowed.within_budget, allowed.kept) == (2000, True, True)
    beyond = outcome(samples(1.0, 1.0), samples(1.0, 1.0), meanwhile, most=1999)
    assert (beyond.within_budget, beyond.worse, beyond.kept) == (False, False, False)
    assert beyond.text == "carries 10.00 Gbps, 10.00 before; 2000 packets lost, 1999 allowed"


def test_a_chain_that_was_full_loses_what_it_lost_anyway() -> None:
    """It carried 0.8 of 1.0: of 1.1 it loses 0.3 without any move. What it loses in one second without forwarding, 1.1
    less 0.3, counts."""
    before = reading_of(START, None, samples(0.8, 1.0, drop=0.2)).chains["web"]
    full = [Sample(START + timedelta(seconds=n), "web", 1.1, 0.8, 0.3) for n in range(3)]
    assert dropped(full, before) == 0
    still = [*full, Sample(START + timedelta(seconds=3), "web", 1.1, 0.0, 1.1)]
    assert dropped(still, before) == 800_000
    assert dropped(full[:1], before) is None, "one sample says nothing of a while"


def test_nothing_is_undone_where_nothing_was_measured() -> None:
    found = outcome([], [], most=10)
    assert (found.kept, found.within_budget, found.lost_packets) == (True, None, None)


# -- the step itself


def measuring_world(worse: bool) -> tuple[World, Reading | None]:
    """It was checked at 1 s and ran the target at 2 s; with what it carried before."""
    world = World(0, measures=True, worse=worse)
    world.now = START + timedelta(seconds=1)
    before = SimSamples(world).last("edge-1", 5.0)
    world.converged["edge-1"] = START + timedelta(seconds=2)
    return world, before


def step(world: World, before: Reading | None, since: float = 3.0) -> StepDone | StepPending | StepFailed:
    given = Measured(before, Reading(at=START + timedelta(seconds=2)), START + timedelta(seconds=since))
    work = replace(world.database.works["edge-1"], measured=given)
    return perform(StepName.MEASURE, False, work, world.agents["edge-1"])


@pytest.mark.parametrize("worse", [False, True])
def test_it_waits_for_a_whole_window_after_things_have_settled(worse: bool) -> None:
    """Verified with the sample of 2 s; settled at 3.5 s; five seconds are over with the sample of 9 s."""
    world, before = measuring_world(worse)
    world.now = START + timedelta(seconds=8)
    pending = step(world, before)
    assert isinstance(pending, StepPending)
    assert pending.detail == "4 of 5 s measured"
    world.now = START + timedelta(seconds=9)
    done = step(world, before)
    assert isinstance(done, StepDone)
    assert done.outcome is not None
    assert done.outcome.worse is worse
    assert step(world, before) == done, "done twice it says the same"


def test_a_host_that_falls_silent_is_not_waited_for_for_ever() -> None:
    world, before = measuring_world(worse=True)
    world.now = START + timedelta(seconds=4)
    silent = step(world, before, since=4.0 - MEASURE_LIMIT_S - 0.1)
    assert isinstance(silent, StepDone)
    assert silent.detail == "not measured: edge-1 sent too little telemetry within 20 s"
    assert silent.outcome is not None
    assert silent.outcome.kept


def test_what_a_chain_that_moved_has_lost_is_said_as_a_share_of_a_second() -> None:
    """It carried 0.8 Mpps and lost 0.002 Mpps for one second: 2000 of 800 000 packets. nat has not moved."""
    meanwhile = [*samples(0.8, 0.8, 2), Sample(START + timedelta(seconds=2), "web", 0.8, 0.798, 0.002)]
    meanwhile += samples(1.0, 1.0, 3, chain="nat")
    before = reading_of(START, None, [*samples(0.8, 0.8), *samples(1.0, 1.0, chain="nat")])
    found = move_outcome(before, meanwhile, before, None, {"web": 1226.0, "nat": 1226.0}, moved={"web"})
    assert {one.chain: one.lost_share for one in found.chains} == {"web": 0.0025, "nat": None}
