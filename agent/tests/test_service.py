"""The agent as a process: orders become packets, and what it says of them is true."""

import json
import os
import signal
from pathlib import Path

from sextant_agent.machine.proc import is_alive, read_stat, session_members
from sextant_domain.hosts.desired import DesiredHostConfig, NfState, Phase
from sextant_domain.hosts.host import MOST_SLOTS, HostInventory
from sextant_domain.hosts.telemetry import LoadBasis, NfSample

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import HOST, chain, content, nf, order, registered
from .waiting import wait_for

WEB = chain("web", nf("web", "router", core=1), nf("web", "firewall", core=1, slot=1), rate_mpps=0.02)


def test_an_order_becomes_packets_and_telemetry(agent: AgentProcess, fleet: FleetListener) -> None:
    agent.start()
    answer = agent.put(order(1, WEB))
    assert answer.status_code == 202
    assert answer.json()["desired_generation"] == 1
    state = agent.converge()
    assert {(found.nf_id, found.core, found.state) for found in state.nfs} == {
        ("web.router", 1, NfState.RUNNING),
        ("web.firewall", 1, NfState.RUNNING),
    }
    assert all(os.sched_getaffinity(found.pid or 0) == {1} for found in state.nfs)
    assert state.applied_generation == 1

    batch = wait_for(
        "packets are delivered as they are offered, 0.02 Mpps",  # the first period may begin before the first packet
        lambda: next((b for b in fleet.batches if b.chains and 0.015 < b.chains[0].delivered_mpps < 0.025), None),
    )
    assert batch.host_id == HOST
    assert batch.chains[0].p95_us
    assert {core.core for core in batch.cores} >= {0, 1}
    assert {sample.state for sample in batch.nfs} == {NfState.RUNNING}
    assert fleet.registered[0]["agent_url"] == agent.url
    assert HostInventory.model_validate(fleet.registered[0]["inventory"]).host_id == HOST
    assert fleet.peers == {f"urn:sextant:host:{HOST}"}

    state = agent.converge(order(2))
    assert state.nfs == ()
    assert agent.get("/v1/desired").json() == json.loads(order(2).desired.model_dump_json())


def test_a_real_host_takes_no_ordered_faults(standing_agent: AgentProcess) -> None:
    assert standing_agent.get("/v1/faults").json() == {"faults": []}
    crash = b'{"fault": {"kind": "nf-crash", "nf_id": "web.router"}}'
    answer = standing_agent.request("POST", "/v1/faults", content=crash)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:faults-not-offered")
    assert standing_agent.request("POST", "/v1/faults", content=b'{"fault": {"kind": "flood"}}').status_code == 422


def test_packets_that_measure_nothing_are_not_captured(standing_agent: AgentProcess) -> None:
    answer = standing_agent.request("POST", "/v1/captures", content=b'{"chain": "web"}')
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:captures-not-offered")
    for wrong in (b"{}", b'{"chain": "web", "packets": 101}', b'{"chain": "../web"}'):
        assert standing_agent.request("POST", "/v1/captures", content=wrong).status_code == 422


def test_refusals_name_kind_and_field_and_change_nothing(agent: AgentProcess) -> None:
    agent.start()
    agent.converge(order(2, WEB, fence=5))
    pids = {found.pid for found in agent.actual().nfs}
    wrong_digest = order(3).model_copy(
        update={"desired": DesiredHostConfig.of(3, content()).model_copy(update={"content": content(WEB)})}
    )
    unknown_type = chain("web", nf("web", "teleporter", core=1))
    for sent, status, kind, field in [
        (order(1, fence=5), 409, "older-generation", None),
        (order(2, fence=5), 409, "generation-conflict", None),
        (order(3, fence=4), 409, "stale-fence", None),
        (wrong_digest.model_copy(update={"fence": 5}), 422, "bad-order", "desired.digest"),
        (order(3, host="edge-2", fence=5), 422, "bad-order", "desired.content.host_id"),
        (order(3, unknown_type, fence=5), 422, "bad-order", "desired.content.chains.0.nfs.0.nf_type"),
        (
            order(3, chain("x", nf("x", "router", core=99)), fence=5),
            422,
            "bad-order",
            "desired.content.chains.0.nfs.0.core",
        ),
        (
            order(3, chain("x", nf("x", "router", slot=MOST_SLOTS)), fence=5),
            422,
            "bad-order",
            "desired.content.chains.0.nfs.0.slot",
        ),
    ]:
        answer = agent.put(sent)
        problem = answer.json()
        assert (answer.status_code, problem["type"]) == (status, f"urn:sextant:problem:{kind}"), problem
        assert answer.headers["content-type"] == "application/problem+json"
        assert field is None or field in [error["field"] for error in problem["errors"]]
    for body, status in [(b"{", 422), (b"[]", 422), (b'{"desired": 1}', 422), (b"x" * 2_000_000, 413)]:
        assert agent.request("PUT", "/v1/desired", content=body).status_code == status
    assert agent.put(order(2, WEB, fence=5)).status_code == 202, "a repeat is harmless"
    state = agent.actual()
    assert (state.desired_generation, state.phase) == (2, Phase.CONVERGED)
    assert {found.pid for found in state.nfs} == pids, "nothing was restarted"


def test_a_registered_type_keeps_its_name_and_its_processes_when_the_agent_dies(agent: AgentProcess) -> None:
    """The runner knows the firewall only; the order says what the operator calls it."""
    edge = chain("edge", registered("edge-firewall", nf("edge", "firewall", core=1), version=2))
    agent.start()
    before = agent.converge(order(1, edge))
    assert [(found.nf_id, found.nf_type) for found in before.nfs] == [("edge.firewall", "edge-firewall")]
    agent.kill(signal.SIGKILL)
    agent.start()
    after = agent.converge()
    assert [(found.pid, found.nf_type) for found in after.nfs] == [(before.nfs[0].pid, "edge-firewall")]


def test_a_killed_agent_leaves_packets_running_and_its_successor_adopts_them(agent: AgentProcess) -> None:
    agent.start()
    before = agent.converge(order(1, WEB))
    runner = agent.runner_pid()
    agent.kill(signal.SIGKILL)
    assert all(found.pid and read_stat(found.pid) for found in before.nfs)
    agent.start()
    after = agent.converge()
    assert agent.runner_pid() == runner
    assert {(n.nf_id, n.pid) for n in after.nfs} == {(n.nf_id, n.pid) for n in before.nfs}, "nothing was restarted"
    assert after.applied_generation == 1
    assert "adopted" in agent.log.read_text()


def test_an_agent_ended_in_an_orderly_way_leaves_packets_running(agent: AgentProcess) -> None:
    agent.start()
    pids = {found.pid for found in agent.converge(order(1, WEB)).nfs}
    agent.kill(signal.SIGTERM)
    assert agent.process and agent.process.returncode == 0
    assert {found.pid for found in agent.start().converge().nfs} == pids


def test_how_full_its_nfs_are_is_reported_to_console_and_prometheus(agent: AgentProcess, fleet: FleetListener) -> None:
    """Real packets: some share of the core's time, less than all of it. A chain that is gone has no line any more."""
    agent.start()
    agent.converge(order(1, WEB))

    def reported() -> NfSample | None:
        samples = [nf for batch in fleet.batches[-1:] for nf in batch.nfs if nf.nf_id == "web.firewall"]
        return next((nf for nf in samples if nf.utilisation_percent), None)

    sample = wait_for("telemetry reports it", reported)
    assert sample.utilisation_basis is LoadBasis.BUSY_TIME
    assert 0 < (sample.utilisation_percent or 0) <= sample.cpu_percent + 1
    labels = 'chain="web",host="edge-1",nf="web.firewall",provenance="measured"'
    line = f"sextant_nf_utilisation_ratio{{{labels}}}"
    assert 0 < wait_for("a busy second", lambda: agent.metric(line)) < 1
    agent.converge(order(2))
    wait_for("it is gone", lambda: line not in agent.get("/metrics").text)


def test_a_crashed_nf_is_restarted_and_said_so(agent: AgentProcess, fleet: FleetListener) -> None:
    agent.start()
    victim = next(found for found in agent.converge(order(1, WEB)).nfs if found.nf_id == "web.firewall")
    os.kill(victim.pid or 0, signal.SIGKILL)

    def repaired() -> bool:
        found = next(n for n in agent.actual().nfs if n.nf_id == "web.firewall")
        return found.restarts == 1 and found.state is NfState.RUNNING and found.pid != victim.pid

    wait_for("the NF is restarted", repaired)
    state = agent.converge()
    found = next(n for n in state.nfs if n.nf_id == "web.firewall")
    assert "9" in (found.last_error or ""), "killed by signal 9"
    assert found.core == 1
    assert agent.metric("sextant_agent_nf_restarts_total") == 1
    wait_for("telemetry says so", lambda: any(s.restarts == 1 for b in fleet.batches for s in b.nfs))
    last = len(fleet.batches)
    wait_for("packets flow", lambda: any(c.delivered_mpps > 0.015 for b in fleet.batches[last:] for c in b.chains))


def test_a_crashed_runner_is_started_again_with_everything_in_it(agent: AgentProcess) -> None:
    agent.start()
    before = agent.converge(order(1, WEB))
    runner = agent.runner_pid()
    os.kill(runner, signal.SIGKILL)
    wait_for(
        "NFs die with the runner", lambda: not any(n.pid and (s := read_stat(n.pid)) and s.alive for n in before.nfs)
    )

    def repaired() -> bool:
        state = agent.actual()
        return state.phase is Phase.CONVERGED and {n.pid for n in state.nfs}.isdisjoint(n.pid for n in before.nfs)

    wait_for("the runner is back with its chains", repaired)
    state = agent.actual()
    assert "started again" in state.detail and "signal 9" in state.detail
    assert [found.restarts for found in state.nfs] == [1, 1]
    assert agent.runner_pid() != runner
    assert agent.metric("sextant_agent_data_plane_starts_total") == 2


def test_a_runner_that_dies_with_its_agent_is_replaced_by_the_successor(agent: AgentProcess) -> None:
    agent.start()
    agent.converge(order(1, WEB))
    agent.kill(signal.SIGKILL)
    os.kill(agent.runner_pid(), signal.SIGKILL)
    state = agent.start().converge()
    assert len(state.nfs) == 2
    assert "started again" in state.detail


def test_a_second_agent_on_the_same_folder_is_refused(agent: AgentProcess, tmp_path: Path) -> None:
    agent.start()
    second = AgentProcess(agent.state, agent.authority, Path(agent.environment["SEXTANT_AGENT_RUNNER"]), None)
    second.log = tmp_path / "second.log"
    first_url = agent.url
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "sextant_agent", "serve"],
        env=second.environment, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "another agent works on" in done.stderr
    assert agent.url == first_url


def test_stop_runner_ends_everything_and_says_what(agent: AgentProcess) -> None:
    agent.start()
    state = agent.converge(order(1, WEB))
    runner = agent.runner_pid()
    members = session_members(runner)
    assert {found.pid for found in state.nfs} <= {member.pid for member in members}
    agent.kill(signal.SIGTERM)
    done = agent.stop_runner()
    assert (done.returncode, done.stdout.startswith(f"ended runner {runner}")) == (0, True)
    assert not any(is_alive(member.pid, member.start_time) for member in members)
    again = agent.stop_runner()
    assert (again.returncode, "no runner is recorded" in again.stdout) == (0, True)


def test_stop_runner_touches_no_other_process(agent: AgentProcess, tmp_path: Path) -> None:
    """A recorded pid that another process holds by now: nothing is ended."""
    ours = read_stat(os.getpid())
    assert ours
    agent.state.mkdir(mode=0o700)
    record = {"nonce": "0" * 32, "socket": str(tmp_path / "s"), "pid": ours.pid, "start_time": ours.start_time + 1}
    (agent.state / "runner.json").write_text(json.dumps(record))
    assert "already ended" in agent.stop_runner().stdout
    (agent.state / "runner.json").write_text(json.dumps(record | {"start_time": ours.start_time}))
    done = agent.stop_runner()
    assert done.returncode == 1 and "left alone" in done.stderr
    (agent.state / "runner.json").unlink()
