"""The agent's side of the root helper's socket: whoever answers, every way ends in a named error."""

import os
import signal
import socket
import threading
from pathlib import Path

import pytest
from sextant_agent.control.helper_client import HelperClient, HelperError, HelperRefused
from sextant_agent.machine.proc import read_stat

from .helper_process import HelperProcess, why_no_groups
from .waiting import wait_for

WHY_NOT = why_no_groups()
needs_groups = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")


class TestTheAgentsClient:
    def test_a_stranger_at_the_socket_is_not_asked(self, tmp_path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "s"))
            listener.listen()
            with pytest.raises(HelperError, match=f"runs as user {os.getuid()}, not as 12345"):
                HelperClient(tmp_path / "s", helper_uid=12345).hello()

    @pytest.mark.parametrize("said", [b"nonsense\n", b"[]\n", b"{}\n", b'{"id": 9, "ok": true, "nfs": []}\n', b""])
    def test_nonsense_is_named(self, tmp_path: Path, said: bytes) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "s"))
            listener.listen()
            client = HelperClient(tmp_path / "s", helper_uid=os.getuid())

            def answer() -> None:
                connection, _ = listener.accept()
                connection.recv(1000)
                connection.sendall(said)
                connection.close()

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(HelperError):
                client.groups()
            thread.join(timeout=60)

    @needs_groups
    def test_a_helper_that_hangs_is_asked_again_only_after_a_while(
        self, helper: HelperProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sextant_agent.control.helper_client.TIMEOUT_S", 0.3)
        monkeypatch.setattr("sextant_agent.control.helper_client.REST_S", 3600.0)
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

    @needs_groups
    def test_a_refusal_keeps_the_connection(self, helper: HelperProcess) -> None:
        client = HelperClient(helper.socket)
        with pytest.raises(HelperRefused, match="not an NF of this host") as refusal:
            client.place("web.router", 2)
        assert refusal.value.code == "not-allowed"
        assert client.hello().controllers == ("cpu",)
        client.close()
