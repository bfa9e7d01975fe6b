"""A console of the bench's own, as a process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

PASSWORD = "of the bench, and of nobody else"


@contextmanager
def console(folder: Path, **settings: str) -> Iterator[tuple[str, psutil.Process]]:
    """Its address and process, with these environment variables beside the bench's own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "sextant_backend", "console", "--port", str(port)]
    with (folder / "console.log").open("wb") as log:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **settings}
        )
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"{url}/healthz")
                break
            except httpx.HTTPError:
                if time.monotonic() > deadline or child.poll() is not None:
                    raise
                time.sleep(0.1)
        yield url, psutil.Process(child.pid)
    finally:
        child.terminate()
        child.wait(20)
