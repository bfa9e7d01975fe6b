"""This machine as a host whose NFs share two cores, asked as an operator asks: types measured, costs fitted, chains
placed by an assigner, NFs moved, packets counted by the console."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from compared import Ran, delivered, times
from console import Console, until
from installation import BenchInstallation, temporary
from mixes import CORES, REAL, MixedChain, ideal_mpps, moves, placements, rates, slots, training
from setting import NotMeasured
from sextant_run.setup.builds import why_no_dataplane

HOST = "edge-1"
LAWS = ("octans", "coco", "numasfp", "srv6")
"""None of which moves, or plans, anything meanwhile."""
SHARES = "rate-cost-shares"
CONSOLE_FIRST = "-15"
"""Nice value, as of processes."""
LATE_S = 2.0
"""Until the console has the last second of a run."""
LOOK_S = 1.0
OFFERED, DELIVERED = 1, 2
"""Of a second's figures, as the API gives them."""
Cores = dict[str, int]
"""By NF."""


@contextmanager
def real_host() -> Iterator["RealHost"]:
    """An installation of its own, with types measured and costs fitted. Raises NotMeasured where the machine cannot."""
    if os.geteuid() != 0:
        raise NotMeasured("CPU shares need root: run it with sudo")
    if len(os.sched_getaffinity(0)) < CORES:
        raise NotMeasured("NFs share two cores, and this process may use one")
    reason = why_no_dataplane(wanted=True)
    if reason is not None:
        raise NotMeasured(f"this machine processes no packets: {reason}")
    with temporary() as installation:
        installation.make("up", "DETACH=1")
        _put_console_first(installation)
        host = RealHost(installation)
        host.prepare()
        yield host


def _put_console_first(installation: BenchInstallation) -> None:
    """Before NFs that fill both cores: an operator's console has others. NFs are in groups of their own, which this
    does not reach; what is started later is of the same sessions."""
    for pid in (os.getpid(), *(process.pid for process in installation.processes())):
        with suppress(OSError):  # it has ended, or the kernel groups none
            Path(f"/proc/{pid}/autogroup").write_text(CONSOLE_FIRST)


class RealHost:
    """Of an installation that runs."""

    def __init__(self, installation: BenchInstallation) -> None:
        self._installation = installation
        self._console = Console(installation)
        self._alone_us: dict[str, float] = {}
        self.cost: dict[str, Any] = {}
        """What was fitted, as the console says it."""

    def prepare(self) -> None:
        """Two cores, what a packet of each type takes alone, and what it costs beside others."""
        for law in LAWS:
            self._ask("policy", "set", "--law", law, "--mode", "manual")
        first, second = self._two_cores()
        jobs = [self._profiled(name, given) for name, given in REAL["types"].items()]
        self._promote(jobs[-1])
        self._alone_us = {name: self._measured_alone(name) for name in REAL["types"]}
        self._fit(first, second)

    def plans(self, chains: Sequence[MixedChain], assigners: Sequence[str]) -> dict[str, Cores]:
        """Submits them, and asks for a plan by each from the same state: cores, by assigner. The first is carried
        out."""
        first = self._submitted(chains, REAL["load"], assigners[0])
        words = [word for chain in chains for word in ("--chain", chain.name)]
        others = {name: self._ask("plans", "ask", *words, "--algorithm", name) for name in assigners[1:]}
        found = {name: self._cores(plan) for name, plan in {assigners[0]: first, **others}.items()}
        self._apply(first["id"])
        return found

    def ideal_mpps(self, chains: Sequence[MixedChain], at: Cores) -> float:
        """What loads alone say that is served."""
        return ideal_mpps(chains, rates(chains, self._alone_us, REAL["load"]), self._alone_us, at)

    def stand(self, wanted: Mapping[str, int]) -> None:
        """NFs that stand elsewhere move, as an operator says it, all at once."""
        changed = moves({nf["nf_id"]: nf["seat"]["core"] for nf in self._nfs()}, wanted)
        if changed:
            words = [word for nf_id, core in changed.items() for word in ("--move", f"{nf_id}={core}")]
            self._apply(self._ask("plans", "ask", *words)["id"])

    def run(self, chains: Sequence[MixedChain]) -> Ran:
        """What is delivered, and what NFs get of their cores. Raises NotMeasured."""
        time.sleep(REAL["settle_s"])
        since, looks = time.time(), []
        while time.time() < since + REAL["seconds"]:
            time.sleep(LOOK_S)
            looks.append(self._nfs())
        ended = time.time()
        time.sleep(LATE_S)
        samples = {chain.name: self._seconds(chain.name) for chain in chains}
        mpps = delivered(samples, since, ended, DELIVERED)
        offered = {name: delivered({name: seconds}, since, ended, OFFERED) or 0.0 for name, seconds in samples.items()}
        if mpps is None:
            raise NotMeasured("the console had too few seconds of a chain")
        return Ran(mpps, times(looks, offered))

    def clear(self) -> None:
        """No chain is left, nor an operation that waits for a decision: it would keep its host."""
        for operation in self._console.operations():
            if operation["state"] == "FAILED_TEMP":
                self._ask("operations", "fail", str(operation["id"]))
        for chain in self._console.call("GET", "/chains?limit=200")["items"]:
            self._ask("chains", "delete", chain["spec"]["name"], "--wait")

    def _ask(self, *words: str) -> Any:
        """The command line's answer. Raises NotMeasured with what it says."""
        try:
            return self._installation.sextant(*words)
        except RuntimeError as refusal:
            said = " ".join(str(refusal).split())
            raise NotMeasured(said[:300]) from refusal

    def _two_cores(self) -> tuple[int, int]:
        """Others are reserved. Raises NotMeasured where the host cannot divide them."""
        inventory = _until(self._inventory, f"{HOST} to be up")
        able = {one["name"]: one for one in inventory["capabilities"]}
        for name in ("cpu-share", SHARES):
            if not able.get(name, {}).get("available"):
                raise NotMeasured(f"{name}: {able.get(name, {}).get('reason', 'the host does not have it')}")
        free = [core["id"] for core in inventory["cores"] if core["reserved_for"] is None]
        if len(free) < CORES:
            raise NotMeasured(f"{HOST} offers {len(free)} cores to NFs, and two are shared")
        if len(free) > CORES:
            others = ",".join(str(core) for core in free[CORES:])
            self._ask("hosts", "reserve", HOST, "--cores", others, "--reason", "bench")
        return free[0], free[1]

    def _profiled(self, name: str, given: Mapping[str, Any]) -> int:
        """Registers a type and measures it alone; the job."""
        asked = {"name": name, "implementation": given["implementation"], "config": given["config"]}
        self._console.call("POST", "/nf-types", {**asked, "summary": "A small NF of a bench"})
        job = self._ask(
            "profile", "start", name, "--host", HOST, "--most-competitors", "0", "--seconds", "0.3",
            "--half-width", "3", "--max-samples", "8", "--packet-bytes", str(REAL["packet_bytes"]),
            "--flows", str(REAL["flows"]), "--wait",
        )  # fmt: skip
        return int(job["id"])

    def _promote(self, job: int) -> None:
        """All models of the fit that the last job ends with: it is made of what all of them measured."""

        def fitted() -> Any:
            fits = self._console.call("GET", "/fits?limit=20&sort=-id")["items"]
            return next((one for one in fits if one["job_id"] == job and one["state"] == "done"), None)

        fit = _until(fitted, "models of the types")
        self._ask("models", "promote", str(fit["id"]), "--yes")

    def _measured_alone(self, name: str) -> float:
        """Microseconds of a packet, by the model that is promoted."""
        models = self._console.call("GET", f"/models?nf_type={name}&state=promoted")["items"]
        mpps = models[0]["model"]["ideal_mpps"]["local"] if models else None
        if not mpps:
            raise NotMeasured(f"the profile of {name} says nothing of its throughput alone")
        return float(1 / mpps)

    def _fit(self, first: int, second: int) -> None:
        """Once, on chains and placements that no mix has: an operator fits on what ran before."""
        chains, given = training(), REAL["training"]
        plan = self._submitted(chains, given["load"], "min_max")
        self._apply(plan["id"])
        for wanted in placements(sorted(self._cores(plan)), first, second):
            self.stand(wanted)
            time.sleep(given["seconds"])
        try:
            self.cost = self._ask("sfc2cpu", "fit", HOST)["cost"]
        finally:
            self.clear()

    def _submitted(self, chains: Sequence[MixedChain], load: float, algorithm: str) -> Any:
        """The plan for them, which is not carried out."""
        nfs = sum(len(chain.types) for chain in chains)
        self._ask("hosts", "slots", HOST, str(slots(nfs)), "--reason", "bench")
        files = []
        for chain, mpps in zip(chains, rates(chains, self._alone_us, load), strict=True):
            file = self._installation.data / f"{chain.name}.yaml"
            file.write_text(chain_file(chain, mpps))
            files.append(str(file))
        answer = self._ask("chains", "submit", *files, "--algorithm", algorithm)
        return self._ask("plans", "show", str(answer["plan_id"]))

    def _apply(self, plan_id: int) -> None:
        self._ask("plans", "apply", str(plan_id), "--yes", "--wait")

    def _cores(self, plan: Any) -> Cores:
        return {nf["nf_id"]: nf["seat"]["core"] for nf in plan["body"]["after"] if nf["seat"]["host"] == HOST}

    def _inventory(self) -> Any:
        """None as long as the host is not up."""
        hosts = self._console.call("GET", "/hosts?limit=50")["items"]
        return next((one["inventory"] for one in hosts if one["host_id"] == HOST and one["status"] == "up"), None)

    def _nfs(self) -> list[Any]:
        items: list[Any] = self._console.call("GET", f"/nfs?host={HOST}&limit=50")["items"]
        return items

    def _seconds(self, chain: str) -> list[list[Any]]:
        """[epoch_s, offered, delivered, dropped, ...], oldest first."""
        samples: list[list[Any]] = self._console.call("GET", f"/telemetry/chains/{chain}?seconds=60")["samples"]
        return samples


def _until(found: Callable[[], Any], what: str) -> Any:
    """The first answer that is something. Raises NotMeasured where none comes in time."""
    try:
        return until(found, what)
    except RuntimeError as late:
        raise NotMeasured(str(late)) from late


def chain_file(chain: MixedChain, mpps: float) -> str:
    """JSON, which is YAML, too."""
    content = {
        "apiVersion": "sextant/v1",
        "kind": "Chain",
        "name": chain.name,
        "nfs": list(chain.types),
        "ingress": {"host": HOST},
        "traffic": {"rate_mpps": mpps, "packet_bytes": REAL["packet_bytes"], "flows": REAL["flows"]},
        "share_bounds": {
            "least_percent": REAL["least_percent"],
            "most_percent": REAL["most_percent"],
            "law": "rate-cost",
        },
    }
    return json.dumps(content)
