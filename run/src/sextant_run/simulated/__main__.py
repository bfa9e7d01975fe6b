"""`python -m sextant_run.simulated [demo]`: enrol simulated hosts where that is due, then become the process that
serves them. Supervised: what fails is tried again."""

import os
import runpy
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sextant_run import installation
from sextant_run.console_client import ConsoleError, call, good
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.log import log
from sextant_run.ports import LOOPBACK, any_free
from sextant_run.simulated import demo
from sextant_run.simulated.hosts import Group, beside, demonstration
from sextant_run.simulated.identity import why_enrol

PATIENCE_S = 120.0
"""For the console, which starts at the same time."""
ENROL_LIMIT_S = 180
"""Of a thousand hosts on a busy machine."""

T = TypeVar("T")


def main() -> None:
    """Raises SystemExit where the hosts cannot be enrolled; else never returns."""
    layout = DataLayout.of_environment()
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    name = demo.PROGRAM if demo.PROGRAM in sys.argv[1:] else "simulated"
    try:
        group, listen = _group(layout, present, name)
        settings = _settings(layout, present, name, group, listen)
        cause = _why_enrol(layout, layout.pki / name, group)
        if cause is not None:
            log("enrolling", hosts=str(group), cause=cause)
            _enrol(layout, present, group, settings)
    except (ConsoleError, subprocess.SubprocessError) as error:
        log("the simulated hosts could not be enrolled", cause=str(error), next_step="it is tried again")
        raise SystemExit(1) from None
    os.environ.update(settings)
    sys.argv = ["sextant-agent", "twin"]
    runpy.run_module("sextant_agent", run_name="__main__", alter_sys=True)


def _group(layout: DataLayout, present: Installation, name: str) -> tuple[Group, str]:
    """Which hosts, and where their process listens."""
    if name == demo.PROGRAM:
        hosts = _patiently(lambda: demo.wanted(layout))
        if not hosts:
            raise ConsoleError("nobody wants a demonstration fleet any more")
        demo.note_size(layout, hosts)
        return demonstration(hosts), f"{LOOPBACK}:{any_free()}"
    return beside(present.demo_hosts), f"{LOOPBACK}:{present.simulated_port}"


def _settings(layout: DataLayout, present: Installation, name: str, group: Group, listen: str) -> dict[str, str]:
    return {
        "SEXTANT_AGENT_HOSTS": group.spec,
        "SEXTANT_AGENT_LISTEN": listen,
        "SEXTANT_AGENT_URL": f"https://{listen}",  # not what was noted when they were enrolled: the port may change
        "SEXTANT_AGENT_STATE_DIR": str(layout.data / name),
        "SEXTANT_AGENT_PKI_DIR": str(layout.pki / name),
        "SEXTANT_AGENT_FLEET_URL": present.fleet_url,
    }


def _why_enrol(layout: DataLayout, pki: Path, group: Group) -> str | None:
    cause = why_enrol(pki, layout.pki / "ca.crt", group.names)
    if cause is None and not any(_is_known(layout, name) for name in group.names):
        return "the console knows none of them"  # its database was made again
    return cause


def _is_known(layout: DataLayout, host_id: str) -> bool:
    """Raises ConsoleError."""
    answer = _patiently(lambda: call(layout, "GET", f"/hosts/{host_id}"))
    if answer.status == 404:
        return False
    good(answer)
    return True


def _enrol(layout: DataLayout, present: Installation, group: Group, settings: dict[str, str]) -> None:
    """As an operator would: a token for several hosts, and `sextant-agent enrol` with it."""
    asked = {"host": group.pattern, "count": group.count, "labels": dict(group.labels)}
    made = good(_patiently(lambda: call(layout, "POST", "/enrolments", asked)))
    where = ("--pki-dir", settings["SEXTANT_AGENT_PKI_DIR"], "--listen", settings["SEXTANT_AGENT_LISTEN"])
    command = [sys.executable, "-m", "sextant_agent", "enrol", "--console", present.fleet_url, "--token-file", "-"]
    done = subprocess.run(  # noqa: S603 - our own program
        [*command, *where, "--replace"],
        input=made["token"],
        text=True,
        capture_output=True,
        timeout=ENROL_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise ConsoleError(done.stderr.strip()[-500:])
    log("enrolled", answer=done.stdout.strip().splitlines()[0])


def _patiently(ask: Callable[[], T]) -> T:
    """What the console answers once it is there. Raises ConsoleError."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return ask()
        except ConsoleError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


if __name__ == "__main__":
    main()
