"""`python -m sextant_run.simulated.chains`: the first chains on the simulated hosts, once in an installation's life.

What an operator would do with the `sextant` command; nothing that exists is changed, and what is deleted stays so.
"""

import hashlib
import subprocess
import sys
import time
from pathlib import Path

from sextant_run import installation
from sextant_run.console_client import ConsoleError, call, good
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.log import log
from sextant_run.servers.base import DIE_WITH_PARENT
from sextant_run.setup.stamp import is_current, write
from sextant_run.simulated.hosts import beside

HOSTS_LIMIT_S = 300.0
"""For the simulated hosts to be enrolled and heard of."""
CHAIN_LIMIT_S = 180


def are_submitted(layout: DataLayout, present: Installation) -> bool:
    """Whether the first chains were submitted to this installation's database."""
    return is_current(_stamp(layout), _value(present))


def _stamp(layout: DataLayout) -> Path:
    """Beside the embedded cluster, so that it goes with it."""
    return layout.data / "postgres" / "demo-chains"


def _value(present: Installation) -> str:
    return hashlib.sha256(present.database_url.encode()).hexdigest()


def main() -> None:
    """Ends when the chains run, or could not be made to: then the next `make up` tries those that are missing."""
    layout = DataLayout.of_environment()
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    try:
        _wait_for_hosts(layout, present)
        for file in sorted((layout.root / "examples" / "chains" / "demo").glob("*.yaml")):
            _submit(layout, file)
    except (ConsoleError, subprocess.SubprocessError) as error:
        log("the first chains are not complete", cause=str(error)[-500:], next_step="make down, then make up")
        raise SystemExit(1) from None
    write(_stamp(layout), _value(present))
    log("the first chains run")


def _wait_for_hosts(layout: DataLayout, present: Installation) -> None:
    """Raises ConsoleError where one does not report in time."""
    deadline = time.monotonic() + HOSTS_LIMIT_S
    waiting = list(beside(present.demo_hosts).names)
    cause = ""
    while waiting:
        try:
            found = call(layout, "GET", f"/hosts/{waiting[0]}").body
            cause = str(found.get("status_reason", found.get("detail", "")))
            if found.get("status") == "up" and found.get("inventory"):
                waiting.pop(0)
                continue
        except ConsoleError as error:
            cause = str(error)
        if time.monotonic() > deadline:
            raise ConsoleError(f"{waiting[0]} does not report: {cause}")
        time.sleep(0.5)


def _submit(layout: DataLayout, file: Path) -> None:
    """What runs is not moved; a chain that is there, however it stands, is left alone. Raises ConsoleError."""
    name = file.stem
    answer = call(layout, "GET", f"/chains/{name}")
    if answer.status != 404:
        good(answer)
        return
    sextant = [*DIE_WITH_PARENT, str(Path(sys.executable).with_name("sextant")), "chains", "submit", str(file)]
    done = subprocess.run(  # noqa: S603 - our own program
        [*sextant, "--algorithm", "exact", "--max-moves", "0", "--apply", "--wait"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=CHAIN_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise ConsoleError(f"{name}: {(done.stderr or done.stdout).strip()}")
    log("chain runs", chain=name)


if __name__ == "__main__":
    main()
