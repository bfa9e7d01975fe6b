"""What the card of a port dropped before OpenNetVM took it, by DPDK's telemetry socket of its manager.

Of `/ethdev/stats` (struct rte_eth_stats of rte_ethdev.h), imissed and ierrors are packets that arrived and are lost.
rx_nombuf is none of packets: it counts allocations that failed. The packet stays with its card, which is asked again
and again, and one is lost once the card is full: then imissed counts it.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from sextant_agent.control.running import Running

NAME = "dpdk_telemetry.v2"
PATIENCE_S = 0.25
"""For all that is asked at once: a manager that is stopped takes the connection and says nothing."""
RETRY_S = 5.0
"""Pause after it did not answer, so that a manager that hangs slows no sample but these."""
MAX_BYTES = 64 * 1024
"""Of one answer; DPDK's own bound is 16 KiB."""
MAX_COUNT = 2**64

log = structlog.get_logger()


class Unanswered(Exception):
    """Why there are no figures."""


@dataclass(frozen=True, slots=True)
class PortLosses:
    """Packets that cards dropped."""

    missed: int
    """There was no room for them: nobody took packets from the card, or not fast enough."""
    broken: int

    @property
    def packets(self) -> int:
        """All of them."""
        return self.missed + self.broken


class PortTelemetry:
    """Of one manager's ports, life after life. Safe for several threads."""

    def __init__(self) -> None:
        self._life: Running | None = None
        self._last = PortLosses(0, 0)
        self._trouble: str | None = None
        self._next_at = 0.0
        self._lock = threading.Lock()

    @property
    def trouble(self) -> str | None:
        """Why it gave no answer when it was last asked; None where it answered, or was not asked yet."""
        return self._trouble

    def losses(self, folder: Path, life: Running, ports: Iterable[int]) -> PortLosses:
        """Those since it started, over these ports; where it does not answer, the last that it reported in this life,
        at first none. `folder`: of its prefix."""
        with self._lock:
            if life != self._life:
                self._life, self._last, self._trouble, self._next_at = life, PortLosses(0, 0), None, 0.0
            if life.alive and time.monotonic() >= self._next_at:
                self._ask(folder, life.pid, ports)
            return self._last

    def _ask(self, folder: Path, pid: int, ports: Iterable[int]) -> None:
        try:
            self._last = ask(folder, pid, ports)
        except Unanswered as why:
            if self._trouble is None:
                log.warning(
                    "losses of a port are not reported", cause=str(why), next_step="packets are counted without"
                )
            self._trouble, self._next_at = str(why), time.monotonic() + RETRY_S
        else:
            self._trouble = None


def ask(folder: Path, pid: int, ports: Iterable[int]) -> PortLosses:
    """The manager `pid` itself: packets that these ports lost. Raises Unanswered."""
    deadline = time.monotonic() + PATIENCE_S
    missed = broken = 0
    try:
        with _connected(folder) as asking:
            if _answer(asking, deadline).get("pid") != pid:
                raise Unanswered(f"{folder / NAME} is another process'")
            for port in ports:
                command = f"/ethdev/stats,{port}"
                asking.send(command.encode())
                stats = _answer(asking, deadline).get("/ethdev/stats")
                if not isinstance(stats, dict):
                    raise Unanswered(f"{folder / NAME} knows no port {port}")
                missed, broken = missed + _count(stats, "imissed"), broken + _count(stats, "ierrors")
    except TimeoutError as error:
        raise Unanswered(f"{folder / NAME} does not answer within {PATIENCE_S:g} s") from error
    except OSError as error:
        raise Unanswered(f"{folder / NAME}: {error.strerror or error}") from error
    return PortLosses(missed, broken)


def _connected(folder: Path) -> socket.socket:
    """By way of the folder: a socket's address is cut at 107 bytes. Raises OSError."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    asking = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        asking.settimeout(PATIENCE_S)
        asking.connect(f"/proc/self/fd/{descriptor}/{NAME}")
    except OSError:
        asking.close()
        raise
    finally:
        os.close(descriptor)
    return asking


def _answer(asking: socket.socket, deadline: float) -> dict[str, Any]:
    """One message, an object. Raises Unanswered, OSError."""
    asking.settimeout(max(0.001, deadline - time.monotonic()))
    message, _, flags, _ = asking.recvmsg(MAX_BYTES)
    if not message or flags & socket.MSG_TRUNC:
        raise Unanswered("the manager ended the connection" if not message else f"an answer of over {MAX_BYTES} bytes")
    try:
        found = json.loads(message)
    except (ValueError, RecursionError) as error:
        raise Unanswered("an answer that is no JSON") from error
    if not isinstance(found, dict):
        raise Unanswered("an answer of another shape")
    return found


def _count(stats: dict[str, Any], name: str) -> int:
    value = stats.get(name)
    if type(value) is not int or not 0 <= value < MAX_COUNT:
        raise Unanswered(f"no count of {name} in an answer")
    return value
