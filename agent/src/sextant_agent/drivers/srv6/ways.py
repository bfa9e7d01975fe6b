"""By which ports packets go on from here: set for a chain, changed while it runs, and removed with it.

What is set the kernel has, and the daemon says; nothing of it is written down, so a successor finds all of it.
"""

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from ipaddress import IPv6Address

from sextant_domain.hosts.path import ChainPath

from sextant_agent.contract.driver import PortFound, WayFound
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.drivers.srv6.answers import DaemonLinks, DaemonWays
from sextant_agent.drivers.srv6.chain_path import sids_after
from sextant_agent.drivers.srv6.place import Link, Srv6Place
from sextant_agent.drivers.srv6.record import ChainEntry, Srv6Record
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S, LineAnswer, LineClient, LineError, LineRefused


class Ways:
    """Of one host. Safe for several threads: a chain goes while another thread leads it elsewhere."""

    def __init__(self, place: Srv6Place, record: Srv6Record, daemon: LineClient, uid: int) -> None:
        """`daemon`: asked by orders, too. What is asked between them has connections of its own."""
        self._place, self._record, self._daemon = place, record, daemon
        self._waiting, self._leading = (LineClient(place.daemon, "sextant-srv6", uid) for _ in range(2))
        self._lock = threading.Lock()
        self._leaving: set[int] = set()
        """Tags of chains that are being taken apart."""

    def check(self, path: ChainPath, here: Collection[str]) -> None:
        """Raises DriverError where no link leads to a segment that packets go to from here."""
        for sid in sids_after(path, here):
            if sid not in self._place.locator and not self._place.links_to(sid):
                raise DriverError(f"no link of srv6.toml leads to {sid}", permanent=True)

    def set(self, path: ChainPath, here: Collection[str]) -> None:
        """To every segment that packets go to from here, by the first of its links that is up. Raises LineError."""
        with self._lock:
            self._leaving.discard(path.tag)
            up = self._up()
            for sid in sids_after(path, here):
                if sid in self._place.locator:
                    self._ask_way(self._daemon, path.tag, sid, {"local": True})
                    continue
                links = self._place.links_to(sid)
                link = next((link for link in links if link.port in up), links[0])
                self._ask_way(self._daemon, path.tag, sid, {"port": link.port, "mac": link.mac})

    def remove(self, path: ChainPath) -> None:
        """All of a chain. Raises LineError."""
        with self._lock:
            self._leaving.add(path.tag)
            for segment in path.segments:
                with suppress(LineRefused):  # it is not there
                    self._daemon.ask(LineAnswer, "remove_way", ANSWER_TIMEOUT_S, tag=path.tag, sid=str(segment.sid))

    def expected(self) -> list[WayFound]:
        """Where packets go on to another host, whichever port they take."""
        return [_way(entry, sid, links, None) for entry, sid, links in self._remote()]

    def await_ports(self, known: frozenset[str] | None, wait_s: float) -> Mapping[str, PortFound]:
        """Raises DataPlaneDown."""
        asked = {} if known is None else {"up": sorted(known), "wait_ms": round(1000 * wait_s)}
        try:
            found = self._waiting.ask(DaemonLinks, "links", wait_s + ANSWER_TIMEOUT_S, **asked)
        except LineError as error:
            raise DataPlaneDown(str(error)) from error
        return {link.port: PortFound(link.up, link.queue_packets) for link in found.links}

    def found(self) -> list[WayFound]:
        """Raises DataPlaneDown."""
        try:
            set_ways = self._leading.ask(DaemonWays, "ways").ways
        except LineError as error:
            raise DataPlaneDown(str(error)) from error
        ports = {(way.tag, way.sid): way.port for way in set_ways}
        return [
            _way(entry, sid, links, ports[entry.path.tag, sid])
            for entry, sid, links in self._remote()
            if (entry.path.tag, sid) in ports  # else it is not set yet, or removed already
        ]

    def lead(self, way: WayFound, port: str) -> bool:
        """Raises DriverError."""
        with self._lock:
            for entry, sid, links in self._remote():
                if entry.chain != way.chain or str(sid) != way.sid or entry.path.tag in self._leaving:
                    continue
                link = next(one for one in links if one.port == port)
                try:
                    self._ask_way(self._leading, entry.path.tag, sid, {"port": link.port, "mac": link.mac})
                except LineError as error:
                    raise DriverError(str(error)) from error
                return True
            return False

    def close(self) -> None:
        """Ways stay."""
        self._waiting.close()
        self._leading.close()

    def _remote(self) -> Iterator[tuple[ChainEntry, IPv6Address, tuple[Link, ...]]]:
        for entry in list(self._record.chains.values()):
            for sid in sids_after(entry.path, {nf.nf_id for nf in entry.nfs}):
                links = () if sid in self._place.locator else self._place.links_to(sid)
                if links:
                    yield entry, sid, links

    def _up(self) -> frozenset[str]:
        """All of them where an older daemon does not say."""
        with suppress(LineRefused):
            return frozenset(link.port for link in self._daemon.ask(DaemonLinks, "links").links if link.up)
        return frozenset(link.port for link in self._place.link)

    @staticmethod
    def _ask_way(daemon: LineClient, tag: int, sid: IPv6Address, way: Mapping[str, object]) -> None:
        daemon.ask(LineAnswer, "set_way", ANSWER_TIMEOUT_S, tag=tag, sid=str(sid), **way)


def _way(entry: ChainEntry, sid: IPv6Address, links: tuple[Link, ...], port: str | None) -> WayFound:
    nf_id = next((segment.nf_id for segment in entry.path.segments if segment.sid == sid), None)
    return WayFound(entry.chain, str(sid), nf_id, tuple(dict.fromkeys(link.port for link in links)), port)
