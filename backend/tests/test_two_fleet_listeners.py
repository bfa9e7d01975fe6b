"""Two fleet listeners beside each other, as processes: a host that changes over is stored once, whatever it repeats."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from console_world import a_batch, wait_until
from pki_world import Authority
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_run.ports import any_free
from sqlalchemy import text

TELEMETRY = "/fleet/v1/telemetry"
_JSON = {"Content-Type": "application/json"}


class Beside:
    """A listener process, and edge-1's connection to it."""

    def __init__(self, authority: Authority, folder: Path) -> None:
        port = any_free()
        with (folder / "fleet.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sextant_backend", "fleet", "--port", str(port)],
                env={**os.environ, "SEXTANT_PKI_DIR": str(authority.folder)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        edge = authority.issue("edge-1", ["urn:sextant:host:edge-1"], ["edge-1.host.sextant"])
        self.http = httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=authority.client(edge), timeout=60)
        self.http.headers["Host"] = "fleet.sextant"
        self.http.event_hooks["request"] = [lambda request: request.extensions.update(sni_hostname="fleet.sextant")]

    def send(self, sequence: int) -> bool:
        """Whether it took the batch."""
        try:
            answer = self.http.post(TELEMETRY, content=a_batch(sequence).model_dump_json(), headers=_JSON)
        except httpx.TransportError:
            return False
        assert answer.status_code == 200, answer.text
        return True

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        self.http.close()
        self.kill()


@pytest.fixture
def listeners(clean: object, tmp_path: Path) -> Iterator[tuple[Beside, Beside]]:
    authority = Authority(tmp_path, "fleet")
    authority.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    with session_scope() as session:
        hosts.enrol(session, "edge-1", {})
    with ExitStack() as stack:
        both = tuple(Beside(authority, tmp_path) for _ in range(2))
        for one in both:
            stack.callback(one.end)
        for one in both:
            wait_until(lambda one=one: one.send(1))
        yield both[0], both[1]


def test_what_is_sent_to_one_and_again_to_the_other_is_stored_once(listeners: tuple[Beside, Beside]) -> None:
    """Twelve batches, each sent to one and, as if its answer had been lost, to the other; after the sixth the first is
    killed. Every batch has one sample of one chain."""
    first, second = listeners
    for sequence in range(2, 13):
        if sequence == 7:
            first.kill()
        assert [first.send(sequence), second.send(sequence)] == [sequence < 7, True]
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM chain_samples")) == 12
        assert session.scalar(text("SELECT sequence FROM latest_hosts")) == 12
        assert session.scalar(text("SELECT status FROM hosts")) == "up"
