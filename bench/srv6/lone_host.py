"""One host of measured packets, with daemon and root helper, in a namespace that goes with it. Root only."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
from ends import FIRST
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.place import Srv6Place
from sextant_domain.hosts.desired import HostContent

HOST = "bench"
DATAPLANE = Path(__file__).resolve().parents[2] / "dataplane"
PROGRAMS = (DATAPLANE / "build", DATAPLANE / "srv6/build")
LIMIT_S = 20.0


@contextmanager
def lone_host() -> Iterator[Srv6Driver]:
    """Its driver; chains, groups, programs and namespace go with it."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="sextant-bench-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        namespace = f"sextant-bench-{os.getpid()}"
        pins = folder / "pins"
        pins.mkdir()
        _shell("mount", "-t", "bpf", "bpf", pins)
        stack.callback(_shell, "umount", pins)
        _shell("ip", "netns", "add", namespace)
        stack.callback(_shell, "ip", "netns", "delete", namespace)
        daemon = [PROGRAMS[1] / "sextant-srv6", "--pins", pins / HOST, "--host", HOST]
        daemon += ["--netns", f"/run/netns/{namespace}"]
        sockets = {name: folder / f"{name}.sock" for name in ("daemon", "helper")}
        stack.callback(_shell, *daemon, "--clean")
        stack.enter_context(_running(folder, sockets["daemon"], *daemon, "--socket", sockets["daemon"]))
        helper = [sys.executable, "-I", "-m", "sextant_agent.helper", "--socket", sockets["helper"], "--host-id", HOST]
        helper += ["--program", PROGRAMS[0] / "sextant-srv6-nf", "--agent-uid", str(os.getuid())]
        stack.callback(_shell, *helper, "--clean")
        stack.enter_context(_running(folder, sockets["helper"], *helper))
        place = {"daemon": sockets["daemon"], "programs": PROGRAMS, "locator": "fc00:0:1::/48"}
        driver = Srv6Driver(HOST, folder, Srv6Place.model_validate(place), helper_socket=sockets["helper"])
        stack.callback(driver.close)
        stack.callback(driver.apply, HostContent(host_id=HOST))
        yield driver


def wait_for(what: str, true: Callable[[], bool]) -> None:
    """Raises TimeoutError."""
    deadline = time.monotonic() + LIMIT_S
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {LIMIT_S:g} s for {what}")
        time.sleep(0.01)


def put_first() -> None:
    """What the driver starts is of sessions of its own: as the bench's (`ends.first`), these come before others."""
    for child in psutil.Process().children(recursive=True):
        with suppress(OSError):  # it has ended, or the kernel groups none
            Path(f"/proc/{child.pid}/autogroup").write_text(str(FIRST))


@contextmanager
def _running(folder: Path, socket: Path, *command: str | Path) -> Iterator[None]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_for(str(socket), socket.exists)
        yield
    finally:
        process.terminate()
        process.wait(timeout=LIMIT_S)


def _shell(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], capture_output=True, check=True, timeout=LIMIT_S)
