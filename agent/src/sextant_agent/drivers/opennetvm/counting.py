"""Cumulative figures of chains and NFs over the lives of processes that count from nothing."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sextant_agent.drivers.opennetvm.book import Book, ChainEntry, NfEntry, Totals
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.processes import cpu_time_ns, packet_thread


@dataclass(frozen=True, slots=True)
class PortPackets:
    """Of a chain's port, since the chain was added."""

    received: int
    sent: int


class Counting:
    """Keeps the last that was seen of every process, since a dead one leaves no figures. Safe for several threads."""

    def __init__(self, book: Book, managers: Mapping[str, Manager]) -> None:
        self._book = book
        self._managers = managers
        self._seen: dict[tuple[str, str, int], Totals] = {}
        """By chain, NF and instance id."""
        self._lock = threading.Lock()

    def begin(self, chain: str) -> None:
        """What its port has counted by now is not the chain's."""
        entry = self._book.chains[chain]
        received, sent = self._managers[entry.manager].port_packets()
        self._book.put_chain(entry.model_copy(update={"rx_before": -received, "tx_before": -sent}))

    def port(self, entry: ChainEntry) -> PortPackets:
        """Since it was added."""
        received, sent = self._managers[entry.manager].port_packets()
        return PortPackets(max(0, entry.rx_before + received), max(0, entry.tx_before + sent))

    def of(self, chain: ChainEntry, nf: NfEntry) -> Totals:
        """Since its chain was added."""
        return nf.before.plus(self._now(chain, nf))

    def fold(self, chain: ChainEntry, positions: Iterable[int]) -> None:
        """These have ended: what they counted is kept."""
        for position in positions:
            nf = chain.nfs[position]
            total = self.of(chain, nf)
            with self._lock:
                self._seen.pop((chain.chain, nf.nf_id, nf.instance), None)
            self._book.put_nf(chain.chain, nf.model_copy(update={"before": total, "pid": None, "ready": False}))

    def leave_manager(self, chain: ChainEntry) -> None:
        """The next manager counts its ports from nothing."""
        now, entry = self.port(chain), self._book.chains[chain.chain]
        self._book.put_chain(entry.model_copy(update={"rx_before": now.received, "tx_before": now.sent}))

    def forget(self, chain: str) -> None:
        """It was removed."""
        with self._lock:
            self._seen = {key: seen for key, seen in self._seen.items() if key[0] != chain}

    def _now(self, chain: ChainEntry, nf: NfEntry) -> Totals:
        """Of its present process; where its figures are gone, the last that were seen."""
        key = chain.chain, nf.nf_id, nf.instance
        figures = self._managers[chain.manager].figures().nfs.get(nf.instance)
        thread = packet_thread(nf.pid) if nf.pid is not None and nf.alive else None
        with self._lock:
            seen = self._seen.get(key, Totals())
            if figures is not None:
                seen = seen.model_copy(update={
                    "rx": figures.rx, "tx": figures.tx, "drops": figures.rx_drop, "filtered": figures.dropped,
                    "out": figures.sent_out,
                })  # fmt: skip
            if thread is not None and nf.pid is not None:
                seen = seen.model_copy(update={"cpu_ns": max(seen.cpu_ns, cpu_time_ns(nf.pid, thread))})
            self._seen[key] = seen
            return seen
