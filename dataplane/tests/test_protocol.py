"""The control socket: what it answers, and what it does with hostile input."""

import itertools
import json
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, CORES, Client, Refused, Runner, is_alive, nf, running, source, wait_for


def test_hello_says_who_it_is(runner: Runner, client: Client) -> None:
    hello = client.call("hello")
    assert hello["pid"] == runner.process.pid
    assert hello["nonce"] == runner.nonce
    fields = Path(f"/proc/{hello['pid']}/stat").read_text().rpartition(")")[2].split()
    assert hello["start_time"] == int(fields[22 - 3])
    assert hello["cores"] == CORES and hello["traffic_core"] == CORES[-1]
    assert hello["tsc_hz"] > 1e8
    assert hello["nf_types"] == [
        "basic-monitor",
        "bubble",
        "dpi",
        "firewall",
        "load-balancer",
        "nat",
        "nids",
        "router",
        "simple-forward",
        "vpn",
    ]
    assert hello["limits"] == {"chains": 32, "nfs": 96, "packet_bytes_max": 1518}
    bounds = hello["latency_bounds_ns"]
    assert bounds == sorted(set(bounds))
    # At most 5 % wide from a microsecond on.
    assert all(high - low <= 0.05 * low for low, high in itertools.pairwise(bounds) if low >= 1024)
    client.add("a", nf("a", "router"))
    assert len(client.chain("a").latency_counts) == len(bounds) + 1


def test_it_leads_its_own_session_and_its_socket_is_private(runner: Runner, client: Client) -> None:
    client.call("hello")
    fields = Path(f"/proc/{runner.process.pid}/stat").read_text().rpartition(")")[2].split()
    assert int(fields[6 - 3]) == runner.process.pid
    assert stat.S_IMODE(runner.socket.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("line", "code", "field"),
    [
        (b"no json\n", "bad-request", ""),
        (b"\n", "bad-request", ""),
        (b"\xff\xfe\n", "bad-request", ""),
        (b'{"op": "query", "op": "hello"}\n', "bad-request", ""),
        (b"[" * 100_000 + b"\n", "bad-request", ""),
        (b"[]\n", "bad-request", ""),
        (b'{"id": 1}\n', "bad-request", "op"),
        (b'{"id": {}, "op": "query"}\n', "bad-request", "id"),
        (b'{"id": 1, "op": 7}\n', "bad-request", "op"),
        (b'{"id": 1, "op": "format-disk"}\n', "unknown-op", "op"),
        (b'{"id": 1, "op": "query", "speed": 1}\n', "bad-request", "speed"),
        (b'{"id": 1, "op": "remove_chain"}\n', "bad-request", "chain"),
        (b'{"id": 1, "op": "remove_chain", "chain": "../x"}\n', "bad-request", "chain"),
        (b'{"id": 1, "op": "remove_chain", "chain": "absent"}\n', "not-found", "chain"),
        (b'{"id": 1, "op": "move_nf", "nf": "absent", "core": 0}\n', "not-found", "nf"),
        (b'{"id": 1, "op": "restart_nf", "nf": "absent"}\n', "not-found", "nf"),
        (b'{"id": 1, "op": "add_chain", "chain": "a", "nfs": "x", "source": {}}\n', "bad-request", "nfs"),
    ],
)
def test_bad_requests_are_refused_and_the_connection_lives(
    refused_client: Client, line: bytes, code: str, field: str
) -> None:
    answer = refused_client.send(line)
    assert answer["ok"] is False
    assert (answer["error"]["code"], answer["error"]["field"]) == (code, field)
    assert answer["error"]["message"]
    assert refused_client.call("query")["chains"] == []


def bad_nf(**changes: Any) -> dict[str, Any]:
    return {**nf("a", "router"), **changes}


@pytest.mark.parametrize(
    ("nfs", "of_source", "code", "field"),
    [
        ([], {}, "bad-request", "nfs"),
        ([nf("a", "router")] * 33, {}, "bad-request", "nfs"),
        ([nf("a", "router"), nf("a", "router")], {}, "bad-request", "nfs.1.nf"),
        ([nf("a", "router"), 7], {}, "bad-request", "nfs.1"),
        ([bad_nf(nf="")], {}, "bad-request", "nfs.0.nf"),
        ([bad_nf(nf="x" * 1000)], {}, "bad-request", "nfs.0.nf"),
        ([bad_nf(type="rm -rf")], {}, "bad-request", "nfs.0.type"),
        ([bad_nf(core="0")], {}, "bad-request", "nfs.0.core"),
        ([bad_nf(core=-1)], {}, "bad-request", "nfs.0.core"),
        ([bad_nf(core=1000)], {}, "core-not-allowed", "nfs.0.core"),
        ([bad_nf(core=10**9)], {}, "core-not-allowed", "nfs.0.core"),
        ([bad_nf(config=None)], {}, "bad-request", "nfs.0.config"),
        ([bad_nf(path="/etc/passwd")], {}, "bad-request", "nfs.0.path"),
        ([nf("a", "router"), nf("a", "firewall", rules=[{}])], {}, "bad-config", "nfs.1.config.rules.0.action"),
        ([nf("a", "router", speed=1)], {}, "bad-config", "nfs.0.config.speed"),
        ([nf("a", "router")], {"rate_mpps": 1e9}, "bad-request", "source.rate_mpps"),
        ([nf("a", "router")], {"packet_bytes": 9000}, "bad-request", "source.packet_bytes"),
        ([nf("a", "router")], {"flows": 10**7}, "bad-request", "source.flows"),
        ([nf("a", "router")], {"src_prefix": "10.0.0.0/99"}, "bad-request", "source.match.src_prefix"),
    ],
)
def test_a_refused_chain_leaves_nothing(
    standing: Runner, refused_client: Client, nfs: list[Any], of_source: dict[str, Any], code: str, field: str
) -> None:
    refused_client.call("hello")
    before = standing.children()
    with pytest.raises(Refused) as refusal:
        refused_client.add("a", *nfs, **of_source)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert set(standing.children()) <= set(before)
    assert refused_client.call("query")["nfs"] == []
    refused_client.add("a", nf("a", "router"))
    refused_client.call("remove_chain", chain="a")


def test_names_that_run_already_are_refused(client: Client) -> None:
    client.add("a", nf("a", "router"))
    with pytest.raises(Refused) as refusal:
        client.add("a", nf("b", "router"))
    assert (refusal.value.code, refusal.value.field) == ("exists", "chain")
    with pytest.raises(Refused) as refusal:
        client.add("b", nf("b", "firewall"), nf("a", "router"))
    assert (refusal.value.code, refusal.value.field) == ("exists", "nfs.1.nf")


def test_an_oversized_line_is_refused_and_only_that_client_goes(runner: Runner, client: Client) -> None:
    other = runner.client()
    answer = client.send(b"x" * (1 << 20) + b"yz")
    assert answer["error"]["code"] == "bad-request"
    assert client.lines.readline() == b""
    assert other.call("query")["chains"] == []


def test_a_request_may_come_in_pieces_and_several_at_once(client: Client) -> None:
    client.socket.sendall(b'{"id": 1, "op": "qu')
    client.socket.sendall(b'ery"}\n{"id": "two", "op": "hello"}\n{"id": 3')
    client.socket.sendall(b', "op": "nothing"}\n')
    answers = [json.loads(client.lines.readline()) for _ in range(3)]
    assert [answer["id"] for answer in answers] == [1, "two", 3]
    assert [answer["ok"] for answer in answers] == [True, True, False]


def test_a_client_that_never_reads_harms_nobody(runner: Runner, client: Client) -> None:
    deaf = runner.client()
    deaf.socket.setblocking(False)
    try:
        for _ in range(20_000):
            deaf.socket.send(b'{"id": 1, "op": "hello"}\n')
    except BlockingIOError:
        pass
    else:
        pytest.fail("the runner read requests without bound from a client that takes no answers")
    assert client.call("query")["chains"] == []
    deaf.socket.close()
    assert client.call("query")["chains"] == []


def test_more_clients_than_places(runner: Runner) -> None:
    clients = [runner.client() for _ in range(16)]
    assert clients[-1].call("query")["ok"]
    extra = runner.client()
    assert extra.lines.readline() == b""
    clients.pop(0).socket.close()
    wait_for(lambda: _answers(runner), "a place for a new client")


def _answers(runner: Runner) -> bool:
    client = runner.client()
    try:
        return bool(client.call("query")["ok"])
    except (ConnectionError, json.JSONDecodeError):
        return False


def test_a_second_runner_on_the_socket_is_refused(runner: Runner, client: Client, tmp_path: Path) -> None:
    client.call("hello")
    with running(tmp_path) as second:
        assert second.process.wait(20) == 1
    assert client.call("hello")["nonce"] == runner.nonce


def test_a_socket_left_by_a_dead_runner_is_replaced(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        first.client().call("hello")
        first.process.kill()
        first.process.wait()
        assert first.socket.exists()
        with running(tmp_path) as second:
            assert second.client().call("hello")["nonce"] == second.nonce


def test_shutdown_is_answered_and_ends_everything(runner: Runner, client: Client) -> None:
    client.add("a", nf("a", "router"), nf("a", "firewall"), rate_mpps=0.05)
    children = runner.children()
    assert len(children) == 3
    assert client.call("shutdown")["ok"]
    assert runner.process.wait(60) == 0
    assert not any(map(is_alive, children))
    assert not runner.socket.exists()


@pytest.mark.parametrize("arguments", [[], ["--socket", "x"], ["--bogus"]])
def test_bad_arguments_end_it_at_once(arguments: list[str]) -> None:
    ended = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "usage: sextant-runner" in ended.stderr


def test_the_log_is_json_lines(runner: Runner, client: Client) -> None:
    client.add("a", nf("a", "router"))
    client.call("set_source", chain="a", source=source(0.01))
    client.call("remove_chain", chain="a")
    lines = [json.loads(line) for line in runner.log.read_text().splitlines()]
    assert any("chain a added" in line["message"] for line in lines)
    assert all({"ts", "level", "pid", "message"} <= line.keys() for line in lines)
