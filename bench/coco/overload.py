"""From an overloaded core to one that has recovered, with real packets: an installation of its own, the law automatic.

Two NFs of a chain share a core, and the chain's rate is raised until they need more of it than it gives. The clock
starts with the end of the first second whose median latency is a full ring's, and stops with the end of the first from
which on, for three, all that was offered was carried and the latency was below that. Telemetry is of seconds: so is
what is found. The law's hold time is a setting, and part of it.
"""

import os
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import page
from console import Console, until
from installation import BenchInstallation, temporary

HOST, CHAIN = "edge-1", "web"
FIRST, SECOND = 0, 1
"""Source and sink share the first core."""
LOOPS = {"a": 65_000, "b": 40_000}
"""Some ten microseconds a packet and more: few thousand packets a second fill a core."""
LITTLE_MPPS, BYTES = 0.003, 1400
TOO_MUCH = 1.1
"""Of the core's time: a alone needs less than a core."""
FULL_RING_US = 20_000
CARRIED = 0.98
STEADY_S = 3
GOAL_S = 1.0
PROGRESS = ("hold", "to the order", "order to moved", "moved to recovered")


def table() -> Iterator[str]:
    """A row a hold time; where nothing was pushed the reason instead."""
    yield from page.head(
        "hold, s", "overload to recovered, s", f"goal: {GOAL_S:g} s", *(f"{part}, s" for part in PROGRESS),
        "load before, after",
    )  # fmt: skip
    before = os.getloadavg()[0]
    with temporary() as installation:
        installation.make("up", "DETACH=1")
        console = Console(installation)
        for hold in (1, 3):
            cells = _row(installation, console, hold)
            yield page.line(str(hold), *cells, f"{before:.1f}, {os.getloadavg()[0]:.1f}")


def _row(installation: BenchInstallation, console: Console, hold: int) -> list[str]:
    changes = (f"hold_intervals={hold}", "other_work_percent=0.0", "rest_s=1.0")
    installation.sextant("coco", "parameters", *(word for one in changes for word in ("--set", one)))
    _place(installation, console)
    try:
        found = _pushed(installation, console, hold)
    except RuntimeError as error:
        reason = console.call("GET", f"/control/coco/hosts/{HOST}")["reason"]
        return [f"not measured: {error}; the law says: {reason}", "-", *("-" for _ in PROGRESS)]
    finally:
        installation.sextant("policy", "set", "--law", "coco", "--mode", "manual")
        installation.sextant("chains", "delete", CHAIN, "--wait")
    seconds = sum(found)
    verdict = "met" if seconds <= GOAL_S else "**missed**"
    return [f"{seconds:.1f}", verdict, *(f"{part:.1f}" for part in found)]


def _place(installation: BenchInstallation, console: Console) -> None:
    """Both of the heavy NFs on the second core, what ends the chain on the first."""
    nfs = ", ".join(f"{{type: simple-forward, name: {name}, config: {{loops: {n}}}}}" for name, n in LOOPS.items())
    file = installation.data / f"{CHAIN}.yaml"
    file.write_text(
        f"apiVersion: sextant/v1\nkind: Chain\nname: {CHAIN}\nnfs: [{nfs}, {{type: simple-forward, name: c}}]\n"
        f"traffic: {{rate_mpps: {LITTLE_MPPS}, packet_bytes: {BYTES}, flows: 1000}}\n"
    )
    installation.sextant("chains", "submit", str(file), "--apply", "--wait")
    for name, core in (("a", SECOND), ("b", SECOND), ("c", FIRST)):
        if _core_of(console, f"{CHAIN}.{name}") != core:
            installation.sextant("migrate", f"{CHAIN}.{name}", "--core", str(core), "--apply", "--wait")


def _pushed(installation: BenchInstallation, console: Console, hold: int) -> list[float]:
    """Seconds of each part of the way."""
    _offer(installation, _rate_for(console, 0.5, LITTLE_MPPS))
    until(lambda: len(_seconds(console)) > 5, "a quiet start")
    rate = _rate_for(console, 0.5, _seconds(console)[-1][1]) * TOO_MUCH / 0.5
    known = {one["id"] for one in console.operations()}
    installation.sextant("policy", "set", "--law", "coco", "--mode", "automatic")
    raised_at = time.time()
    for _ in range(4):
        _offer(installation, rate)
        try:
            done = until(lambda: _moved(console, known), "a push", 20.0)
            break
        except RuntimeError:
            rate *= 1.1
    else:
        raise RuntimeError("no push in four raises of the rate")
    overloaded = (one for one in _seconds(console) if one[0] > raised_at and (one[4] or 0.0) > FULL_RING_US)
    first = next(overloaded, None)
    if first is None:
        raise RuntimeError("something was pushed before a second showed a full ring")
    began, ended = (datetime.fromisoformat(done[name]).timestamp() for name in ("created_at", "moved_at"))

    def recovered() -> float:
        return _recovered(_seconds(console), ended)

    again = until(recovered, "the chain to recover", 30.0)
    waited = min(float(hold - 1), began - first[0])
    return [waited, began - first[0] - waited, ended - began, max(0.0, again - ended)]


def _moved(console: Console, known: set[int]) -> Any:
    """The law's operation, once its NF stands elsewhere."""
    plans = {one["plan_id"] for one in console.call("GET", "/recommendations?law=coco")["items"]}
    for one in console.operations():
        if one["id"] in known or one["state"] != "COMPLETED" or one["plan_id"] not in plans:
            continue
        steps = {step["name"]: step["finished_at"] for step in one["hosts"][0]["steps"]}
        return one | {"moved_at": steps.get("verify", one["finished_at"])}
    return None


def _recovered(seconds: list[list[Any]], since: float) -> float:
    """The end of the first of some good seconds in a row; 0: there are none yet."""
    row = [second for second in seconds if second[0] > since]
    for at in range(len(row) - STEADY_S + 1):
        some = row[at : at + STEADY_S]
        if all(one[2] >= CARRIED * one[1] and (one[4] or 0.0) < FULL_RING_US for one in some):
            return float(some[0][0])
    return 0.0


def _seconds(console: Console) -> list[list[Any]]:
    """[epoch_s, offered, delivered, dropped, p50_us, ...] of what four raises take and more, oldest first."""
    samples: list[list[Any]] = console.call("GET", f"/telemetry/chains/{CHAIN}?seconds=180")["samples"]
    return samples


def _rate_for(console: Console, share: float, mpps: float) -> float:
    """Mpps that use so much of the second core, by what is used at `mpps`."""

    def used() -> float:
        cores = console.call("GET", f"/control/coco/hosts/{HOST}")["cores"]
        uses = [one["use"] for core in cores if core["core"] == SECOND for one in core["elements"]]
        return 0.0 if None in uses or sum(uses) <= 0.02 else float(sum(uses))

    return mpps * share / float(until(used, "the NFs to say what they use"))


def _offer(installation: BenchInstallation, mpps: float) -> None:
    installation.sextant("chains", "adjust", CHAIN, "--rate-mpps", f"{mpps:.3g}", "--wait")


def _core_of(console: Console, nf: str) -> int | None:
    cores = console.call("GET", f"/control/coco/hosts/{HOST}")["cores"]
    return next((core["core"] for core in cores for one in core["elements"] if one["nf_id"] == nf), None)
