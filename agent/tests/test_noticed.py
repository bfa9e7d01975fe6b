"""Each fault is reported with its cause within 2 s, by the report's time stamp, however long the test itself waits and
the machine stands still."""

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sextant_domain.hosts.desired import ActualState, NfState
from sextant_domain.hosts.telemetry import TelemetryBatch

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import chain, nf, order
from .pauses import Pauses, watched
from .waiting import wait_for

pytestmark = pytest.mark.fault
SOON = timedelta(seconds=2)
WEB = chain("web", nf("web", "router"), nf("web", "simple-forward", slot=1))


def kill(pid: int | None) -> datetime:
    """The moment of the fault."""
    moment = datetime.now(UTC)
    os.kill(pid or 0, signal.SIGKILL)
    return moment


def reported(agent: AgentProcess, cause: str) -> ActualState:
    """The first report that names the cause."""
    return wait_for(cause, lambda: state if cause in (state := agent.actual()).model_dump_json() else None)


def first_batch(fleet: FleetListener, since: datetime, shows: str) -> TelemetryBatch:
    """The first one taken after `since` of which `shows` is true: `crash` or `gap`."""

    def crash(one: TelemetryBatch) -> bool:
        return any(found.state is NfState.CRASHED or found.restarts for found in one.nfs)

    def gap(one: TelemetryBatch) -> bool:
        return not one.chains

    is_shown = {"crash": crash, "gap": gap}[shows]
    return wait_for(
        f"a batch that shows the {shows}",
        lambda: next((one for one in list(fleet.batches) if one.taken_at > since and is_shown(one)), None),
    )


@pytest.fixture
def pauses() -> Iterator[Pauses]:
    with watched() as seen:
        yield seen


@pytest.fixture
def running(agent: AgentProcess, fleet: FleetListener) -> ActualState:
    state = agent.start().converge(order(1, WEB))
    wait_for("packets are reported", lambda: any(one.chains for one in list(fleet.batches)))
    return state


def test_a_killed_nf(agent: AgentProcess, fleet: FleetListener, running: ActualState, pauses: Pauses) -> None:
    victim = next(found for found in running.nfs if found.nf_id == "web.router")
    moment = kill(victim.pid)
    state = reported(agent, "signal 9")
    found = next(each for each in state.nfs if each.nf_id == "web.router")
    assert found.last_error == "killed by signal 9 (Killed)"
    assert pauses.awake(moment, found.since) <= SOON
    assert pauses.awake(moment, first_batch(fleet, moment, "crash").taken_at) <= SOON


def test_a_killed_runner(agent: AgentProcess, fleet: FleetListener, running: ActualState, pauses: Pauses) -> None:
    """At first that it has ended, then why; its chains are missing from the batch of that second."""
    moment = kill(agent.runner_pid())
    assert pauses.awake(moment, agent.logged("the runner has ended", moment)) <= SOON
    assert pauses.awake(moment, first_batch(fleet, moment, "gap").taken_at) <= SOON
    wait_for("why", lambda: "signal 9" in agent.converge().detail)
