"""Hostile input under the address and undefined-behaviour sanitizers: every reader, every NF, the whole runner.

The harnesses of `fuzz/` replay their corpus and seeded mutations of it; longer runs, and libFuzzer, are described in
the data plane's README.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from .conftest import CORES, DATAPLANE, Client, nf, running, source
from .sanitizing import replay, sanitized_build

CORPUS = DATAPLANE / "fuzz" / "corpus"
MUTATIONS = {
    "pcap": 20_000,
    "files": 20_000,
    "source": 10_000,
    "ingress": 20_000,
    "measure": 20_000,
    "packets": 10_000,
    "shell": 20_000,
    "control": 1_500,
}
SPOKEN = ("AddressSanitizer", "runtime error:")
REQUESTS = 400
VALUES: tuple[Any, ...] = (None, True, -1, 0, 1, 2**31, 2**63, 0.5, 1e300, "", "a", "x" * 300, "\u0000", [], [[]], {})


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = tmp_path_factory.mktemp("sanitized") / "log"
    return sanitized_build(DATAPLANE, log, "sextant-runner", *(f"fuzz/fuzz-{name}" for name in MUTATIONS))


@pytest.mark.parametrize("name", MUTATIONS)
def test_no_sanitizer_speaks(sanitized: Path, tmp_path: Path, name: str) -> None:
    replay(sanitized, CORPUS / name, MUTATIONS[name], tmp_path)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a request."""
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    found: list[tuple[Any, Any]] = []
    for key, inner in pairs:
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += _places(inner)
    return found


def _damaged(request: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """One to three of its values are others, or absent; often enough it is left as it was."""
    request = json.loads(json.dumps(request))
    for _ in range(dice.choice((0, 0, 1, 1, 2, 3))):
        places = _places(request)
        if not places:
            break
        container, key = dice.choice(places)
        if isinstance(container, dict) and dice.random() < 0.2:
            container.pop(key, None)
        elif isinstance(container, dict) or key < len(container):
            container[key] = dice.choice(VALUES)
    return request


def _requests() -> list[dict[str, Any]]:
    chains = [
        ("a", [nf("a", "router"), nf("a", "firewall"), nf("a", "basic-monitor")]),
        ("b", [nf("b", "vpn", mode="encrypt"), nf("b", "vpn", name="far", mode="decrypt")]),
        ("c", [nf("c", "load-balancer"), nf("c", "nat"), nf("c", "dpi", flow_table_entries=64)]),
        ("d", [nf("d", "bubble", working_set_bytes=4096), nf("d", "simple-forward")]),
    ]
    asked: list[dict[str, Any]] = []
    for name, nfs in chains:
        first = nfs[0]["nf"]
        asked += [
            {"op": "add_chain", "chain": name, "nfs": nfs, "source": source(0.01)},
            {"op": "set_source", "chain": name, "source": source(0.02, sizes={"kind": "imix"})},
            {"op": "set_execution", "chain": name, "execution": "run-to-completion"},
            {"op": "move_nf", "nf": first, "core": CORES[0]},
            {"op": "pause_chain", "chain": name},
            {"op": "resume_chain", "chain": name},
            {"op": "restart_nf", "nf": first},
            {"op": "configure_nf", "nf": first, "config": nfs[0]["config"]},
            {"op": "query"},
            {"op": "remove_chain", "chain": name},
        ]
    return asked


def _ask(client: Client, request: dict[str, Any]) -> None:
    answer = client.send(json.dumps(request).encode() + b"\n")
    assert answer["ok"] or answer["error"]["message"], request


def test_the_sanitized_runner_survives_damaged_requests(sanitized: Path, tmp_path: Path) -> None:
    """With its real processes and real packets; what is refused leaves all as it was, to the last packet."""
    dice = random.Random(20)
    prefix = ("env", "ASAN_OPTIONS=detect_leaks=0")  # the tables of the libraries live as long as their process
    with running(tmp_path, prefix, sanitized / "sextant-runner") as runner:
        client = runner.client()
        client.socket.settimeout(120)
        client.add("steady", nf("steady", "router"), nf("steady", "firewall"), rate_mpps=0.005)
        pids = set(runner.children())
        for request in dice.choices(_requests(), k=REQUESTS):
            _ask(client, _damaged(request, dice))
        assert pids <= set(runner.children()), "the steady chain's processes are the first ones"
        assert {entry.exit for entry in client.query().nfs.values()} == {None}
        assert client.chain("steady").delivered > 0
    log = runner.log.read_text()
    assert not any(word in log for word in SPOKEN), log[-6000:]
