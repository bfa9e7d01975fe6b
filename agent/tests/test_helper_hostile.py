"""The root helper against peers that mean it ill: everything is refused by name, and nothing is changed."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from .conftest import helper_in, program_in
from .helper_process import Asking, HelperProcess, let_in, why_no_groups

WHY_NOT = why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")
NOBODY = 65534
GOOD_SET = {"nf_id": "web.router", "weight": 100, "quota_percent": None}
BAD_IDS = [
    "", ".", "..", "web", "web.", ".router", "../web.router", "web.router/..", "web/x.router", "/etc.x", "web.router\n",
    "web.router\0", "Web.router", "web.ro uter", "web.rou.ter", "-web.router", "web-.router", "wéb.router",
    "x" * 64 + ".y", "a." + "b" * 64, "a" * 5000, "٣.٣", None, True, 7, 1.5, [], ["a.b"], {"nf_id": "web.router"},
]  # fmt: skip


class TestHostileRequests:
    """Everything here is refused by name, changes nothing, and leaves the helper answering: one bears all of it."""

    @pytest.fixture(scope="class")
    @classmethod
    def helper(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HelperProcess]:
        folder = tmp_path_factory.mktemp("hostile")
        yield from helper_in(folder, program_in(folder))

    @pytest.fixture(autouse=True)
    def _answers_afterwards(self, helper: HelperProcess) -> Iterator[None]:
        yield
        assert helper.process is not None and helper.process.poll() is None
        with closing(let_in(helper)) as after:
            assert after.ask("list")["nfs"] == [], "nothing was made"

    def test_ids_that_are_paths_or_none_at_all(self, asking: Asking) -> None:
        for bad in BAD_IDS:
            for op, more in (("read", {}), ("remove", {}), ("place", {"pid": 2}), ("set_cpu", GOOD_SET)):
                found = asking.send(json.dumps({"id": 1, "op": op, **more, "nf_id": bad}).encode()[:4000] + b"\n")
                assert found is not None
                assert found["error"]["code"] == "bad-request", (op, bad)

    def test_an_id_that_is_a_controllers_file(self, asking: Asking, helper: HelperProcess) -> None:
        """`cpu.max` is an NF id like another: chain cpu, NF max."""
        assert asking.ask("set_cpu", **(GOOD_SET | {"nf_id": "cpu.max"}))["ok"]
        assert helper.group("cpu.max").is_dir()
        assert asking.ask("remove", nf_id="cpu.max")["ok"]

    @pytest.mark.parametrize("pid", [0, 1, -1, -(2**31), 2**22 + 1, 2**64, "2", "self", 2.0, True, None, [2], {}])
    def test_pids(self, asking: Asking, pid: object) -> None:
        assert asking.refused("place", nf_id="web.router", pid=pid) == ("bad-request", "pid")

    @pytest.mark.parametrize("weight", [0, -1, 10_001, 2**80, 1.5, "100", True, None, [], {}])
    def test_weights(self, asking: Asking, weight: object) -> None:
        assert asking.refused("set_cpu", **(GOOD_SET | {"weight": weight})) == ("bad-request", "weight")

    @pytest.mark.parametrize("quota", [0, 0.99, -5, 100.01, 1e308, 2**80, "50", True, [], {}])
    def test_quotas(self, asking: Asking, quota: object) -> None:
        assert asking.refused("set_cpu", **(GOOD_SET | {"quota_percent": quota})) == ("bad-request", "quota_percent")

    @pytest.mark.parametrize("op", ["", "exec", "PLACE", "__init__", "_hello", "answer", "hello ", None, 1, [], {}])
    def test_verbs_that_there_are_not(self, asking: Asking, op: object) -> None:
        answer = asking.send(json.dumps({"id": 7, "op": op, "path": "/etc/passwd"}).encode() + b"\n")
        assert answer is not None
        assert (answer["error"]["code"], answer["error"]["field"]) == ("unknown-op", "op")

    def test_fields_too_many_and_too_few(self, asking: Asking) -> None:
        assert asking.refused("hello", path="/etc") == ("bad-request", "path")
        assert asking.refused("read") == ("bad-request", "nf_id")
        assert asking.refused("set_cpu", nf_id="web.router", weight=1) == ("bad-request", "quota_percent")
        assert asking.refused("place", nf_id="web.router", pid=2, group="x" * 3000)[0] == "bad-request"

    @pytest.mark.parametrize(
        "line",
        [
            b"", b"null", b"[]", b"7", b'"hello"', b"{", b"{}}", b"\xff\xfe", b"\0", b"[" * 4000, b'{"a":' * 800,
            b'{"id": 1, "op": "hello", "op": "list"}', b'{"id": NaN, "op": "hello"}', b'{"id": 1e400, "op": "hello"}',
            b'{"id": ' + b"9" * 4000 + b', "op": "hello"}', b'{"op": "hello"}', b'{"id": -1, "op": "hello"}',
            b'{"id": "1", "op": "hello"}',
            b'{"id": 1, "op": "set_cpu", "nf_id": "a.b", "weight": 1, "quota_percent": NaN}',
        ],
    )  # fmt: skip
    def test_lines_that_are_no_requests(self, asking: Asking, line: bytes) -> None:
        answer = asking.send(line + b"\n")
        assert answer is not None
        assert answer["error"]["code"] == "bad-request"
        assert asking.ask("hello")["ok"], "the connection goes on"

    def test_random_bytes(self, asking: Asking) -> None:
        dice = random.Random(1)
        for _ in range(300):
            line = dice.randbytes(dice.randrange(200)).replace(b"\n", b"")
            answer = asking.send(line + b"\n")
            assert answer is not None and answer["ok"] is False

    def test_a_line_without_end_is_cut_off(self, asking: Asking) -> None:
        answer = asking.send(b"x" * 10_000)
        assert answer is not None
        assert "more than 4096 bytes" in answer["error"]["message"]
        with suppress(ConnectionResetError):  # what was not read is thrown away
            assert asking.lines.readline() == b""

    def test_a_long_line_within_one_reading_is_refused_too(self, asking: Asking) -> None:
        answer = asking.send(b" " * 4090 + b'{"id": 1, "op": "hello"}\n')
        assert answer is not None
        assert "more than 4096 bytes" in answer["error"]["message"]

    def test_more_connections_than_there_are_places(self, helper: HelperProcess) -> None:
        with ExitStack() as held:
            for _ in range(8):
                held.enter_context(closing(let_in(helper)))
            late = held.enter_context(closing(Asking(helper.socket)))
            answer = json.loads(late.lines.readline())
            assert answer["error"]["code"] == "no-room"
        let_in(helper).close()

    def test_a_peer_that_asks_and_never_reads_holds_nobody_up(self, helper: HelperProcess) -> None:
        with closing(let_in(helper)) as silent:
            silent.connection.setblocking(False)
            with suppress(BlockingIOError):
                while True:
                    silent.connection.send(b'{"id": 1, "op": "hello"}\n' * 100)
            let_in(helper).close()


class TestWhoMayAsk:
    def test_another_user_is_refused_even_where_the_folder_lets_it_in(self, tmp_path: Path, program: Path) -> None:
        """The helper serves user nobody here, and root is the stranger."""
        helper = HelperProcess(tmp_path, program, uid=NOBODY).start()
        try:
            stranger = Asking(helper.socket)
            answer = json.loads(stranger.lines.readline())
            assert answer["error"]["code"] == "not-allowed"
            assert stranger.lines.readline() == b""
            stranger.close()
            assert "refused process" in helper.log.read_text()
        finally:
            helper.end_all()

    def test_the_socket_is_roots_and_the_agents_groups_alone(self, tmp_path: Path, program: Path) -> None:
        helper = HelperProcess(tmp_path, program, uid=NOBODY).start()
        found = helper.socket.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (0, NOBODY, 0o660)
        helper.end_all()

    @pytest.mark.parametrize("make", ["open to all", "another user's", "a link"])
    def test_a_folder_that_others_control_is_refused(self, tmp_path: Path, program: Path, make: str) -> None:
        folder = tmp_path / "folder"
        folder.mkdir(mode=0o700)
        helper = HelperProcess(folder, program)
        if make == "open to all":
            folder.chmod(0o777)
        elif make == "another user's":
            os.chown(folder, NOBODY, NOBODY)
        else:
            folder.rename(tmp_path / "elsewhere")
            (tmp_path / "elsewhere").chmod(0o777)
            folder.symlink_to(tmp_path / "elsewhere")
        done = subprocess.run(helper.command(), capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert "writable by nobody else" in done.stderr
        assert not helper.socket.exists()
        folder = folder.resolve()
        assert HelperProcess(folder, program).clean().returncode == 0

    @pytest.mark.parametrize("planted", ["a file", "a link"])
    def test_what_lies_in_the_sockets_place_is_not_removed(self, tmp_path: Path, program: Path, planted: str) -> None:
        """Whoever owns the folder could put a link to any file there."""
        treasure = tmp_path / "treasure"
        treasure.write_text("gold")
        helper = HelperProcess(tmp_path, program)
        if planted == "a file":
            treasure.rename(helper.socket)
        else:
            helper.socket.symlink_to(treasure)
        done = subprocess.run(helper.command(), capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert "is no socket" in done.stderr
        assert helper.socket.read_text() == "gold"
        assert helper.clean().returncode == 0

    def test_only_root_can_start_it(self, tmp_path: Path, program: Path) -> None:
        _, _, _, *arguments = HelperProcess(tmp_path, program).command()
        become = f"import os, sys; from sextant_agent.helper.__main__ import main; os.setuid({NOBODY}); main()"
        command = [sys.executable, "-c", become, *arguments[1:]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert "start it as root" in done.stderr
