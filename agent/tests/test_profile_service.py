"""The routes of measurements, on real agents: a machine's own, and one of many simulated hosts."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from sextant_domain.hosts.desired import NfState
from sextant_domain.profiling.job import ActiveProfiles, ProfileOrder, ProfileRun, ProfileRunState
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import chain, nf, order
from .pki import Authority
from .twin_process import TwinProcess
from .waiting import wait_for

HOSTS = ("demo-1", "demo-2")
CORE = 1
Send = Callable[..., httpx.Response]


@pytest.fixture
def twins(tmp_path: Path, authority: Authority, fleet: FleetListener) -> Iterator[TwinProcess]:
    process = TwinProcess(tmp_path, authority, HOSTS, fleet.url)
    yield process.start()
    process.end()


def point(key: str, core: int, **changes: Any) -> bytes:
    subject = ProfiledNf(nf_type="edge-router", implementation="router", core=core, config={"synthetic_routes": 10})
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=subject, **{"max_samples": 3, **changes})
    return ProfileOrder(key=key, request=request).model_dump_json().encode()


def run_of(answer: httpx.Response) -> ProfileRun:
    assert answer.status_code in {200, 202}, answer.text
    return ProfileRun.model_validate(answer.json())


def kind_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


def ended(send: Send, key: str) -> ProfileRun:
    found = wait_for(f"{key} ends", lambda: run if (run := reported(send, key)).state != "running" else None)
    assert found
    return found


def begun(send: Send, name: str, core: int = CORE, stages: tuple[str, ...] = ("calibrating", "measuring")) -> str:
    """The key of a sample of a minute that has come to one of these stages. Other suites' work may hold the core for a
    while, or disturb its calibration: a machine that is busy for two minutes cannot tell what these tests ask."""
    reason = None
    deadline = time.monotonic() + 120
    for number in count():
        key = f"{name}-{number}"
        run_of(send("POST", "/v1/profiles", content=point(key, core, seconds=60.0)))
        run = wait_for(f"it is {' or '.join(stages)}, or ends", lambda key=key: come(reported(send, key), stages))
        assert run and run.kind in {None, "busy"}, run
        if run.kind is None:
            return key
        reason = run.reason
        if time.monotonic() > deadline:
            break
    assert reason and "other work uses the cores" in reason
    pytest.skip(f"within 120 s: {reason}")


def come(run: ProfileRun, stages: tuple[str, ...]) -> ProfileRun | None:
    """Where it has come to one of these stages, or has ended."""
    return run if run.kind or (run.progress and run.progress.stage in stages) else None


def reported(send: Send, key: str) -> ProfileRun:
    return run_of(send("GET", f"/v1/profiles/{key}"))


def test_each_simulated_host_measures_what_it_was_asked(twins: TwinProcess) -> None:
    def send(method: str, path: str, host: str = "demo-1", **more: Any) -> httpx.Response:
        return twins.request(host, method, path, **more)

    assert run_of(send("POST", "/v1/profiles", content=point("p-1", 7))).key == "p-1"
    done = ended(send, "p-1")
    assert done.result and done.result.nf and done.result.provenance == "simulated"
    assert run_of(send("POST", "/v1/profiles", content=point("p-1", 7))) == done, "reported again, not measured again"
    assert kind_of(send("POST", "/v1/profiles", content=point("p-1", 8))) == (409, "profile-conflict")
    assert kind_of(send("GET", "/v1/profiles/p-1", host="demo-2")) == (404, "no-such-profile")
    assert ActiveProfiles.model_validate(send("GET", "/v1/profiles").json()).runs == ()
    twins.converge("demo-1", order(1, chain("web", nf("web", "router", core=7)), host="demo-1"))
    run_of(send("POST", "/v1/profiles", content=point("p-2", 7)))
    assert ended(send, "p-2").kind == "busy"


def test_bad_measurements_are_refused_by_field(standing_agent: AgentProcess) -> None:
    for body, field in (
        (b"{", "body"),
        (b'{"key": "a/b", "request": {}}', "key"),
        (point("a", CORE).replace(b'"seconds":1.0', b'"seconds":1e9'), "request.seconds"),
    ):
        answer = standing_agent.request("POST", "/v1/profiles", content=body)
        assert kind_of(answer) == (422, "bad-order")
        assert field in [error["field"] for error in answer.json()["errors"]]
    named = f'"rules_file":"sha256:{"0" * 64}"'.encode()
    lacking = point("a", CORE).replace(b'"synthetic_routes":10', named)
    assert kind_of(standing_agent.request("POST", "/v1/profiles", content=lacking)) == (409, "artefact-missing")
    assert kind_of(standing_agent.get("/v1/profiles/a")) == (404, "no-such-profile"), "nothing was begun"
    assert standing_agent.request("GET", "/v1/profiles", shown="other").status_code == 403


def test_an_order_takes_the_core_that_is_measured(agent: AgentProcess, fleet: FleetListener) -> None:
    """A minute's sample begins; a chain is ordered to its core and runs there seconds later. Telemetry goes on."""

    def send(method: str, path: str, **more: Any) -> httpx.Response:
        return agent.request(method, path, **more)

    agent.start()
    key = begun(send, "long")
    assert kind_of(send("POST", "/v1/profiles", content=point("other", CORE))) == (409, "profile-busy")
    first = fleet.batches[-1].sequence if fleet.batches else 0
    wait_for("telemetry goes on meanwhile", lambda: fleet.batches and fleet.batches[-1].sequence >= first + 2)
    assert [run.key for run in ActiveProfiles.model_validate(send("GET", "/v1/profiles").json()).runs] == [key]
    state = agent.converge(order(1, chain("web", nf("web", "router", core=CORE))))
    assert [(found.core, found.state) for found in state.nfs] == [(CORE, NfState.RUNNING)]
    run = ended(send, key)
    assert (run.state, run.kind, run.permanent) == (ProfileRunState.FAILED, "busy", False)
    assert run.reason == f"core {CORE} was given to web.router"
    refused = run_of(send("POST", "/v1/profiles", content=point("after", CORE)))
    assert ended(send, refused.key).kind == "busy"


@pytest.mark.skipif(CORE not in os.sched_getaffinity(0), reason="one core only")
def test_an_order_for_another_core_is_carried_out_beside_it(agent: AgentProcess) -> None:
    def send(method: str, path: str, **more: Any) -> httpx.Response:
        return agent.request(method, path, **more)

    agent.start()
    key = begun(send, "beside", core=0, stages=("measuring",))
    agent.converge(order(1, chain("web", nf("web", "router", core=CORE))))
    assert reported(send, key).state is ProfileRunState.RUNNING
    agent.converge(order(2, chain("web", nf("web", "router", core=0))))
    assert ended(send, key).reason == "core 0 was given to web.router"


def test_a_measurement_ends_when_it_is_cancelled_or_its_agent_ends(agent: AgentProcess) -> None:
    def send(method: str, path: str, **more: Any) -> httpx.Response:
        return agent.request(method, path, **more)

    agent.start()
    key = begun(send, "one")
    send("DELETE", f"/v1/profiles/{key}").raise_for_status()  # it has ended, or will in a moment
    assert ended(send, key).state is ProfileRunState.CANCELLED
    assert run_of(send("DELETE", f"/v1/profiles/{key}")).state is ProfileRunState.CANCELLED
    key = begun(send, "two")
    agent.kill(signal.SIGTERM)
    agent.start()
    assert kind_of(send("GET", f"/v1/profiles/{key}")) == (404, "no-such-profile"), "it ended with its agent"
    begun(send, key)
