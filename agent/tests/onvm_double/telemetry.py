"""DPDK's telemetry socket of a manager: one packet asks, one answers."""

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .eal import Eal, near
from .memory import MBUFS
from .traffic import Port

NAME = "dpdk_telemetry.v2"
MAX_BYTES = 16_384
POOL = "MProc_pktmbuf_pool"
POOLS = {POOL: MBUFS, "NF_INFO_MEMPOOL": 128, "NF_MSG_MEMPOOL": 16_384}


class Telemetry:
    def __init__(
        self, eal: Eal, app_words: list[str], ports: dict[int, Port], is_silent: Callable[[], bool] = lambda: False
    ) -> None:
        """`is_silent`: connections are taken, and nothing is said."""
        self._eal, self._app_words, self._ports, self._is_silent = eal, app_words, ports, is_silent
        self._commands: dict[str, Callable[[str], Any]] = {
            "/": lambda _: sorted(self._commands),
            "/info": lambda _: self._info(),
            "/eal/params": lambda _: eal.options.words,
            "/eal/app_params": lambda _: app_words,
            "/ethdev/list": lambda _: list(ports),
            "/ethdev/stats": self._stats,
            "/ethdev/xstats": self._xstats,
            "/ethdev/link_status": self._link,
            "/mempool/list": lambda _: list(POOLS),
            "/mempool/info": self._pool,
        }
        path = eal.folder / NAME
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with near(path) as name:
            self._listener.bind(name)
        self._listener.listen(1)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text("telemetry-v2")
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self._is_silent():
                threading.Event().wait()
            connection.send(_compact(self._info()))
            while asked := connection.recv(1024):
                command, _, parameter = asked.decode(errors="replace").partition(",")
                known = self._commands.get(command)
                answer = known(parameter) if known else None
                connection.send(_compact({command: answer})[:MAX_BYTES])

    def _info(self) -> dict[str, Any]:
        version = f"DPDK {self._eal.settings.dpdk}"
        return {"version": version, "pid": os.getpid(), "max_output_len": MAX_BYTES}

    def _port(self, parameter: str) -> Port | None:
        return self._ports.get(int(parameter)) if parameter.isdigit() else None

    def _stats(self, parameter: str) -> dict[str, Any] | None:
        port = self._port(parameter)
        if port is None:
            return None
        return {
            "ipackets": port.rx, "opackets": port.tx, "ibytes": 64 * port.rx, "obytes": 64 * port.tx,
            "imissed": port.missed, "ierrors": 0, "oerrors": 0, "rx_nombuf": port.no_buffer,
        }  # fmt: skip

    def _xstats(self, parameter: str) -> dict[str, Any] | None:
        port = self._port(parameter)
        if port is None:
            return None
        return {
            "rx_good_packets": port.rx, "tx_good_packets": port.tx, "rx_missed_errors": port.missed, "rx_errors": 0,
            "tx_errors": 0, "rx_mbuf_allocation_errors": port.no_buffer,
        }  # fmt: skip

    def _link(self, parameter: str) -> dict[str, Any] | None:
        up = {"status": "UP", "speed": 10_000, "duplex": "full-duplex"}
        return up if self._port(parameter) is not None else None

    def _pool(self, parameter: str) -> dict[str, Any]:
        """It does not report the number of buffers in use."""
        if parameter not in POOLS:
            return {}
        return {"name": parameter, "socket_id": 0, "size": POOLS[parameter], "populated_size": POOLS[parameter]}


def _compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
