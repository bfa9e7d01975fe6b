"""Cumulative figures of chains and NFs over the lives of processes that count from nothing."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.figures import ManagerFigures
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, ManagerEntry, NfEntry, ProcessRegistry, Totals
from sextant_agent.drivers.opennetvm.processes import cpu_time_ns, packet_thread


@dataclass(frozen=True, slots=True)
class PortPackets:
    """Of a chain's port, since the chain was added."""

    received: int
    """By OpenNetVM."""
    sent: int
    lost: int
    """Dropped by its card before OpenNetVM took them."""

    def at_least(self, other: "PortPackets") -> "PortPackets":
        """The larger, field by field."""
        return PortPackets(max(self.received, other.received), max(self.sent, other.sent), max(self.lost, other.lost))


_NONE = PortPackets(0, 0, 0)


class Counting:
    """Keeps the last that was seen of every process, since a dead one leaves no figures. Safe for several threads.

    While processes change, an entry and the figures that it is read with may be of two lives. The order in which both
    change makes such a sum too small, never too large, and none is reported that is below one reported before.
    """

    def __init__(self, registry: ProcessRegistry, managers: Mapping[str, Manager]) -> None:
        self._registry = registry
        self._managers = managers
        self._seen: dict[Running, Totals] = {}
        self._reported: dict[tuple[str, int, str], Totals] = {}
        """By chain, its instance, and NF."""
        self._reported_ports: dict[tuple[str, int], PortPackets] = {}
        self._lock = threading.Lock()

    def begin(self, chain: str) -> None:
        """What its port has counted by now is not the chain's."""
        entry = self._registry.chains[chain]
        now = self._port_now(entry, self._figures_of(entry))
        self._registry.put_chain(
            entry.model_copy(update={"rx_before": -now.received, "tx_before": -now.sent, "lost_before": -now.lost})
        )

    def port(self, entry: ChainEntry, figures: ManagerFigures | None = None) -> PortPackets:
        """Since it was added. `figures`: of its manager, read after the entry."""
        now = self._port_now(entry, figures or self._figures_of(entry))
        key = entry.chain, entry.instance
        if not entry.structure:  # it is being added: its port may have counted for others before it
            return _NONE
        since = PortPackets(entry.rx_before + now.received, entry.tx_before + now.sent, entry.lost_before + now.lost)
        with self._lock:
            self._reported_ports[key] = since.at_least(self._reported_ports.get(key, _NONE))
            return self._reported_ports[key]

    def of(self, chain: ChainEntry, nf: NfEntry, figures: ManagerFigures | None = None) -> Totals:
        """Since its chain was added. `figures`: of its manager, read after the entry."""
        total = nf.before.plus(self._now(nf, figures or self._figures_of(chain)))
        key = chain.chain, chain.instance, nf.nf_id
        with self._lock:
            self._reported[key] = total.at_least(self._reported.get(key, Totals()))
            return self._reported[key]

    def fold(self, chain: ChainEntry, positions: Iterable[int]) -> None:
        """These have ended: what they counted is kept."""
        for position in positions:
            nf = chain.nfs[position]
            total = self.of(chain, nf)
            self._registry.put_nf(chain.chain, nf.model_copy(update={"before": total, "pid": None, "ready": False}))
            with self._lock:
                if nf.running is not None:
                    self._seen.pop(nf.running, None)

    def leave_manager(self, chain: str, manager: ManagerEntry) -> None:
        """It has ended, and the next counts its ports from nothing."""
        entry = self._registry.chains[chain]
        now = self.port(entry)
        kept = {"rx_before": now.received, "tx_before": now.sent, "lost_before": now.lost}
        self._registry.end_manager(manager, entry.model_copy(update=kept))

    def forget(self, chain: str) -> None:
        """It was removed."""
        with self._lock:
            self._reported = {key: reported for key, reported in self._reported.items() if key[0] != chain}
            self._reported_ports = {key: reported for key, reported in self._reported_ports.items() if key[0] != chain}
            self._seen = {running: seen for running, seen in self._seen.items() if running.alive}

    def _figures_of(self, chain: ChainEntry) -> ManagerFigures:
        return self._managers[chain.manager].figures()

    def _port_now(self, chain: ChainEntry, figures: ManagerFigures) -> PortPackets:
        """Since its manager started."""
        ports = figures.ports.values()
        lost = self._managers[chain.manager].port_losses().packets
        return PortPackets(sum(port.rx for port in ports), sum(port.tx for port in ports), lost)

    def _now(self, nf: NfEntry, read: ManagerFigures) -> Totals:
        """Of its present process; where its figures are gone, the last that were seen."""
        running = nf.running
        if running is None:
            return Totals()
        figures = read.nfs.get(nf.instance)
        thread = packet_thread(running.pid) if running.alive else None
        found = Totals(cpu_ns=cpu_time_ns(running.pid, thread) if thread is not None else 0)
        if figures is not None:
            found = found.model_copy(update={
                "rx": figures.rx, "tx": figures.tx, "drops": figures.lost, "ring_drops": figures.rx_drop,
                "filtered": figures.dropped, "out": figures.sent_out,
            })  # fmt: skip
        with self._lock:
            self._seen[running] = found.at_least(self._seen.get(running, Totals()))
            return self._seen[running]
