"""A console in this process, and the command pointed at it."""

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from sextant_cli.main import app
from typer.testing import CliRunner, Result

from .console import FakeConsole
from .server import TOKEN, Handler


class Sextant:
    """Runs the command in this process against one address."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, *args: str, token: str = TOKEN, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, ["--url", self.url, "--token", token, *args], input=stdin)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks every 10 ms: this console is in the same process."""
    monkeypatch.setattr("sextant_cli.waiting.POLL_S", 0.01)
    monkeypatch.setattr("sextant_client.transport.PAUSE_S", 0.01)


@pytest.fixture
def console(request: pytest.FixtureRequest) -> Iterator[FakeConsole]:
    """A console on a free port."""
    state = FakeConsole()
    handler = type("Handler", (Handler,), {"console": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def sextant(console: FakeConsole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sextant:
    """The command, pointed at that console, in a folder without a data folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("SEXTANT_URL", "SEXTANT_TOKEN", "SEXTANT_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    return Sextant(console.url)


@pytest.fixture
def chain_file(tmp_path: Path) -> Path:
    """A chain of three NFs at 0.1 Mpps."""
    path = tmp_path / "edge.yaml"
    path.write_text(
        "apiVersion: sextant/v1\nkind: Chain\nname: edge\nnfs: [router, firewall, basic-monitor]\n"
        "traffic:\n  rate_mpps: 0.1\n  packet_bytes: 128\n"
    )
    return path
