"""`python -m sextant_run.simulated`: enrol the simulated hosts where that is due, then become the process that serves
them. Supervised: what fails is tried again."""

import os
import subprocess
import sys
import time

from sextant_run import installation
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.keeper import log
from sextant_run.layout import Layout
from sextant_run.simulated import hosts
from sextant_run.simulated.console import ConsoleError, call, good
from sextant_run.simulated.identity import why_enrol

PATIENCE_S = 120.0
"""For the console, which starts at the same time."""
ENROL_LIMIT_S = 60


def main() -> None:
    """Raises SystemExit where the hosts cannot be enrolled; else never returns."""
    layout = Layout.of_environment()
    present = installation.load(layout)
    if present is None or not present.demo_hosts:
        raise RunError(f"{layout.data} has no simulated hosts", "make up")
    try:
        cause = _why_enrol(layout, present)
        if cause is not None:
            log("enrolling", hosts=hosts.in_words(present.demo_hosts), cause=cause)
            _enrol(layout, present)
    except (ConsoleError, subprocess.SubprocessError) as error:
        log("the simulated hosts could not be enrolled", cause=str(error), next_step="it is tried again")
        raise SystemExit(1) from None
    os.execv(sys.executable, [sys.executable, "-m", "sextant_agent", "twin"])  # noqa: S606 - our own program


def _why_enrol(layout: Layout, present: Installation) -> str | None:
    names = hosts.names(present.demo_hosts)
    cause = why_enrol(layout.pki / "simulated", layout.pki / "ca.crt", names)
    if cause is None and not any(_is_known(layout, name) for name in names):
        return "the console knows none of them"  # its database was made anew
    return cause


def _is_known(layout: Layout, host_id: str) -> bool:
    """Waits for the console; raises ConsoleError."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            answer = call(layout, "GET", f"/hosts/{host_id}")
            break
        except ConsoleError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
    if answer.status == 404:
        return False
    good(answer)
    return True


def _enrol(layout: Layout, present: Installation) -> None:
    """As an operator would: a token for several hosts, and `sextant-agent enrol` with it."""
    _is_known(layout, hosts.names(1)[0])
    asked = {"host": hosts.PATTERN, "count": present.demo_hosts, "labels": hosts.LABELS}
    made = good(call(layout, "POST", "/enrolments", asked))
    where = ("--pki-dir", str(layout.pki / "simulated"), "--listen", os.environ["SEXTANT_AGENT_LISTEN"], "--replace")
    command = [sys.executable, "-m", "sextant_agent", "enrol", "--console", present.fleet_url, "--token-file", "-"]
    done = subprocess.run(  # noqa: S603 - our own program
        [*command, *where], input=made["token"], text=True, capture_output=True, timeout=ENROL_LIMIT_S, check=False
    )
    if done.returncode != 0:
        raise ConsoleError(done.stderr.strip()[-500:])
    log("enrolled", answer=done.stdout.strip().splitlines()[0])


if __name__ == "__main__":
    main()
