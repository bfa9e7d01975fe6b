"""A home of the OpenNetVM double with its processes, as tests of the double itself drive it; with SEXTANT_ONVM_HOME, of
a true OpenNetVM, to which the same tests are put."""

import csv
import json
import os
import signal
from pathlib import Path
from typing import Any

from .onvm_double.home import Home, Running
from .onvm_double.true_home import TrueHome, true_home
from .waiting import wait_for

CPUS = sorted(os.sched_getaffinity(0))
FIRST, SECOND = CPUS[0], CPUS[-1]
COLUMNS = [
    "time", "tag", "instance", "service", "core", "parent", "state", "children", "rx", "tx", "rx_pps", "tx_pps",
    "rx_drop", "tx_drop", "rx_drop_rate", "tx_drop_rate", "act_out", "act_tonf", "act_drop", "act_next", "act_buffer",
    "act_returned", "wakeups", "wakeup_rate",
]  # fmt: skip
PORT_COLUMNS = ["time", "port", "rx", "rx_pps", "tx", "tx_pps"]


class Bench:
    """One home; every process that it started is ended with it. Lcores 125 to 127 are the manager's."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.home: Home | TrueHome = true_home(folder) or Home(folder, **settings)
        self.started: list[Running] = []

    def start(self, binary: Path, *words: str, folder: str = "cwd") -> Running:
        running = Running(binary, self.home.folder / folder, *words)
        self.started.append(running)
        return running

    def eal(self, lcores: str, prefix: str = "t") -> list[str]:
        return ["--lcores", lcores, f"--file-prefix={prefix}", f"--huge-dir={self.home.huge_dir}"]

    def manager(self, *more: str, eal: tuple[str, ...] = ("--vdev=net_null0",), cpus: int = 3) -> Running:
        """Not ready yet. All CPUs are for NFs; its one port is port 0."""
        lcores = ",".join(f"{lcore}@{FIRST}" for lcore in range(128 - cpus, 128))
        mask = f"{sum(1 << cpu for cpu in CPUS):x}"
        words = ["-p", "1", "-n", mask, "-s", "web", "-v", "3", "-z", "1", *more]
        return self.start(
            self.home.manager, *self.eal(lcores), "-n", "4", "--proc-type=primary", *eal, "--", *words, folder="manager"
        )

    def ready_manager(self, *more: str, **how: Any) -> Running:
        manager = self.manager(*more, **how)

        def writes() -> bool:
            assert not manager.ended, manager.said
            return bool(self.figures_text())

        wait_for("figures of the manager", writes)
        return manager

    def nf(self, name: str, cpu: int, *words: str, lcore: int | None = None) -> Running:
        """Options of the library, `--`, its own; its folder is its own."""
        eal = self.eal(f"{cpu if lcore is None else lcore}@{cpu}")
        binary = self.home.example(name)
        return self.start(
            binary, *eal, "-n", "3", "--proc-type=secondary", "--", *words, folder=f"nf{len(self.started)}"
        )

    def running_nf(self, name: str, cpu: int, *words: str, lcore: int | None = None) -> Running:
        before = set(self.nfs())
        nf = self.nf(name, cpu, *words, lcore=lcore)

        def shown() -> bool:
            assert not nf.ended, nf.said
            return bool(set(self.nfs()) - before)

        wait_for(f"figures of {name}", shown)
        return nf

    def refused(self, nf: Running) -> tuple[int, str]:
        """Exit status and all that it said."""
        wait_for("the process ends", lambda: nf.ended)
        return nf.process.returncode, nf.said

    def figures_text(self) -> str:
        path = self.home.web / "onvm_stats.txt"
        return path.read_text() if path.exists() else ""

    def nfs(self) -> dict[int, dict[str, str]]:
        """By instance; of one whole writing."""
        rows = [row for row in csv.reader(self._whole().splitlines()) if len(row) == len(COLUMNS)]
        return {int(row[2]): dict(zip(COLUMNS, row, strict=True)) for row in rows}

    def port(self) -> dict[str, str]:
        row = next(row for row in csv.reader(self._whole().splitlines()) if len(row) == len(PORT_COLUMNS))
        return dict(zip(PORT_COLUMNS, row, strict=True))

    def _whole(self) -> str:
        """Read twice alike: a writing is not in one piece."""

        def twice() -> str:
            text = self.figures_text()
            return text if text.endswith("\n") and text == self.figures_text() else ""

        return wait_for("figures", twice)

    def next_period(self) -> None:
        """Two writings later: whatever was begun before is in the figures."""
        for _ in range(2):
            self._another_period(self._whole())

    def _another_period(self, before: str) -> None:
        wait_for("another period", lambda: self._whole() != before)

    def json(self) -> dict[str, Any]:
        return dict(wait_for("whole JSON", lambda: self._parsed("onvm_json_stats.json")))

    def events(self) -> list[dict[str, Any]]:
        return list(wait_for("whole events", lambda: self._parsed("onvm_json_events.json")))

    def _parsed(self, name: str) -> Any:
        try:
            return json.loads((self.home.web / name).read_text())
        except ValueError:
            return None

    def end(self) -> None:
        for running in self.started:
            running.process.send_signal(signal.SIGCONT)
            running.end()
        if isinstance(self.home, TrueHome):
            self.home.clear("t")

    def only_double(self) -> None:
        """Skips where the true one is tested, whose traffic and memory are its own."""
        self.home.set()
