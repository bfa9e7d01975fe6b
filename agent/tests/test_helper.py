"""The root helper as a process, against the kernel's own groups, and against peers that mean it ill."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sextant_agent.helper_client import HelperClient, HelperError, HelperRefused
from sextant_agent.proc import read_stat

from .helper_process import Asking, HelperProcess, hierarchy, why_no_groups
from .orders import HOST
from .waiting import wait_for

WHY_NOT = why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")
NOBODY = 65534


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Stands in for the runner: the helper knows it by its path alone. A shell, so that it can also be busy."""
    return Path(shutil.copy(Path("/bin/sh").resolve(), tmp_path / "runner"))


@pytest.fixture
def helper(tmp_path: Path, program: Path) -> Iterator[HelperProcess]:
    helper = HelperProcess(tmp_path, program)
    yield helper.start()
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left of it"


@pytest.fixture
def asking(helper: HelperProcess) -> Iterator[Asking]:
    asking = Asking(helper.socket)
    yield asking
    asking.close()


@pytest.fixture
def nf(program: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the registered program that takes all the CPU it gets."""
    process = subprocess.Popen([program, "-c", "while :; do :; done"])
    yield process
    process.kill()
    process.wait()


def groups_of(pid: int) -> set[str]:
    lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    return {
        place for _, controllers, place in (line.split(":", 2) for line in lines) if "cpu" in controllers.split(",")
    }


def test_it_says_what_the_machine_has(asking: Asking, helper: HelperProcess) -> None:
    hello = asking.ask("hello")
    assert (hello["version"], hello["cgroup"], hello["controllers"]) == (1, hierarchy().version, ["cpu"])
    assert hello["subtree"] == helper.subtree
    assert hello["reason"] is None


def test_it_keeps_no_right_that_it_does_not_need(helper: HelperProcess) -> None:
    """Of the 41 capabilities of root: to see what others run, and to make folders where nobody may write."""
    assert helper.process is not None
    status = Path(f"/proc/{helper.process.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    needed = 1 << 19 | (0 if hierarchy().cpu.stat().st_mode & 0o200 else 1 << 1)
    for name in ("CapEff", "CapPrm", "CapBnd"):
        assert int(fields[name], 16) == needed, name
    assert (int(fields["CapAmb"], 16), fields["NoNewPrivs"]) == (0, "1")


def test_it_imports_the_standard_library_only() -> None:
    code = "import sys, sextant_agent.helper.__main__; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    named = {name.partition(".")[0] for name in done.stdout.split()}
    environments_own = {"_distutils_hack", "_virtualenv"}  # what some virtual environments load into every Python
    assert named - set(sys.stdlib_module_names) - environments_own == {"sextant_agent", "__main__"}
    assert not named & {"ssl", "http", "asyncio", "subprocess"}


def test_a_process_is_placed_weighed_limited_and_read(
    asking: Asking, helper: HelperProcess, nf: subprocess.Popen[bytes]
) -> None:
    assert asking.ask("set_cpu", nf_id="web.router", weight=300, quota_percent=20)["ok"]
    assert asking.ask("place", nf_id="web.router", pid=nf.pid)["ok"]
    assert f"/{helper.subtree}/nf-web.router" in groups_of(nf.pid)

    def throttled() -> bool:
        return bool(asking.ask("read", nf_id="web.router")["throttled_periods"] > 3)

    wait_for("the quota holds it back", throttled)
    found = asking.ask("read", nf_id="web.router")
    assert (found["pids"], found["weight"], found["quota_percent"]) == ([nf.pid], 300, 20.0)
    assert found["cpu_ns"] > 0 and found["throttled_ns"] > 0
    assert found["periods"] >= found["throttled_periods"]
    assert asking.ask("list")["nfs"][0]["nf_id"] == "web.router"
    assert asking.ask("set_cpu", nf_id="web.router", weight=1, quota_percent=None)["ok"]
    found = asking.ask("read", nf_id="web.router")
    assert (found["pids"], found["weight"], found["quota_percent"]) == ([nf.pid], 1, None)


def test_a_group_goes_when_its_process_has_gone_and_not_before(asking: Asking, nf: subprocess.Popen[bytes]) -> None:
    asking.ask("place", nf_id="web.router", pid=nf.pid)
    assert asking.refused("remove", nf_id="web.router") == ("busy", "nf_id")
    assert asking.ask("clean")["removed"] == []
    nf.kill()
    nf.wait()
    assert asking.ask("remove", nf_id="web.router")["ok"]
    assert asking.refused("read", nf_id="web.router") == ("not-found", "nf_id")


def test_groups_with_a_process_survive_a_killed_helper_and_the_others_are_cleaned(
    helper: HelperProcess, nf: subprocess.Popen[bytes]
) -> None:
    client = HelperClient(helper.socket)
    client.set_cpu("web.router", 200, 50)
    client.place("web.router", nf.pid)
    client.set_cpu("web.gone", 100, None)
    helper.kill(signal.SIGKILL)
    with pytest.raises(HelperError, match="no root helper answers"):
        client.groups()
    helper.start()
    found = client.groups()
    assert set(found) == {"web.router"}, "what no process is in was removed at the start"
    assert (found["web.router"].weight, found["web.router"].quota_percent) == (200, 50.0)
    assert not helper.group("web.gone").exists()
    client.close()


def test_ending_leaves_what_runs_and_cleaning_says_so(helper: HelperProcess, nf: subprocess.Popen[bytes]) -> None:
    client = HelperClient(helper.socket)
    client.place("web.router", nf.pid)
    client.close()
    helper.kill(signal.SIGTERM)
    done = helper.clean()
    assert done.returncode == 1
    assert "web.router" in done.stderr and "end the runner first" in done.stderr
    assert helper.group("web.router").exists()
    nf.kill()
    nf.wait()
    assert helper.clean().returncode == 0


def test_what_a_vanished_installation_left_is_removed_by_the_next(tmp_path: Path, program: Path) -> None:
    """Its data folder is gone, so nobody will ever start a helper on that socket again."""
    folder = tmp_path / "vanished"
    folder.mkdir()
    vanished = HelperProcess(folder, program).start()
    client = HelperClient(vanished.socket)
    client.set_cpu("web.router", 200, None)
    client.close()
    vanished.kill(signal.SIGKILL)
    left = hierarchy().cpu / vanished.subtree
    assert left.exists()
    following = HelperProcess(tmp_path, program).start()
    assert not left.exists()
    following.end_all()


def test_a_second_helper_on_the_same_groups_ends_at_once_and_disturbs_nothing(
    helper: HelperProcess, asking: Asking
) -> None:
    done = subprocess.run(helper.command(), capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, "another helper holds" in done.stderr) == (1, True)
    assert asking.ask("hello")["ok"]
    Asking(helper.socket).close()


class TestProcessesThatAreNotNfs:
    """Whose processes may be moved: the registered program's, of the agent's user, and nobody else's."""

    def test_others(self, asking: Asking) -> None:
        sleeper = subprocess.Popen(["/bin/sleep", "60"])
        try:
            for pid in (sleeper.pid, os.getpid(), os.getppid(), 2):
                assert asking.refused("place", nf_id="web.router", pid=pid) == ("not-allowed", "pid")
            assert not any("sextant" in place for place in groups_of(sleeper.pid))
        finally:
            sleeper.kill()
            sleeper.wait()

    def test_init_is_refused_by_its_number(self, asking: Asking) -> None:
        assert asking.refused("place", nf_id="web.router", pid=1) == ("bad-request", "pid")

    def test_one_that_has_ended(self, asking: Asking, nf: subprocess.Popen[bytes]) -> None:
        nf.kill()
        os.waitid(os.P_PID, nf.pid, os.WEXITED | os.WNOWAIT)  # a zombie still has its pid
        assert asking.refused("place", nf_id="web.router", pid=nf.pid) == ("not-allowed", "pid")
        nf.wait()
        assert asking.refused("place", nf_id="web.router", pid=nf.pid) == ("not-allowed", "pid")

    def test_the_right_program_of_another_user(self, asking: Asking, tmp_path: Path, program: Path) -> None:
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(folder.stat().st_mode | 0o011)
        process = subprocess.Popen([program, "-c", "while :; do :; done"], user=NOBODY, group=NOBODY)
        try:
            assert asking.refused("place", nf_id="web.router", pid=process.pid) == ("not-allowed", "pid")
        finally:
            process.kill()
            process.wait()

    def test_a_program_that_was_built_anew_meanwhile(
        self, asking: Asking, program: Path, nf: subprocess.Popen[bytes]
    ) -> None:
        """Its NFs go on running the old file, which has no name any more."""
        program.unlink()
        assert asking.ask("place", nf_id="web.router", pid=nf.pid)["ok"]


GOOD_SET = {"nf_id": "web.router", "weight": 100, "quota_percent": None}
BAD_IDS = [
    "", ".", "..", "web", "web.", ".router", "../web.router", "web.router/..", "web/x.router", "/etc.x", "web.router\n",
    "web.router\0", "Web.router", "web.ro uter", "web.rou.ter", "-web.router", "web-.router", "wéb.router",
    "x" * 64 + ".y", "a." + "b" * 64, "a" * 5000, "٣.٣", None, True, 7, 1.5, [], ["a.b"], {"nf_id": "web.router"},
]  # fmt: skip


class TestHostileRequests:
    """Everything here is refused by name, changes nothing, and leaves the helper answering."""

    @pytest.fixture(autouse=True)
    def _answers_afterwards(self, helper: HelperProcess) -> Iterator[None]:
        yield
        after = Asking(helper.socket)
        assert after.ask("list")["nfs"] == [], "nothing was made"
        after.close()

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
        held = [Asking(helper.socket) for _ in range(8)]
        assert all(each.ask("hello")["ok"] for each in held)
        late = Asking(helper.socket)
        answer = json.loads(late.lines.readline())
        assert answer["error"]["code"] == "no-room"
        for each in (*held, late):
            each.close()

        def served_again() -> bool:
            again = Asking(helper.socket)
            try:
                found = again.send(b'{"id": 1, "op": "hello"}\n')
                return bool(found and found["ok"])
            except OSError:
                return False
            finally:
                again.close()

        wait_for("a place is free again", served_again)

    def test_a_peer_that_asks_and_never_reads_holds_nobody_up(self, helper: HelperProcess) -> None:
        silent = Asking(helper.socket)
        silent.connection.setblocking(False)
        try:
            while True:
                silent.connection.send(b'{"id": 1, "op": "hello"}\n' * 100)
        except BlockingIOError:
            pass
        other = Asking(helper.socket)
        assert other.ask("hello")["ok"]
        other.close()
        silent.close()


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

    def test_only_root_can_start_it(self, tmp_path: Path, program: Path) -> None:
        _, _, _, *arguments = HelperProcess(tmp_path, program).command()
        become = f"import os, sys; from sextant_agent.helper.__main__ import main; os.setuid({NOBODY}); main()"
        command = [sys.executable, "-c", become, *arguments[1:]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert "start it as root" in done.stderr


class TestTheAgentsClient:
    def test_a_stranger_at_the_socket_is_not_asked(self, tmp_path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "s"))
            listener.listen()
            with pytest.raises(HelperError, match="runs as user 0, not as 12345"):
                HelperClient(tmp_path / "s", helper_uid=12345).hello()

    @pytest.mark.parametrize("said", [b"nonsense\n", b"[]\n", b"{}\n", b'{"id": 9, "ok": true, "nfs": []}\n', b""])
    def test_nonsense_is_named(self, tmp_path: Path, said: bytes) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "s"))
            listener.listen()
            client = HelperClient(tmp_path / "s")

            def answer() -> None:
                connection, _ = listener.accept()
                connection.recv(1000)
                connection.sendall(said)
                connection.close()

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(HelperError):
                client.groups()
            thread.join(timeout=10)

    def test_a_helper_that_hangs_is_asked_again_only_after_a_while(
        self, helper: HelperProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sextant_agent.helper_client.TIMEOUT_S", 0.3)
        monkeypatch.setattr("sextant_agent.helper_client.REST_S", 3600.0)
        client = HelperClient(helper.socket)
        client.hello()
        assert helper.process is not None
        pid = helper.process.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_for("it stands still", lambda: (found := read_stat(pid)) and found.state == "T")
            with pytest.raises(HelperError, match="did not answer list in time"):
                client.groups()
            with pytest.raises(HelperError, match="asked again soon"):
                client.groups()
        finally:
            os.kill(pid, signal.SIGCONT)

    def test_a_refusal_keeps_the_connection(self, helper: HelperProcess) -> None:
        client = HelperClient(helper.socket)
        with pytest.raises(HelperRefused, match="not an NF of this host's runner") as refusal:
            client.place("web.router", 2)
        assert refusal.value.code == "not-allowed"
        assert client.hello().controllers == ("cpu",)
        client.close()


def test_the_host_id_of_the_tests_is_one(helper: HelperProcess) -> None:
    assert helper.subtree.startswith(f"sextant/{HOST}.")
