"""The keeper: renews certificates in time, tries again what supervisord gave up on, starts again what stands still, and
has the demonstration fleet served as it was asked for.

It sleeps nearly always and imports no cryptography: renewal is a process of its own, a few times a day.
"""

import contextlib
import json
import signal
import subprocess
import sys
import time
from types import FrameType

from sextant_run import supervisor_client
from sextant_run.console_client import ConsoleError
from sextant_run.guard import Guard
from sextant_run.layout import DataLayout
from sextant_run.log import log
from sextant_run.simulated import demo
from sextant_run.standstill import CHECK_EVERY_S, Follower

INTERVAL_S = 30.0
"""Short against a certificate's 24 hours, so that a machine that slept renews as soon as it wakes."""
DEMO_INTERVAL_S = 5.0
"""Short against the seconds that its hosts take to join."""


def renew_certificates() -> float:
    """Run `sextant_run renew-certificates`; returns when to come again, seconds since 1970."""
    command = [sys.executable, "-m", "sextant_run", "renew-certificates"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - ourselves
    if done.returncode != 0:
        log("certificates could not be renewed", cause=done.stderr.strip()[-500:], next_try_s=INTERVAL_S)
        return 0.0
    answer = json.loads(done.stdout)
    if answer["renewed"]:
        log("certificates renewed", identities=answer["renewed"])
    if answer["simulated_ended"]:
        enrol_simulated_again(DataLayout.of_environment())
    return float(answer["next_renewal_at"])


def enrol_simulated_again(layout: DataLayout) -> None:
    """Its certificates ended while nobody could renew them (the machine slept); it enrols when it starts."""
    for process in supervisor_client.processes(layout.supervisor_socket):
        if process.name == "simulated" and process.pid:
            log("starting again", process=process.name, cause="its certificates have ended")
            supervisor_client.restart(layout.supervisor_socket, process)


def try_again(layout: DataLayout) -> None:
    """Start what supervisord calls FATAL: its tries were used up while, say, the disk was full."""
    for process in supervisor_client.processes(layout.supervisor_socket):
        if process.state == "FATAL":
            log("starting again", process=process.name, cause=process.detail)
            supervisor_client.start_again(layout.supervisor_socket, process)


def main() -> None:
    """Until SIGTERM."""
    signal.signal(signal.SIGTERM, _end)
    layout = DataLayout.of_environment()
    layout.keeper_sign.touch()
    follower, guard = Follower(layout), Guard(layout.keeper_sign)
    renew_at = follow_at = check_at = 0.0
    while True:
        layout.keeper_sign.touch()
        with contextlib.suppress(OSError, ConsoleError):  # said below, or by the console's own log
            demo.follow(layout)
        if time.monotonic() >= follow_at:
            follow_at = time.monotonic() + CHECK_EVERY_S
            guard.follow()
            follow(layout, follower)
        if time.monotonic() < check_at:
            time.sleep(DEMO_INTERVAL_S)
            continue
        check_at = time.monotonic() + INTERVAL_S
        try:
            if time.time() >= renew_at:
                renew_at = renew_certificates()
            try_again(layout)
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            log("will try again", cause=str(error)[:500], in_s=INTERVAL_S)


def follow(layout: DataLayout, follower: Follower) -> None:
    """Start again what stands still."""
    try:
        follower.check(int(json.loads(layout.run_file.read_text())["console_port"]))
    except (OSError, ValueError, KeyError) as error:
        log("cannot look at processes", cause=str(error)[:500], next_try_s=CHECK_EVERY_S)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
