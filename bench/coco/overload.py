"""From an overloaded core to one that has recovered, with real packets: an installation of its own, the law automatic.

Two NFs of a chain share a core, and the chain's rate is raised until they need more of it than it gives. The clock
starts when the agent first found a ring full that stayed so, and stops when it first found all of them no longer full,
which then stayed so, too: both by its own looks, ten a second, as it writes them into its log. A try counts only if
the seconds afterwards say the same: for three of them all that was offered was carried, and the median latency was
below a full ring's. The law's hold time is a setting, and part of what is found.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from math import inf
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import HTTPError

import page
from console import Console, until
from installation import BenchInstallation, temporary

HOST, CHAIN = "edge-1", "web"
FIRST, SECOND = 0, 1
"""Source and sink share the first core."""
LOOPS = {"a": 55_000, "b": 50_000}
"""Some ten microseconds a packet and more: few thousand packets a second fill a core."""
LITTLE_MPPS, BYTES = 0.003, 1400
TOO_MUCH = 1.1
"""Of the core's time: each of them alone needs less than a core."""
PREFERRED = "-19"
"""Niceness of the installation's scheduling groups: other programs on this machine get what it leaves."""
FULL_RING_US = 20_000
CARRIED = 0.98
STEADY_S = 3
GOAL_S = 1.0
HOLDS_S = (0.2, 1.0, 3.0)
TRIES, MOST_TRIES = 5, 15
"""Of each hold time: that count, and that are made at most."""
RAISES = 4
PARTS = ("overload to recovered", "to the order", "order to moved and verified", "order to recovered")


@dataclass(frozen=True)
class Edge:
    """What the agent found, by its log."""

    at_s: float
    overloaded_since_s: float | None
    """None: nothing is."""
    recovered_s: float | None
    """When the last one began to be well; None: nothing has recovered."""


def table() -> Iterator[str]:
    """A row a hold time; where nothing was pushed the reason instead."""
    yield from page.head(
        "hold, s", "tries", f"goal: {GOAL_S:g} s", *(f"{part}, s: median, most" for part in PARTS),
        "load before, after",
    )  # fmt: skip
    with temporary() as installation:
        installation.make("up", "DETACH=1")
        _prefer(installation)
        console = Console(installation)
        _place(installation)
        for hold_s in HOLDS_S:
            before = os.getloadavg()[0]
            cells = _row(installation, console, hold_s)
            yield page.line(f"{hold_s:g}", *cells, f"{before:.1f}, {os.getloadavg()[0]:.1f}")


def _row(installation: BenchInstallation, console: Console, hold_s: float) -> list[str]:
    changes = (f"hold_intervals={hold_s}", "other_work_percent=0.0", "rest_s=1.0")
    installation.sextant("coco", "parameters", *(word for one in changes for word in ("--set", one)))
    found: list[list[float]] = []
    why = ""
    made = 0
    while len(found) < TRIES and made < MOST_TRIES:
        made += 1
        try:
            found.append(_try(installation, console))
        except (RuntimeError, HTTPError) as error:  # an operation may hold the host when the rate is to change
            why = f"{error}; the law says: {console.call('GET', f'/control/coco/hosts/{HOST}')['reason']}"
            print(f"  a try does not count: {why}", flush=True)
        else:
            print(f"  {hold_s:g}: {found[-1]}", flush=True)
    if not found:
        return [f"0 of {made}", f"not measured: {why}", *("-" for _ in PARTS)]
    parts = list(zip(*found, strict=True))
    seconds = parts[0]
    verdict = "met" if max(seconds) <= GOAL_S else "met by the median" if median(seconds) <= GOAL_S else "**missed**"
    return [f"{len(found)} of {made}", verdict, *(f"{median(some):.2f}, {max(some):.2f}" for some in parts)]


def _prefer(installation: BenchInstallation) -> None:
    """Before other programs, where the kernel schedules sessions as groups: niceness counts within a group only."""
    for process in installation.processes():
        with suppress(OSError):
            Path(f"/proc/{process.pid}/autogroup").write_text(PREFERRED)


def _place(installation: BenchInstallation) -> None:
    nfs = ", ".join(f"{{type: simple-forward, name: {name}, config: {{loops: {n}}}}}" for name, n in LOOPS.items())
    file = installation.data / f"{CHAIN}.yaml"
    file.write_text(
        f"apiVersion: sextant/v1\nkind: Chain\nname: {CHAIN}\nnfs: [{nfs}, {{type: simple-forward, name: c}}]\n"
        f"traffic: {{rate_mpps: {LITTLE_MPPS}, packet_bytes: {BYTES}, flows: 1000}}\n"
    )
    installation.sextant("chains", "submit", str(file), "--apply", "--wait")


def _try(installation: BenchInstallation, console: Console) -> list[float]:
    """Seconds of the way and its parts. Raises RuntimeError where one is not gone."""
    installation.sextant("policy", "set", "--law", "coco", "--mode", "manual")
    _offer(console, LITTLE_MPPS)
    for name, core in (("a", SECOND), ("b", SECOND), ("c", FIRST)):  # both of the heavy ones on the second core
        if _core_of(console, f"{CHAIN}.{name}") != core:
            installation.sextant("migrate", f"{CHAIN}.{name}", "--core", str(core), "--apply", "--wait")
    time.sleep(STEADY_S)
    _offer(console, _rate_for(console, 0.5, LITTLE_MPPS))
    time.sleep(STEADY_S)
    rate = _rate_for(console, 0.5, _seconds(console)[-1][1]) * TOO_MUCH / 0.5
    known = {one["id"] for one in console.operations()}
    installation.sextant("policy", "set", "--law", "coco", "--mode", "automatic")
    time.sleep(STEADY_S)  # what the command took of the cores is over
    done, raised_s = _raised(console, rate, known)
    ordered, moved = (datetime.fromisoformat(done[name]).timestamp() for name in ("created_at", "moved_at"))
    overloaded_s = _overloaded_s(_edges(installation, raised_s), ordered)
    until(lambda: _recovered(_seconds(console), moved), "the chain to recover", 30.0)
    time.sleep(STEADY_S)
    recovered_s = _recovered_s(_edges(installation, raised_s), ordered)
    return [recovered_s - overloaded_s, ordered - overloaded_s, moved - ordered, recovered_s - ordered]


def _overloaded_s(edges: list[Edge], ordered_s: float) -> float:
    """Since when there was the overload because of which something was ordered."""
    before = [one for one in edges if one.at_s < ordered_s]
    if not before or before[-1].overloaded_since_s is None:
        raise RuntimeError("something was pushed, and no ring was found full")
    return before[-1].overloaded_since_s


def _recovered_s(edges: list[Edge], ordered_s: float) -> float:
    """From when on, after that, no ring was full for some seconds."""
    later = [one for one in edges if one.at_s > ordered_s]
    for at, one in enumerate(later):
        again_s = later[at + 1].at_s if at + 1 < len(later) else inf
        if one.recovered_s is not None and one.recovered_s < ordered_s:
            raise RuntimeError("rings had room again before anything was ordered")
        if one.recovered_s is not None and again_s - one.recovered_s > STEADY_S:
            return one.recovered_s
    raise RuntimeError("a ring is full again and again")


def _raised(console: Console, rate: float, known: set[int]) -> tuple[Any, float]:
    """The push, and when the rate was raised for which it was made: more and more, until one is."""
    for _ in range(RAISES):
        raised_s = time.time()
        _offer(console, rate)
        try:
            return until(lambda: _moved(console, known), "a push", 20.0), raised_s
        except RuntimeError:
            rate *= 1.1
    raise RuntimeError(f"no push in {RAISES} raises of the rate")


def _edges(installation: BenchInstallation, since_s: float) -> list[Edge]:
    """What the agent has found since then, oldest first."""
    said = (json.loads(line) for line in (installation.data / "log" / "agent.log").open() if "overload edge" in line)
    edges = [_edge(one) for one in said]
    return [one for one in edges if one.at_s > since_s]


def _edge(said: dict[str, Any]) -> Edge:
    at_s = datetime.fromisoformat(said["taken_at"]).timestamp()
    stood, well = said["stood_s"].values(), said["well_s"].values()
    since_s = at_s - max(stood) if stood else None
    return Edge(at_s, since_s, at_s - min(well) if well and not stood else None)


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


def _offer(console: Console, mpps: float) -> None:
    """By the API: the command line would take time of the cores that are measured."""
    answer = until(lambda: _changed(console, mpps), "the host to be free for a change of the rate", 20.0)
    if "id" in answer:  # else it is offered that already
        until(lambda: _is_done(console, answer["id"]), "the rate to be changed", 20.0)


def _changed(console: Console, mpps: float) -> Any:
    """The answer; None while an operation holds the host, or another change came in between."""
    chain = console.call("GET", f"/chains/{CHAIN}")
    change = {"traffic": chain["spec"]["traffic"] | {"rate_mpps": float(f"{mpps:.3g}")}}
    try:
        return console.call("PATCH", f"/chains/{CHAIN}/settings", change, chain["version"])
    except HTTPError as error:
        if error.code in (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED):
            return None
        raise


def _is_done(console: Console, operation: int) -> bool:
    return any(one["id"] == operation and one["state"] == "COMPLETED" for one in console.operations())


def _core_of(console: Console, nf: str) -> int | None:
    cores = console.call("GET", f"/control/coco/hosts/{HOST}")["cores"]
    return next((core["core"] for core in cores for one in core["elements"] if one["nf_id"] == nf), None)
