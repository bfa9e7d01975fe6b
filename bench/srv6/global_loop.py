"""SRv6-INT's global loop on real packets: a chain is sent half as much again as its NF's host may give it.

An installation of its own with two hosts in namespaces, the law automatic. First what one lane carries with the most
CPU quota that its bounds allow; then a lower rate, and a step to half as much again. The clock starts with the first
second whose p95 is above what the bounds tolerate, not before the step was ordered in that second, and stops with the
first from which on, for three, all lanes carried what they were offered and were below it. Telemetry is of seconds: so
is the end that is found.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from statistics import median
from typing import Any

import page
from console import Console, until
from installation import BenchInstallation, temporary
from setting import NotMeasured

CHAIN = "web"
P95_US, LEAST, MOST = 20_000, 5, 15
LITTLE_MPPS, MUCH_MPPS = 0.0005, 0.006
STEP = 1.5
"""Of what one lane carries: two carry it with a quarter to spare."""
CARRIED, STEADY_S = 0.95, 3
REST_S = 1.0
HOLD_S = 1.0
DETECTION_GOAL_S, ACTION_GOAL_S, PAPER_S = 1.0, 1.0, 8.0
P95 = 5
"""Of a second's figures, as the API gives them."""
FILE = f"""apiVersion: sextant/v1
kind: Chain
name: {CHAIN}
nfs: [{{type: simple-forward, config: {{loops: 100000}}}}]
ingress: {{host: lab-1}}
traffic: {{rate_mpps: {LITTLE_MPPS}, packet_bytes: 600, flows: 100}}
quota_bounds: {{max_p95_us: {P95_US}, least_percent: {LEAST}, most_percent: {MOST}}}
"""


def table(repeats: int) -> Iterator[str]:
    """A row of all runs; the reason where none came to an end."""
    if os.geteuid() != 0:
        raise NotMeasured("namespaces need root")
    yield from page.head(
        "runs", "above L_max to the order, s", f"goal {HOLD_S + DETECTION_GOAL_S:g} s", "order to a lane that runs, s",
        f"goal {ACTION_GOAL_S:g} s", "lane to below L_max, s", f"in all, s (paper: some {PAPER_S:g})",
    )  # fmt: skip
    with temporary(extra={"SEXTANT_LAB_HOSTS": "2", "SEXTANT_DATAPLANE": "0"}) as installation:
        installation.make("up", "DETACH=1")
        console = Console(installation)
        changes = ("other_work_percent=0.0", f"rest_s={REST_S}", f"hold_s={HOLD_S}")
        installation.sextant("srv6", "parameters", *(word for one in changes for word in ("--set", one)))
        runs = []
        for _ in range(repeats):
            with suppress(RuntimeError):
                runs.append(_run(installation, console))
            _clear(installation, console)
    if not runs:
        raise NotMeasured("no run came to an end: what was sent was carried, or other work left lanes no room")
    ordered, acted, cleared = ([run[part] for run in runs] for part in range(3))
    yield page.line(
        f"{len(runs)} of {repeats}",
        _spread(ordered), _verdict(ordered, HOLD_S + DETECTION_GOAL_S),
        _spread(acted), _verdict(acted, ACTION_GOAL_S),
        _spread(cleared), _spread([sum(run) for run in runs]),
    )  # fmt: skip


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.1f} ({min(seconds):.1f} to {max(seconds):.1f})"


def _verdict(seconds: list[float], goal_s: float) -> str:
    return "met" if median(seconds) <= goal_s else "**missed**"


def _run(installation: BenchInstallation, console: Console) -> tuple[float, float, float]:
    """Seconds of each part of the way. Raises RuntimeError where it does not come to an end."""
    file = installation.data / f"{CHAIN}.yaml"
    file.write_text(FILE)
    installation.sextant("policy", "set", "--law", "srv6", "--mode", "manual")
    installation.sextant("chains", "submit", str(file), "--apply", "--wait")
    _offer(installation, MUCH_MPPS)
    until(lambda: _state(console) == "saturated", "the host to have no more for the NF", 60.0)
    since = time.time() + 2
    until(lambda: len(_seconds(console, CHAIN, since)) >= 3, "three seconds of a full lane")
    most = median(second[2] for second in _seconds(console, CHAIN, since))
    _offer(installation, LITTLE_MPPS)
    quiet_at = time.time()
    until(lambda: _is_quiet(console, quiet_at), "a quiet start", 60.0)
    known = {one["id"] for one in console.operations()}
    installation.sextant("policy", "set", "--law", "srv6", "--mode", "automatic")
    stepped_at = time.time()
    _offer(installation, STEP * most)
    done = until(lambda: _scaled(console, known), "a lane", 60.0)
    above = [one[0] - 1 for one in _seconds(console, CHAIN, stepped_at) if (one[P95] or 0.0) > P95_US]
    if not above:
        raise RuntimeError("a lane came before a second was above L_max")
    ordered, acted = (_moment(done, name) for name in ("created_at", "finished_at"))
    begun = max(above[0], _moment(_step_after(console, known), "created_at"))
    below = until(lambda: _below(console, stepped_at, acted), "all lanes to be below L_max", 60.0)
    return ordered - begun, acted - ordered, max(0.0, below - acted)


def _scaled(console: Console, known: set[int]) -> Any:
    """The law's operation, once it is over."""
    plans = {one["plan_id"] for one in console.call("GET", "/recommendations?law=srv6")["items"]}
    done = (one for one in console.operations() if one["state"] == "COMPLETED" and one["plan_id"] in plans)
    return next((one for one in done if one["id"] not in known), None)


def _step_after(console: Console, known: set[int]) -> Any:
    """The operation that has more packets sent: the first that is new."""
    return min((one for one in console.operations() if one["id"] not in known), key=lambda one: one["id"])


def _moment(operation: Any, name: str) -> float:
    return datetime.fromisoformat(operation[name]).timestamp()


def _below(console: Console, since: float, acted: float) -> float:
    """The begin of the first of some good seconds in a row; 0: there are none yet."""
    lanes = [{round(one[0]): one for one in _seconds(console, lane, since)} for lane in _lanes(console)]
    for at in sorted(set.intersection(*(set(lane) for lane in lanes))):
        row = [lane.get(at + later) for later in range(STEADY_S) for lane in lanes]
        if at > acted and all(one is not None and _is_good(one) for one in row):
            return float(at - 1)
    return 0.0


def _lanes(console: Console) -> list[str]:
    """Those that there are."""
    names = (chain["spec"]["name"] for chain in console.call("GET", "/chains")["items"])
    return [name for name in names if name.startswith(CHAIN)]


def _is_good(second: list[Any]) -> bool:
    return second[2] >= CARRIED * second[1] > 0 and (second[P95] or 0.0) <= P95_US


def _is_quiet(console: Console, since: float) -> bool:
    seconds = _seconds(console, CHAIN, since)[-STEADY_S:]
    return len(seconds) == STEADY_S and all(map(_is_good, seconds))


def _state(console: Console) -> str | None:
    nfs = console.call("GET", f"/chains/{CHAIN}").get("bounded_nfs") or [{}]
    state: str | None = nfs[0].get("state")
    return state


def _seconds(console: Console, chain: str, since: float) -> list[list[Any]]:
    """[epoch_s, offered, delivered, dropped, p50_us, p95_us, ...], oldest first."""
    samples = console.call("GET", f"/telemetry/chains/{chain}?seconds=120")["samples"]
    return [one for one in samples if one[0] > since]


def _offer(installation: BenchInstallation, mpps: float) -> None:
    installation.sextant("chains", "adjust", CHAIN, "--rate-mpps", f"{mpps:.4g}", "--wait")


def _clear(installation: BenchInstallation, console: Console) -> None:
    installation.sextant("policy", "set", "--law", "srv6", "--mode", "manual")
    for lane in _lanes(console):
        installation.sextant("chains", "delete", lane, "--wait")
