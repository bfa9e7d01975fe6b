"""The agent killed at any moment, again and again: one runner, nothing lost, nothing doubled."""

import random
import time

import pytest
from sextant_agent.machine.proc import all_pids, command_line, read_stat
from sextant_domain.hosts.desired import DesiredStateOrder

from .agent_process import AgentProcess
from .orders import chain, nf, order

KILLS = 8


def runner_leaders(agent: AgentProcess) -> list[int]:
    """Session leaders that were started with this agent's socket."""
    socket = str(agent.state / "runner.sock")
    found = [pid for pid in all_pids() if socket in command_line(pid)]
    return [pid for pid in found if (stat := read_stat(pid)) and stat.alive and stat.session == pid]


@pytest.mark.fault
@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_any_moment_leave_one_runner_and_the_newest_order(agent: AgentProcess, seed: int) -> None:
    """Every second life ends at a random moment from its first instruction on, the others among a stream of orders."""
    dice = random.Random(seed)
    sent = accepted = 0
    for life in range(KILLS):
        if life % 2:
            agent.launch()
            time.sleep(dice.uniform(0.0, 2.0))
        else:
            agent.start()
            for _ in range(dice.randint(1, 12)):
                sent += 1
                web = chain("web", nf("web", "simple-forward", core=sent % 2, loops=sent % 3))
                if agent.put(order(sent, web)).status_code == 202:
                    accepted = sent
        agent.kill()
        assert len(runner_leaders(agent)) <= 1
    state = agent.start().converge()
    assert state.desired_generation >= accepted, "what was acknowledged is not lost"
    assert state.applied_generation == state.desired_generation
    assert [found.nf_id for found in state.nfs] == ["web.simple-forward"]
    assert runner_leaders(agent) == [agent.runner_pid()]


@pytest.mark.fault
def test_two_chains_exchange_their_cores_once_though_the_agent_is_killed_meanwhile(agent: AgentProcess) -> None:
    """Each order exchanges them, and the agent dies at a random moment of carrying it out. Afterwards each stands where
    the newest order has it, beside nobody, in the process in which it began."""
    dice, sent = random.Random(3), 1

    def swap(number: int) -> DesiredStateOrder:
        one, other = number % 2, (number + 1) % 2
        web, voip = nf("web", "simple-forward", core=one), nf("voip", "simple-forward", core=other)
        return order(number, chain("web", web), chain("voip", voip))

    assert agent.start().put(swap(sent)).status_code == 202
    began = {found.nf_id: found.pid for found in agent.converge().nfs}
    for _ in range(KILLS):
        sent += 1
        assert agent.put(swap(sent)).status_code == 202
        time.sleep(dice.uniform(0.0, 0.05))
        agent.kill()
        agent.start()
    state = agent.converge()
    assert state.applied_generation == sent
    assert {found.nf_id: (found.core, found.restarts) for found in state.nfs} == {
        "web.simple-forward": (sent % 2, 0),
        "voip.simple-forward": ((sent + 1) % 2, 0),
    }
    assert {found.nf_id: found.pid for found in state.nfs} == began
    assert runner_leaders(agent) == [agent.runner_pid()]
