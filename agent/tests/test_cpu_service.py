"""CPU wishes through the whole agent: an order over HTTP, the kernel's groups, telemetry; agent and helper killed."""

import signal
from collections.abc import Iterator

import pytest
from sextant_domain.hosts.desired import ActualCpu, DesiredStateOrder, Phase
from sextant_domain.hosts.telemetry import NfSample

from .agent_process import AgentProcess
from .fleet import FleetListener
from .helper_process import HelperProcess, hierarchy, why_no_groups
from .orders import chain, nf, order
from .waiting import wait_for

WHY_NOT = why_no_groups()


@pytest.fixture
def helper(agent: AgentProcess) -> Iterator[HelperProcess]:
    """Where the agent looks for it: beside the runner's socket."""
    agent.state.mkdir(mode=0o700)
    helper = HelperProcess(agent.state, agent.runner)
    yield helper.start()
    agent.end_all()
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left"


def limited(generation: int, quota: float | None, share: int | None = None) -> DesiredStateOrder:
    """One NF that would take its whole core."""
    busy = nf("web", "simple-forward", core=0, loops=20_000)
    busy = busy.model_copy(update={"cpu_quota_percent": quota, "cpu_share": share})
    return order(generation, chain("web", busy, rate_mpps=1))


@pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")
def test_an_order_with_a_quota_is_kept_through_the_deaths_of_agent_and_helper(
    agent: AgentProcess, helper: HelperProcess, fleet: FleetListener
) -> None:
    agent.start()
    (found,) = agent.converge(limited(1, 30)).nfs
    pid = found.pid
    assert found.cpu == ActualCpu(cpu_share=100, cpu_quota_percent=30), "read back from the kernel"

    def throttled() -> list[NfSample]:
        samples = [sample for batch in fleet.batches for sample in batch.nfs]
        return [sample for sample in samples if (sample.throttled_percent or 0) > 20]

    assert wait_for("telemetry reports what the quota held back", throttled)[0].nf_id == "web.simple-forward"
    agent.kill(signal.SIGKILL)
    helper.kill(signal.SIGKILL)
    procs = helper.group("web.simple-forward") / "cgroup.procs"
    assert procs.read_text().split() == [str(pid)], "the quota outlives both"
    helper.start()
    agent.start()
    state = agent.converge(limited(2, None, share=500))
    assert [found.pid for found in state.nfs] == [pid], "a change of quota and share restarts nothing"
    assert [found.cpu for found in state.nfs] == [ActualCpu(cpu_share=500, cpu_quota_percent=None)]
    agent.converge(order(3))
    wait_for("its group goes with it", lambda: not procs.exists())


def test_without_a_helper_the_chain_runs_and_the_host_says_what_is_unmet(agent: AgentProcess) -> None:
    agent.start()
    state = agent.converge(limited(1, 30))
    assert state.phase is Phase.CONVERGED
    assert "1 of 1 NFs run as ordered; web.simple-forward without CPU share 100 and at most 30 %" in state.detail
    assert "start it as root: " in state.detail
    assert [found.cpu for found in state.nfs] == [None], "what nobody can read is not 'no quota'"
    capabilities = {each["name"]: each for each in agent.get("/v1/inventory").json()["capabilities"]}
    assert capabilities["cpu-share"]["available"] is False
