"""How long pages take to answer an input in a real browser, while every host reports once a second."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import reporting
from figures import Figure
from planning import WHO
from seed import chain
from serving import PASSWORD, console
from sextant_backend.kit import memory
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.chain_requests import service as chain_requests
from sextant_backend.modules.plans import planner
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_run.setup import node
from sqlalchemy.exc import DBAPIError

SCRIPT = Path(__file__).with_name("interacting.mjs")
FRONTEND = Path(__file__).resolve().parents[2] / "frontend/dist"
PLANNED_CHAINS = 200
FIRST_OPENING = "first Ctrl-K"
"""Until its results are drawn, and not only the next frame."""


def measured(folder: Path, orders: Sequence[DesiredHostConfig]) -> Iterator[Figure]:
    """Of a console and a chromium of its own; the frontend has to be built (`npm run build`)."""
    with session_scope() as session:
        auth.create_user(session, "browser", PASSWORD, Role.ADMIN)
    content = orders[0].content
    pages = {
        "/": "fleet",
        "/chains": "chains",
        f"/hosts/{content.host_id}": "host",
        f"/chains/{content.chains[0].chain}": "chain",
        f"/plans/{_plan()}": "plan",
    }
    with _reporting(orders), console(folder, SEXTANT_FRONTEND_DIR=str(FRONTEND)) as (url, _process):
        done = subprocess.run(
            [node.node(), str(SCRIPT), url, "browser", PASSWORD, *pages], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise RuntimeError(f"the browser failed:\n{done.stderr}")
    for one in json.loads(done.stdout):
        how = (
            f"longest of {one['inputs']}, of it {one['own']:.0f} ms in handlers; main thread's CPU {one['cpu']:.0f} ms"
        )
        goal = 100 if one["kind"] == FIRST_OPENING else 200
        yield Figure(f"INP of {pages[one['path']]}: {one['kind']}", one["longest"], goal, "ms", how)


def _plan() -> int:
    """A plan of many changes, which waits to be applied."""
    specs = [chain(number, None, "planned") for number in range(PLANNED_CHAINS)]
    with session_scope() as session:
        plan_id = chain_requests.submit_all(session, specs, WHO).plan_id
    with memory.without_collector():
        planner.make(plan_id)
    return plan_id


@contextmanager
def _reporting(orders: Sequence[DesiredHostConfig]) -> Iterator[None]:
    """Once a second, or as often as this machine can."""
    ended = threading.Event()

    def report() -> None:
        second = 1000
        while not ended.is_set():
            began = time.monotonic()
            with suppress(DBAPIError):  # a busy machine: the next second is reported as if this one were lost
                reporting.report(orders, second)
            second += 1
            ended.wait(max(0.0, 1.0 - (time.monotonic() - began)))

    thread = threading.Thread(target=report)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
