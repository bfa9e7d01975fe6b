"""From a violation to a completed migration, on a live simulated host: an installation of its own, the law automatic.

The clock starts when the page first shows the third second in which a chain has carried less than 99 % of what it is
offered (NUMASFP's Algorithm 1 bears three), and stops when the moves have been verified, and when their operation has
ended: after the moves it measures for seconds what they brought (decision 92).
"""

import time
from collections.abc import Iterator
from datetime import datetime
from statistics import median
from typing import Any

from console import Console, until
from figures import Figure
from installation import BenchInstallation

HOST, NF, BYTES = "demo-1", "nids", 128
CHAINS = ("voice", "web")
LITTLE_MPPS, MUCH_MPPS = 0.5, 4.8
"""0.61 and 5.84 Gbps on the wire."""
RATES = ("1", "3", "4", "5", "6")
"""Of the levels that are measured first, Gbps."""
GOAL_S = 2.0
THIRD = 3


def _host(console: Console) -> Any:
    """As the law sees it."""
    return console.call("GET", f"/control/numasfp/hosts/{HOST}")


def violation_to_migration(installation: BenchInstallation, repeats: int) -> Iterator[Figure]:
    """`installation`: running, without hosts. Each time the two chains' rates are exchanged."""
    console = Console(installation)
    _prepared(installation, console)
    found = [_exchanged(installation, console) for _ in range(repeats)]
    parts = ", ".join(f"{name} {_spread([one['parts'][name] for one in found])}" for name in found[0]["parts"])
    for name, seconds in (("moves verified", "moved"), ("operation completed", "ended")):
        values = [one[seconds] for one in found]
        how = f"{repeats} times: median {median(values):.2f} s, the slowest is shown; median (most), s: {parts}"
        yield Figure(f"third violation to {name}", max(values), GOAL_S, "s", how)


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.2f} ({max(seconds):.2f})"


def _prepared(installation: BenchInstallation, console: Console) -> None:
    """Levels measured and promoted, one core a node, two chains, handed over; then the law is automatic."""
    installation.sextant("demo", "--hosts", "1")
    until(lambda: console.call("GET", f"/hosts/{HOST}")["status"] == "up", "the host to be up")
    rates = [word for rate in RATES for word in ("--rate", rate)]
    installation.sextant("levels", "measure", NF, "--host", HOST, "--packet-bytes", str(BYTES), *rates, "--wait")
    [version] = console.call("GET", f"/levels?nf_type={NF}")["items"]
    console.call("POST", f"/levels/{version['id']}/promotion")
    installation.sextant("policy", "set", "--law", "numasfp", "--mode", "automatic")
    cores = [one for one in console.call("GET", f"/hosts/{HOST}")["inventory"]["cores"] if not one["reserved_for"]]
    kept = {core["node"]: core["id"] for core in reversed(cores)}
    taken = ",".join(str(core["id"]) for core in cores if core["id"] not in kept.values())
    installation.sextant("hosts", "reserve", HOST, "--cores", taken, "--reason", "bench")
    for name in CHAINS:
        file = installation.data / f"{name}.yaml"
        file.write_text(
            f"apiVersion: sextant/v1\nkind: Chain\nname: {name}\nnfs: [{NF}]\ningress: {{host: {HOST}}}\n"
            f"traffic: {{rate_mpps: {LITTLE_MPPS}, packet_bytes: {BYTES}, flows: 1000}}\n"
        )
        installation.sextant("chains", "submit", str(file), "--apply", "--wait")
    until(lambda: all(one["bounds"] for one in _host(console)["chains"]), "both chains to be handed over")
    until(lambda: not _open(console), "the hand-over to end")


def _exchanged(installation: BenchInstallation, console: Console) -> dict[str, Any]:
    """Seconds from the third violation to moves verified, and to the end of their operation; which part took what.
    The far chain is changed by an operation of its own, for which the law waits."""
    sides = {one["local"]: one["chain"] for one in _host(console)["chains"]}
    known = {one["id"] for one in console.operations()}
    installation.sextant("chains", "adjust", sides[True], "--rate-mpps", str(LITTLE_MPPS), "--wait")
    installation.sextant("chains", "adjust", sides[False], "--rate-mpps", str(MUCH_MPPS))
    third: list[float] = []

    def seen() -> Any:
        if not third and any(one["violations"] >= THIRD for one in _host(console)["chains"]):
            third.append(time.time())
        new = [one for one in console.operations() if one["id"] not in known and one["hosts"][0].get("outcome")]
        return new[0] if new and new[0]["state"] == "COMPLETED" else None

    done = until(seen, "the migration")
    if not third:
        raise RuntimeError("the chains moved before three seconds of violation were seen: nothing to measure from")
    steps = done["hosts"][0]["steps"]
    at = {step["name"]: datetime.fromisoformat(step["finished_at"]).timestamp() for step in steps}
    began = datetime.fromisoformat(done["created_at"]).timestamp()
    finished = datetime.fromisoformat(done["finished_at"]).timestamp()
    parts = {"third violation to order": began - third[0]}
    before = began
    for name, when in at.items():
        parts[name], before = when - before, when
    return {"moved": at["verify"] - third[0], "ended": finished - third[0], "parts": parts}


def _open(console: Console) -> bool:
    return any(one["state"] not in {"COMPLETED", "FAILED", "CANCELLED", "ROLLED_BACK"} for one in console.operations())
