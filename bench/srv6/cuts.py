"""Packets lost while a link is cut under load, until the agent's loop has led the chain over the other one, and on the
way back. The loop is the agent's own, on the real daemon; the links are `core0` and `core1`."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import page
from lone_host import wait_for
from measured import Measured, measured
from pace import Pace, judged
from sextant_agent.contract.driver import PortFound, WayFound
from sextant_agent.controllers.chain_ways import ChainWays
from sextant_agent.controllers.look_loop import LookLoop
from sextant_domain.hosts.chain_way import WayChange
from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_engine.control.srv6.reroute import RerouteSettings
from ways import spread

from dataplane.srv6.tests.hosts import SIDS

KPPS = 10
PORTS = ("core0", "core1")
BEFORE_S, RETURN_S = 0.3, 0.05
"""A link that goes again within ten times the latter would count as one that flaps."""
MOST_GAP_MS = 50.0
"""As protection switching of transport networks is judged (ITU-T G.841)."""
ENDS = ("at this end", "at the far end")


class Led:
    """What the agent's driver offers its loop, on the bench's chain."""

    name = "srv6"
    rerouting = RerouteSettings(return_after_ns=round(1e9 * RETURN_S))

    def __init__(self, chain: Measured) -> None:
        self._chain = chain
        self._waiting, self._asked = (chain.hosts.all[0].client() for _ in range(2))

    def expected_ways(self) -> Sequence[WayFound]:
        """One."""
        return [WayFound("cut", SIDS[1], None, PORTS, None)]

    def await_ports(self, known: frozenset[str] | None, wait_s: float) -> Mapping[str, PortFound]:
        """As the driver asks."""
        asked = {} if known is None else {"up": sorted(known), "wait_ms": round(1000 * wait_s)}
        links = self._waiting.call("links", **asked)["links"]
        return {link["port"]: PortFound(link["up"], link["queue_packets"]) for link in links}

    def chain_ways(self) -> Sequence[WayFound]:
        """As the kernel has it."""
        port = next(way["port"] for way in self._asked.call("ways")["ways"] if way["sid"] == SIDS[1])
        return [WayFound("cut", SIDS[1], None, PORTS, port)]

    def lead(self, way: WayFound, port: str) -> bool:
        """One update."""
        del way
        self._chain.lead(port)
        return True


class Cutting:
    """A chain, and the loop that leads it."""

    def __init__(self, chain: Measured, folder: Path) -> None:
        self.chain = chain
        self.ways = ChainWays(Led(chain), lambda: None, folder / "ways.json")  # type: ignore[arg-type] # of a driver, this
        self.loop = LookLoop("chain-ways", self.ways.tick)

    def changes(self) -> tuple[WayChange, ...]:
        """The latest of them."""
        empty = {"host_id": "bench", "epoch": "e", "sequence": 0, "taken_at": "2026-01-01T00:00:00Z", "interval_s": 1}
        more = {"provenance": "measured", "applied_generation": 1, "phase": "converged"}
        return self.ways.reported(TelemetryBatch.model_validate(empty | more)).way_changes

    def one(self, end: str, to: str) -> tuple[int, float]:
        """Packets lost while the link is set so and the loop follows, and how many ms it took to act."""
        before = self.changes()[-1:]
        host = self.chain.hosts.all[ENDS.index(end)]
        with self.chain.ends.sending(KPPS) as found:
            time.sleep(BEFORE_S)
            host.inside("ip", "link", "set", PORTS[0], to)
            wait_for(f"the chain follows a link that is {to}", lambda: self.changes()[-1:] != before)
            time.sleep(BEFORE_S)
        return found[0].lost, self.changes()[-1].took_us / 1000


def cuts(pace: Pace) -> Iterator[str]:
    """A row an end at which it is cut."""
    yield from page.head(
        "the link is cut", "packets lost", f"a gap of, ms (goal {MOST_GAP_MS:.0f})", "of it to set the way, ms",
        "lost on the way back (goal 0)", "",
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name)) as chain:
        cutting = Cutting(chain, Path(name))
        cutting.loop.start()
        try:
            for end in ENDS:
                yield _row(end, cutting, pace)
        finally:
            cutting.loop.stop()


def _row(end: str, cutting: Cutting, pace: Pace) -> str:
    lost, back, took = list[int](), list[int](), list[float]()
    for _ in range(pace.repeats):
        found, took_ms = cutting.one(end, "down")
        lost.append(found)
        took.append(took_ms)
        back.append(cutting.one(end, "up")[0])
    gaps = [one / KPPS for one in lost]
    met = max(gaps) <= MOST_GAP_MS and not any(back)
    return page.line(end, spread(lost, 0), spread(gaps, 1), spread(took, 1), str(sum(back)), judged(met))
