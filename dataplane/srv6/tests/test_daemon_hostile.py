"""What the daemon refuses, and that it goes on afterwards."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .hosts import DAEMON, NOBODY, Client, Host, Refused, hosts
from .network import shell

NF = {"nf_id": "c.nf", "tag": 7, "sid": "fc00:0:1::1", "device": 1}
PATH = {"chain": "c", "tag": 7, "source": "fc00:0:1::", "segments": ["fc00:0:1::1"], "mtu": 1500}
HOST: dict[str, object] = {"own": [], "others": [], "sources": []}
WAY = {"tag": 7, "sid": "fc00:0:1::1", "port": "core0", "mac": "02:00:00:00:00:0a"}


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosts(tmp_path_factory.mktemp("hostile")) as made:
        host = made.all[0]
        client = host.start()
        client.call("attach", port="core0", kind="core")
        _, edge = client.add("add_edge", chain="c")
        made.take(edge)
        yield host
        after = host.client().call("read")
        assert (after["nfs"], after["exits"], len(after["edges"])) == ([], [], 1), "nothing was done by halves"


@pytest.mark.parametrize(
    ("op", "fields", "code", "field"),
    [
        ("hello", {"more": 1}, "bad-request", "more"),
        ("destroy", {}, "unknown-op", "op"),
        ("set_host", {"own": [], "others": []}, "bad-request", "sources"),
        ("set_host", {**HOST, "own": "fc00::/32"}, "bad-request", "own"),
        ("set_host", {**HOST, "own": ["fc00:0:1::/48", "fc00:0:1::1/48"]}, "bad-request", "own.1"),
        ("set_host", {**HOST, "own": ["fc00::/129"]}, "bad-request", "own.0"),
        ("set_host", {**HOST, "own": ["fc00::/32"], "others": ["fc00::/32"]}, "bad-request", "others"),
        ("set_host", {**HOST, "sources": ["10.0.0.1"]}, "bad-request", "sources.0"),
        ("set_host", {**HOST, "sources": [None]}, "bad-request", "sources.0"),
        ("attach", {"port": "core0"}, "bad-request", "kind"),
        ("attach", {"port": "core0", "kind": "both"}, "bad-request", "kind"),
        ("attach", {"port": "nothing", "kind": "core"}, "not-found", "port"),
        ("attach", {"port": "../core0", "kind": "core"}, "bad-request", "port"),
        ("attach", {"port": "lo", "kind": "core"}, "bad-request", "port"),
        ("attach", {"port": "a-name-of-16-ch.", "kind": "core"}, "bad-request", "port"),
        ("detach", {"port": "core1"}, "not-found", "port"),
        ("add_nf", {**NF, "nf_id": "c/nf"}, "bad-request", "nf_id"),
        ("add_nf", {**NF, "nf_id": "c"}, "bad-request", "nf_id"),
        ("add_nf", {**NF, "nf_id": "c.nf.more"}, "bad-request", "nf_id"),
        ("add_nf", {**NF, "nf_id": 5}, "bad-request", "nf_id"),
        ("add_nf", {**NF, "tag": 0}, "bad-request", "tag"),
        ("add_nf", {**NF, "tag": 65536}, "bad-request", "tag"),
        ("add_nf", {**NF, "tag": True}, "bad-request", "tag"),
        ("add_nf", {**NF, "tag": 7.0}, "bad-request", "tag"),
        ("add_nf", {**NF, "device": -1}, "bad-request", "device"),
        ("add_nf", {**NF, "sid": "fc00:0:1::1/128"}, "bad-request", "sid"),
        ("add_nf", {**NF, "mtu": 1279}, "bad-request", "mtu"),
        ("add_nf", {**NF, "port": "core0"}, "bad-request", "port"),
        ("add_edge", {"chain": "../etc"}, "bad-request", "chain"),
        ("add_edge", {"chain": "C"}, "bad-request", "chain"),
        ("add_edge", {"chain": "-c"}, "bad-request", "chain"),
        ("add_edge", {"chain": "c" * 64}, "bad-request", "chain"),
        ("add_edge", {"chain": ["c"]}, "bad-request", "chain"),
        ("add_exit", {"chain": "c", "tag": 7}, "bad-request", "sid"),
        ("remove", {}, "bad-request", None),
        ("remove", {"chain": "c", "nf_id": "c.nf"}, "bad-request", None),
        ("remove", {"chain": "other"}, "not-found", "chain"),
        ("remove", {"chain": "c", "kind": "nf"}, "bad-request", "kind"),
        ("remove", {"nf_id": "c.nf"}, "not-found", "nf_id"),
        ("set_path", {**PATH, "chain": "other"}, "not-found", "chain"),
        ("set_path", {**PATH, "segments": []}, "bad-request", "segments"),
        ("set_path", {**PATH, "segments": ["fc00::1"] * 9}, "bad-request", "segments"),
        ("set_path", {**PATH, "segments": ["fc00::1", 5]}, "bad-request", "segments.1"),
        ("set_path", {**PATH, "mtu": "1500"}, "bad-request", "mtu"),
        ("set_path", {**PATH, "port": "core0"}, "bad-request", None),
        ("set_way", {**WAY, "mac": "02:00:00:00:00"}, "bad-request", "mac"),
        ("set_way", {**WAY, "mac": "02:00:00:00:00:0x"}, "bad-request", "mac"),
        ("set_way", {**WAY, "mac": "-1:00:00:00:00:0a"}, "bad-request", "mac"),
        ("set_way", {**WAY, "port": "core1"}, "not-found", "port"),
        ("set_way", {**WAY, "local": True}, "bad-request", "local"),
        ("set_way", {"tag": 7, "sid": "fc00:0:1::9", "local": True}, "not-found", "sid"),
        ("set_way", {"tag": 7, "sid": "fc00:0:1::9", "local": 1}, "bad-request", "local"),
        ("remove_way", {"tag": 7, "sid": "fc00:0:1::9"}, "not-found", "sid"),
    ],
)
def test_it_refuses_by_field(standing: Host, op: str, fields: dict[str, Any], code: str, field: str | None) -> None:
    with pytest.raises(Refused) as refused:
        standing.clients[0].ask(op, **fields)
    assert (refused.value.code, refused.value.field) == (code, field)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"5",
        b'{"op": "hello"} {}',
        b'{"op": "hello", "op": "hello"}',
        b'{"op": "he\\u0000llo"}',
        b"\xff\xfe",
        b'{"id": 1, "op": NaN}',
        b"[" * 5000,
    ],
)
def test_it_refuses_what_is_no_request(standing: Host, line: bytes) -> None:
    answer, _ = standing.clients[0].raw(line + b"\n")
    assert (answer["id"], answer["ok"], answer["error"]["code"]) == (None, False, "bad-request")


def test_it_refuses_a_line_that_is_too_long_and_closes(standing: Host) -> None:
    client = standing.client()
    most = json.dumps({"op": "hello", "id": "x" * 65000}).encode().ljust(65536)
    assert client.raw(most + b"\n")[0]["ok"]
    answer, _ = client.raw(b" " * 65537)
    assert answer["error"]["code"] == "bad-request"
    assert client.socket.recv(1) == b""
    client.socket.close()
    standing.clients.remove(client)


def test_it_talks_with_eight_at_most(standing: Host) -> None:
    more = [Client(standing.socket) for _ in range(9)]
    answers = [client.answer()[0] for client in more[7:]]
    assert {answer["error"]["code"] for answer in answers} == {"no-room"}
    for client in more:
        client.socket.close()


ASK = """
import contextlib, socket, sys
asking = socket.socket(socket.AF_UNIX)
asking.connect(sys.argv[1])
with contextlib.suppress(BrokenPipeError):  # it may have been refused already
    asking.sendall(b'{"op": "hello"}\\n')
print(asking.recv(65536).decode())
"""


def test_only_its_user_and_root_may_ask(tmp_path: Path) -> None:
    """A third one of the same group reaches the socket, and is refused by name."""
    with hosts(tmp_path) as made, tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        host = made.all[0]
        host.socket = Path(folder) / "srv6.sock"
        host.start("--uid", str(NOBODY))

        def asked_by(user: int) -> dict[str, Any]:
            command = [sys.executable, "-c", ASK, str(host.socket)]
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, user=user, group=NOBODY, extra_groups=[]
            )
            answer: dict[str, Any] = json.loads(done.stdout)
            return answer

        assert asked_by(NOBODY)["ok"] and asked_by(0)["ok"]
        assert asked_by(NOBODY - 1)["error"]["code"] == "not-allowed"


def test_a_link_of_another_is_left_alone(tmp_path: Path) -> None:
    with hosts(tmp_path) as made:
        host = made.all[0]
        client = host.start()
        answer, edge = client.add("add_edge", chain="c")
        made.take(edge)
        client.call("remove", chain="c")
        host.inside("ip", "link", "add", answer["link"], "type", "veth", "peer", "name", "other")
        with pytest.raises(Refused) as refused:
            client.ask("add_edge", chain="c")
        assert refused.value.code == "exists"
        host.inside("ip", "link", "set", "other", "alias", "sextant:host1:edge:c")
        host.end()
        assert host.start().call("read")["edges"] == []
        host.end()
        host.clean()
        assert answer["link"] in host.inside("ip", "link", "show")


def test_where_there_is_no_place_for_pins_it_says_why(tmp_path: Path) -> None:
    with hosts(tmp_path) as made:
        host: Host = made.all[0]
        host.pins = tmp_path / "no-such-file-system"
        client = host.start()
        hello = client.call("hello")
        assert hello["adopted"] is False and "mount -t bpf bpf /sys/fs/bpf" in hello["reason"]
        with pytest.raises(Refused) as refused:
            client.ask("read")
        assert refused.value.code == "not-available"


def test_help_and_bad_options() -> None:
    assert "--pins DIR" in shell(DAEMON, "--help")
    done = subprocess.run([DAEMON, "--host", "A/B"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--host" in done.stderr
