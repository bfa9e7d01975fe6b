"""Files over the API of an agent that is a process: they come before the order that names them, and stay with it."""

import hashlib
from collections.abc import Iterator

import httpx
from sextant_agent.orders.artefacts import FOLDER
from sextant_domain.hosts.artefact import MOST_BYTES

from .agent_process import AgentProcess
from .orders import chain, nf, order
from .waiting import wait_for

ROUTES = b"10.0.0.0/8 1\n" * 200_000
DIGEST = f"sha256:{hashlib.sha256(ROUTES).hexdigest()}"


def send(
    agent: AgentProcess, content: bytes | Iterator[bytes], digest: str = DIGEST, fence: str | None = "7"
) -> httpx.Response:
    headers = {} if fence is None else {"X-Sextant-Fence": fence}
    return agent.request("PUT", f"/v1/artefacts/{digest}", content=content, headers=headers)


def held(agent: AgentProcess) -> list[str]:
    return list(agent.get("/v1/artefacts").json()["digests"])


def kind(answer: httpx.Response) -> str:
    return str(answer.json()["type"].rpartition(":")[2])


def naming(*digests: str) -> dict[str, object]:
    """A setting that no NF of the runner reads, so that only the agent minds it."""
    return {"loops": 0, "files": list(digests)}


def test_files_come_before_the_order_that_names_them(agent: AgentProcess) -> None:
    agent.start()
    web = chain("web", nf("web", "simple-forward", core=1, **naming(DIGEST)))
    missing = agent.put(order(1, web, fence=7))
    assert (missing.status_code, kind(missing)) == (409, "artefact-missing")
    assert DIGEST in missing.json()["errors"][0]["message"]
    assert agent.get("/v1/desired").json()["generation"] == 0

    assert send(agent, ROUTES).status_code == 204
    assert held(agent) == [DIGEST]
    file = agent.state / FOLDER / DIGEST.removeprefix("sha256:")
    assert file.read_bytes() == ROUTES
    assert agent.put(order(1, web, fence=7)).status_code == 202
    assert send(agent, iter([ROUTES[:5], ROUTES[5:]])).status_code == 204, "the same file again, of unknown length"

    for generation in (2, 3):
        agent.converge(order(generation, fence=7 + generation))
        still = [DIGEST] if generation == 2 else []
        wait_for("files of the order before last are forgotten", lambda want=still: held(agent) == want)


def test_refusals_leave_nothing_behind(agent: AgentProcess) -> None:
    agent.start()
    agent.converge(order(1, fence=5))
    too_long = (b"\0" * 2**20 for _ in range(MOST_BYTES // 2**20 + 1))
    for answer, status, name in [
        (send(agent, ROUTES, fence="4"), 409, "stale-fence"),
        (send(agent, ROUTES, fence=None), 422, "bad-order"),
        (send(agent, ROUTES, fence="-1"), 422, "bad-order"),
        (send(agent, ROUTES + b"x"), 422, "wrong-digest"),
        (send(agent, b""), 422, "wrong-digest"),
        (send(agent, b"x", digest="sha256:..%2F..%2Fledger.json"), 404, "not-found"),
        (send(agent, b"x", digest=DIGEST.upper()), 422, "bad-order"),
        (send(agent, too_long), 413, "body-too-large"),
        (send(agent, b"\0" * (MOST_BYTES + 1)), 413, "body-too-large"),
    ]:
        assert (answer.status_code, kind(answer)) == (status, name), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    assert held(agent) == []
    assert list((agent.state / FOLDER).iterdir()) == []
    assert agent.get("/v1/desired").json()["generation"] == 1
